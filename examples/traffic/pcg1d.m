% The same solver on compressed vectors: ocean points only, the operator as a sparse matrix.
nx = 192;
ny = 128;
[ocean_points, C] = ocean(nx, ny);
number = zeros(nx, ny);
number(ocean_points) = 1:nnz(ocean_points);
rows = [];
columns_ = [];
values = [];
for di = -1:1
  for dj = -1:1
    neighbour = circshift(number, [-di, -dj]);
    c = C{di + 2, dj + 2};
    there = ocean_points & c ~= 0;
    rows = [rows; number(there)];
    columns_ = [columns_; neighbour(there)];
    values = [values; c(there)];
  end
end
A = sparse(rows, columns_, values);
n = size(A, 1);
A0R = ones(n, 1);
X = zeros(n, 1);
R = ones(n, 1);
P = zeros(n, 1);
rho_old = 1;
%SLM start pcg1d;
for k = 1:10
  Z = A0R.*R;
  rho = R'*Z;
  P = Z + P*(rho/rho_old);
  Q = A*P;
  delta = Q'*P;
  alpha = rho/delta;
  X = X + P*alpha;
  R = R - Q*alpha;
  residual = R'*R;
  rho_old = rho;
end
%SLM end pcg1d;
%SLM print pcg1d;
