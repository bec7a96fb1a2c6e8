% Conjugate gradients, ten iterations.
A = poisson(96, 512);
n = size(A, 1);
b = ones(n, 1);
x = zeros(n, 1);
r = b;
p = r;
rho = r'*r;
%SLM start cg;
for k = 1:10
  q = A*p;
  alpha = rho/(p'*q);
  x = x + alpha*p;
  r = r - alpha*q;
  rho_new = r'*r;
  p = r + (rho_new/rho)*p;
  rho = rho_new;
end
%SLM end cg;
%SLM print cg;
