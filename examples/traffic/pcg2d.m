% Preconditioned conjugate gradients on the ocean model's own arrays: every grid point is stored, land included, and the
% nine-point operator has an array for each of its coefficients.
nx = 192;
ny = 128;
[ocean_points, C] = ocean(nx, ny);
MASK = double(ocean_points);
C0 = C{2, 2};
CN = C{2, 3};
CS = C{2, 1};
CE = C{3, 2};
CW = C{1, 2};
CNE = C{3, 3};
CNW = C{1, 3};
CSE = C{3, 1};
CSW = C{1, 1};
A0R = MASK;
I = 2:nx - 1;
J = 2:ny - 1;
X = zeros(nx, ny);
R = MASK;
P = zeros(nx, ny);
Q = zeros(nx, ny);
rho_old = 1;
%SLM start pcg2d;
for k = 1:10
  Z = A0R.*R;
  rho = sum(sum(R.*Z.*MASK));
  P = Z + P*(rho/rho_old);
  Q(I, J) = C0(I, J).*P(I, J) + CN(I, J).*P(I, J+1) + CS(I, J).*P(I, J-1) ...
          + CE(I, J).*P(I+1, J) + CW(I, J).*P(I-1, J) ...
          + CNE(I, J).*P(I+1, J+1) + CNW(I, J).*P(I-1, J+1) + CSE(I, J).*P(I+1, J-1) + CSW(I, J).*P(I-1, J-1);
  delta = sum(sum(Q.*P.*MASK));
  alpha = rho/delta;
  X = X + P*alpha;
  R = R - Q*alpha;
  residual = sum(sum(R.*R));
  rho_old = rho;
end
%SLM end pcg2d;
%SLM print pcg2d;
