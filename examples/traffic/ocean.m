function [ocean, C] = ocean(nx, ny)
% The barotropic operator of an ocean model on nx by ny points: which points are ocean, and nine coefficients for each.
% The continents are two ellipses; their share of the grid is what makes the compressed system as large as the paper's.
[I, J] = ndgrid((1:nx)/nx, (1:ny)/ny);
land = ((I - 0.28)/0.20).^2 + ((J - 0.55)/0.346).^2 < 1 | ((I - 0.76)/0.17).^2 + ((J - 0.45)/0.308).^2 < 1;
ocean = ~land;
ocean([1, nx], :) = false;
ocean(:, [1, ny]) = false;
C = cell(3, 3);
for di = -1:1
  for dj = -1:1
    both = ocean & circshift(ocean, [-di, -dj]);
    C{di + 2, dj + 2} = -0.1*both;
  end
end
C{2, 2} = 1.0*ocean;
end
