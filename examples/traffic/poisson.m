function A = poisson(nx, ny)
% Five-point operator on a grid of nx by ny points, points numbered along x.
ex = ones(nx, 1);
ey = ones(ny, 1);
Tx = spdiags([-ex, 2*ex, -ex], [-1, 0, 1], nx, nx);
Ty = spdiags([-ey, 2*ey, -ey], [-1, 0, 1], ny, ny);
A = kron(Ty, speye(nx)) + kron(speye(ny), Tx);
end
