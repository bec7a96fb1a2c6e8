% Eigen's BiCGSTAB with its diagonal preconditioner, ten iterations.
T = @(n) spdiags(ones(n, 1)*[-1, 2, -1], -1:1, n, n);
A = kron(T(512), speye(96)) + kron(speye(512), T(96));
n = size(A, 1);
b = ones(n, 1);
x = zeros(n, 1);
invdiag = 1./full(diag(A));
r = b - A*x;
r0 = r;
rho = 1;
alpha = 1;
w = 1;
v = zeros(n, 1);
p = zeros(n, 1);
%SLM start bicgstab_jacobi;
for i = 1:10
  norm2 = r'*r;
  rho_old = rho;
  rho = r0'*r;
  beta = (rho/rho_old)*(alpha/w);
  p = r + beta*(p - w*v);
  y = invdiag.*p;
  v = A*y;
  alpha = rho/(r0'*v);
  s = r - alpha*v;
  z = invdiag.*s;
  t = A*z;
  tmp = t'*t;
  w = (t'*s)/tmp;
  x = x + alpha*y + w*z;
  r = s - w*t;
end
%SLM end bicgstab_jacobi;
%SLM print bicgstab_jacobi;
