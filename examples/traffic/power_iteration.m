% Power iteration, ten steps.
A = poisson(96, 512);
n = size(A, 1);
x = (1 + mod((0:n-1)', 7))/n;
%SLM start power;
for k = 1:10
  y = A*x;
  lambda = norm(y);
  x = y/lambda;
end
%SLM end power;
%SLM print power;
