% BiCGStab without preconditioner, ten iterations, on a problem with convection.
nx = 96;
ny = 512;
n = nx*ny;
A = poisson(nx, ny) + spdiags([-0.3*ones(n, 1), 0.3*ones(n, 1)], [-1, 1], n, n);
b = ones(n, 1);
x = zeros(n, 1);
r = b;
shadow = r;
p = r;
rho = shadow'*r;
%SLM start bicgstab;
for k = 1:10
  v = A*p;
  alpha = rho/(shadow'*v);
  s = r - alpha*v;
  t = A*s;
  omega = (t'*s)/(t'*t);
  x = x + alpha*p + omega*s;
  r = s - omega*t;
  rho_new = shadow'*r;
  beta = (rho_new/rho)*(alpha/omega);
  p = r + beta*(p - omega*v);
  rho = rho_new;
end
%SLM end bicgstab;
%SLM print bicgstab;
