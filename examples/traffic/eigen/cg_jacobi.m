% Eigen's ConjugateGradient with its diagonal preconditioner, ten iterations.
T = @(n) spdiags(ones(n, 1)*[-1, 2, -1], -1:1, n, n);
A = kron(T(512), speye(96)) + kron(speye(512), T(96));
n = size(A, 1);
b = ones(n, 1);
x = zeros(n, 1);
invdiag = 1./full(diag(A));
residual = b - A*x;
p = invdiag.*residual;
absNew = residual'*p;
%SLM start cg_jacobi;
for i = 1:10
  tmp = A*p;
  alpha = absNew/(p'*tmp);
  x = x + alpha*p;
  residual = residual - alpha*tmp;
  residualNorm2 = residual'*residual;
  z = invdiag.*residual;
  absOld = absNew;
  absNew = residual'*z;
  beta = absNew/absOld;
  p = z + beta*p;
end
%SLM end cg_jacobi;
%SLM print cg_jacobi;
