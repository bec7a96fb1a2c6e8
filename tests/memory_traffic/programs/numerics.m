% What numerical prototypes do: products of all kinds, in all places.
rand('seed', 1);
A = reshape(mod(1:36, 7), 6, 6) + 6*eye(6); B = reshape(mod(1:24, 5), 6, 4); x = (1:6)'/7; S = sparse(A .* (mod(A, 2) > 0) + eye(6));
%SLM start numerics;
y = A*x; z = A'*x; w = x'*A; v = A*B*B'*x; u = (A + A')*x - 2*x;
s1 = x'*x; s2 = x'*A*x / (x'*x); s3 = norm(A*x - y) + max(abs(B(:, 2)'));
sol = A\x; sol2 = A'\x; sol3 = x'/A; sol4 = S\x; prod1 = S*x; prod2 = S'*B; prod3 = x.'*S;
P = A^2; P3 = 2^3; E = expm(A/100); [Q, R] = qr(B); [L, U, p] = lu(A); d = diag(A); [m, i] = max(B(:)); k = find(B > 3);
n = 0; r = x;
while norm(r) > 1e-3 && n < 20
  n = n + 1; r = r - 0.05*(A*r)/(1 + norm(r));
end
acc = 0;
for j = 1:6
  acc = acc + A(j, j)*x(j); B(j, 1) = acc; B(1, :) = x(1:4)'*j;
end
if n > 3 && sum(x.*x) > 0, t = 1; elseif prod(x) > 1, t = 2; else, t = 3; end
f = @(q) A*q + x; g = f(x) + feval(f, x);
c = {A, x}; h = c{1}*c{2}; st.A = A; hh = st.A*x; B(:, end) = []; B(end+1, :) = 1; B(B > 5) = 0;
t1 = sin(x)+cos(x).*sqrt(x); q2 = r; q2(1) = 5; e1 = []; e1 = [e1, x']; e1(3:4) = [8 9];
T = zeros(2, 2, 2); T(:, :, 2) = A(1:2, 1:2); T(1, :, 1) = [1 2]; o = T(:, 1, 2);
x = x(end:-1:1); x = x + x(1); [~, idx] = sort(x); msk = x > 0.5; x(msk) += 1; lg = any(x > 2) | all(msk);
%SLM end numerics;
%SLM print numerics;
