% Eigen's IDR(4) without smoothing and preconditioner, five iterations of five products each.
T = @(n) spdiags(ones(n, 1)*[-1, 2, -1], -1:1, n, n);
A = kron(T(512), speye(96)) + kron(speye(512), T(96));
n = size(A, 1);
b = ones(n, 1);
x = zeros(n, 1);
S = 4;
[P, upper] = qr(rand(n, S), 0);
r = b - A*x;
G = zeros(n, S);
U = zeros(n, S);
M = eye(S);
om = 1;
%SLM start idrs;
for i = 1:5
  f = P'*r;
  for k = 1:S
    c = M(k:S, k:S)\f(k:S);
    v = r - G(:, k:S)*c;
    U(:, k) = U(:, k:S)*c + om*v;
    G(:, k) = A*U(:, k);
    for j = 1:k - 2
      alpha = P(:, j)'*G(:, k)/M(j, j);
      G(:, k) = G(:, k) - alpha*G(:, j);
      U(:, k) = U(:, k) - alpha*U(:, j);
    end
    M(k:S, k) = P(:, k:S)'*G(:, k);
    beta = f(k)/M(k, k);
    r = r - beta*G(:, k);
    x = x + beta*U(:, k);
    normr = norm(r);
    if k < S
      f(k + 1:S) = f(k + 1:S) - beta*M(k + 1:S, k);
    end
  end
  v = r;
  t = A*v;
  om = (t'*r)/norm(t)^2;
  rho = abs(t'*r)/(norm(t)*norm(r));
  r = r - om*t;
  x = x + om*v;
  normr = norm(r);
end
%SLM end idrs;
%SLM print idrs;
