% Eigen's ConjugateGradient without preconditioner, ten iterations.
T = @(n) spdiags(ones(n, 1)*[-1, 2, -1], -1:1, n, n);
A = kron(T(512), speye(96)) + kron(speye(512), T(96));
n = size(A, 1);
b = ones(n, 1);
x = zeros(n, 1);
residual = b - A*x;
p = residual;
absNew = residual'*p;
%SLM start cg;
for i = 1:10
  tmp = A*p;
  alpha = absNew/(p'*tmp);
  x = x + alpha*p;
  residual = residual - alpha*tmp;
  residualNorm2 = residual'*residual;
  z = residual;
  absOld = absNew;
  absNew = residual'*z;
  beta = absNew/absOld;
  p = z + beta*p;
end
%SLM end cg;
%SLM print cg;
