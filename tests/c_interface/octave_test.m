% What a plan in Octave owes its user; the folder of sparsecast_plan.m is in the path, the host is measured.
rand ("seed", 1);
A = sprand (300, 200, 0.05);
x = rand (200, 1);  X = rand (200, 5);  u = rand (300, 1);
P = sparsecast_plan (A);
assert (P * x, A * x, 1e-12)
assert (P * X, A * X, 1e-12)
assert (P' * u, A' * u, 1e-12)
assert (P.' * u, A' * u, 1e-12)
assert (size (P), [300 200])
assert (size (P'), [200 300])
assert (size (P, 2), 200)
[m, n] = size (P);
assert ([m n], [300 200])
assert (size (P, [2 1]), [200 300])
assert (size (P, 2, 1), size (A, 2, 1))
[n, m] = size (P, 2, 1);
assert ([n m], [200 300])
assert (length (P'), length (A'))
assert (! isempty (P) && isempty (sparsecast_plan (sparse (0, 3))))
assert (! issquare (P) && issquare (sparsecast_plan (speye (2))))
assert (sparsecast_plan (A > 0.5) * x, (A > 0.5) * x, 1e-12)
assert (sparsecast_plan (A, "trials", 2) * x, A * x, 1e-12)
assert (P.info.nonzeros, nnz (A))
assert (! isempty (P.info.reason))
assert (P.info.device, "host")
assert (P.info.predicted_s > 0)
Q = P;
clear P
assert (Q * x, A * x, 1e-12)  % a copy holds the plan
for kernel = {"csr", "ell", "sell"}
  K = sparsecast_plan (A, "kernel", kernel{1}, "threads", 2);
  assert (K * x, A * x, 1e-12)
  assert (K.info.kernels, kernel)
  assert (isnan (K.info.predicted_s))  % nothing was forecast
end
assert (sparsecast_plan (sparse (3, 2)) * [1; 1], zeros (3, 1))

function refuses (call, pattern)
  try
    call ();
  catch problem
    if (isempty (regexp (problem.message, pattern)))
      error ("refused with: %s", problem.message);
    end
    return
  end
  error ("not refused: %s", pattern);
end
refuses (@() Q * ones (199, 1), "200 columns times a matrix of 199 rows")
% What the library says beside a plan is a warning.
file = [tempname() ".mtx"];
fid = fopen (file, "w");
fputs (fid, "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740993\n");
fclose (fid);
lastwarn ("");
sparsecast_plan (file, "kernel", "csr");
assert (! isempty (strfind (lastwarn (), "round")))
delete (file);
refuses (@() Q * ones (201, 2), "200 columns times a matrix of 201 rows")
refuses (@() sparsecast_plan (full (A)), "must be sparse")
refuses (@() sparsecast_plan (1i * A), "the matrix is complex; plan real")
refuses (@() sparsecast_plan (single (full (A))), "not full single; sparse")
refuses (@() sparsecast_plan (A, "colour", 3), "no option is called 'colour'")
refuses (@() sparsecast_plan (A, "Kernel", "csr"), "no option is called 'Kernel'")
refuses (@() sparsecast_plan (A, "kernel"), "by name and value")
refuses (@() sparsecast_plan (A, 3, 4), "by name and value")
refuses (@() sparsecast_plan (A, "kernel", 3), "kernel must be a text")
refuses (@() sparsecast_plan (A, "threads", 1, "threads", 2), "threads is given twice")
refuses (@() sparsecast_plan (A, repmat ("x", 1, 100), 1), "no option is called 'xxx")
% An empty text is not the same as none, and several lines are no name.
for name = {"device", "profile", "kernel", "kernels", "model", "trials", "products"}
  refuses (@() sparsecast_plan (A, name{1}, ""), [name{1} " must be a text"])
end
refuses (@() sparsecast_plan (A, "profile", ["ab"; "cd"]), "profile must be a text of one line")
refuses (@() sparsecast_plan (["ab"; "cd"]), "name of a file must be a text of one line")
refuses (@() sparsecast_plan (""), "name of a file must be a text")
refuses (@() Q * single (x), "not full single; give a matrix: double")
refuses (@() Q * sparse (x), "not sparse double; give full")
refuses (@() Q * (1i * x), "real vectors")
refuses (@() Q * ones (200, 1, 2), "more dimensions")
for value = {NaN, Inf, 2.5, -1, 1e10, [1 2], {}, "2", 1i}
  refuses (@() sparsecast_plan (A, "iterations", value{1}), "iterations must be a whole number")
  refuses (@() sparsecast_plan (A, "threads", value{1}), "threads must be a whole number")
end
both = sparsecast_plan (A, "products", "A=1,A.T=1");
assert (both' * u, A' * u, 1e-12)
file = [tempname() ".mtx"];
written = fopen (file, "w");
fputs (written, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n");
fclose (written);
refuses (@() sparsecast_plan (file), "complex")
unlink (file);
refuses (@() sparsecast_plan (A, "kernel", "no-such"), "no kernel 'no-such'")
refuses (@() sparsecast_mex ("free", uint64 (12345)), "handle")

% Plans are freed: a handle is none any more once its last object is gone.
before = Q;
clear before both Q K
handle = sparsecast_mex ("plan", A, "kernel", "csr");
sparsecast_mex ("free", handle);
refuses (@() sparsecast_mex ("times", handle, x, 0), "freed")
for i = 1:2000
  P = sparsecast_plan (A, "kernel", "csr");
end
clear P
next = sparsecast_mex ("plan", A, "kernel", "csr");
assert (bitand (next, uint64 (2^28 - 1)) < 10)  % places are used again, so those of the 2000 were freed
sparsecast_mex ("free", next);

disp ("all as it should be")
