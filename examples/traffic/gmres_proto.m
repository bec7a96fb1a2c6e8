% GMRES(8): one cycle of the Arnoldi process by modified Gram-Schmidt.
A = poisson(96, 512);
n = size(A, 1);
m = 8;
b = ones(n, 1);
V = zeros(n, m + 1);
H = zeros(m + 1, m);
beta = norm(b);
V(:, 1) = b/beta;
x = zeros(n, 1);
%SLM start gmres;
for j = 1:m
  w = A*V(:, j);
  for i = 1:j
    h = V(:, i)'*w;
    w = w - h*V(:, i);
    H(i, j) = h;
  end
  h = norm(w);
  H(j + 1, j) = h;
  V(:, j + 1) = w/h;
end
g = zeros(m + 1, 1);
g(1) = beta;
y = H\g;
x = x + V(:, 1:m)*y;
%SLM end gmres;
%SLM print gmres;
