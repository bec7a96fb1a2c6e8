% Jacobi iteration, ten sweeps.
A = poisson(96, 512);
n = size(A, 1);
b = ones(n, 1);
x = zeros(n, 1);
inverse = 1./full(diag(A));
%SLM start jacobi;
for k = 1:10
  r = b - A*x;
  x = x + inverse.*r;
end
%SLM end jacobi;
%SLM print jacobi;
