% Eigen's LeastSquaresConjugateGradient without preconditioner, ten iterations.
T = @(n) spdiags(ones(n, 1)*[-1, 2, -1], -1:1, n, n);
A = kron(T(512), speye(96)) + kron(speye(512), T(96));
n = size(A, 1);
b = ones(n, 1);
x = zeros(n, 1);
residual = b - A*x;
normal_residual = A'*residual;
p = normal_residual;
absNew = normal_residual'*p;
%SLM start lscg;
for i = 1:10
  tmp = A*p;
  alpha = absNew/(tmp'*tmp);
  x = x + alpha*p;
  residual = residual - alpha*tmp;
  normal_residual = A'*residual;
  residualNorm2 = normal_residual'*normal_residual;
  z = normal_residual;
  absOld = absNew;
  absNew = normal_residual'*z;
  beta = absNew/absOld;
  p = z + beta*p;
end
%SLM end lscg;
%SLM print lscg;
