% Eigen's GMRES(8), by Householder reflections: one cycle and the restart before it.
T = @(n) spdiags(ones(n, 1)*[-1, 2, -1], -1:1, n, n);
A = kron(T(512), speye(96)) + kron(speye(512), T(96));
n = size(A, 1);
b = ones(n, 1);
x = zeros(n, 1);
m = 8;
R = zeros(m, m);
tau = zeros(m + 1, 1);
cs = zeros(m, 1);
sn = zeros(m, 1);
%SLM start gmres;
p0 = b - A*x;
r0 = p0;
H = zeros(n, m + 1);
w = zeros(m + 1, 1);
beta = -sign(r0(1))*sqrt(r0(1)^2 + r0(2:n)'*r0(2:n));
H(2:n, 1) = r0(2:n)/(r0(1) - beta);
tau(1) = (beta - r0(1))/beta;
w(1) = beta;
for k = 1:m
  v = zeros(n, 1);
  v(k) = 1;
  for i = k:-1:1
    h = H(i + 1:n, i)'*v(i + 1:n) + v(i);
    v(i) = v(i) - tau(i)*h;
    v(i + 1:n) = v(i + 1:n) - tau(i)*h*H(i + 1:n, i);
  end
  t = A*v;
  v = t;
  for i = 1:k
    h = H(i + 1:n, i)'*v(i + 1:n) + v(i);
    v(i) = v(i) - tau(i)*h;
    v(i + 1:n) = v(i + 1:n) - tau(i)*h*H(i + 1:n, i);
  end
  nonzero = norm(v(k + 1:n));
  beta = sqrt(v(k + 1)^2 + v(k + 2:n)'*v(k + 2:n));
  if v(k + 1) >= 0
    beta = -beta;
  end
  H(k + 2:n, k + 1) = v(k + 2:n)/(v(k + 1) - beta);
  tau(k + 1) = (beta - v(k + 1))/beta;
  h = H(k + 2:n, k + 1)'*v(k + 2:n) + v(k + 1);
  v(k + 1) = v(k + 1) - tau(k + 1)*h;
  v(k + 2:n) = v(k + 2:n) - tau(k + 1)*h*H(k + 2:n, k + 1);
  for i = 1:k - 1
    turned = cs(i)*v(i) + sn(i)*v(i + 1);
    v(i + 1) = cs(i)*v(i + 1) - sn(i)*v(i);
    v(i) = turned;
  end
  r = sqrt(v(k)^2 + v(k + 1)^2);
  cs(k) = v(k)/r;
  sn(k) = v(k + 1)/r;
  v(k) = r;
  w(k + 1) = -sn(k)*w(k);
  w(k) = cs(k)*w(k);
  R(1:k, k) = v(1:k);
end
y = R\w(1:m);
x_new = zeros(n, 1);
for i = m:-1:1
  x_new(i) = x_new(i) + y(i);
  h = H(i + 1:n, i)'*x_new(i + 1:n) + x_new(i);
  x_new(i) = x_new(i) - tau(i)*h;
  x_new(i + 1:n) = x_new(i + 1:n) - tau(i)*h*H(i + 1:n, i);
end
x = x + x_new;
%SLM end gmres;
%SLM print gmres;
