% Multigrid V-cycle with damped Jacobi: two smoothing steps before, one behind, four levels, three cycles.
levels = 4;
nx = 96;
ny = 512;
A = cell(1, levels);
P = cell(1, levels);
R = cell(1, levels);
w = cell(1, levels);
b = cell(1, levels);
x = cell(1, levels);
for l = 1:levels
  A{l} = poisson(nx, ny)/4^(l - 1);
  w{l} = 0.8./full(diag(A{l}));
  b{l} = zeros(nx*ny, 1);
  x{l} = zeros(nx*ny, 1);
  if l < levels
    % Piecewise constant: each coarse point stands for four fine ones.
    fine = 1:nx*ny;
    i = mod(fine - 1, nx);
    j = floor((fine - 1)/nx);
    coarse = 1 + floor(i/2) + floor(j/2)*(nx/2);
    P{l} = sparse(fine, coarse, 1, nx*ny, nx*ny/4);
    R{l} = P{l}';
  end
  nx = nx/2;
  ny = ny/2;
end
b{1} = b{1} + 1;
%SLM start vcycle;
for cycle = 1:3
  for l = 1:levels - 1
    for k = 1:2
      r = b{l} - A{l}*x{l};
      x{l} = x{l} + w{l}.*r;
    end
    r = b{l} - A{l}*x{l};
    b{l + 1} = R{l}*r;
    x{l + 1} = zeros(size(b{l + 1}));
  end
  for k = 1:8
    r = b{levels} - A{levels}*x{levels};
    x{levels} = x{levels} + w{levels}.*r;
  end
  for l = levels - 1:-1:1
    x{l} = x{l} + P{l}*x{l + 1};
    r = b{l} - A{l}*x{l};
    x{l} = x{l} + w{l}.*r;
  end
end
%SLM end vcycle;
%SLM print vcycle;
