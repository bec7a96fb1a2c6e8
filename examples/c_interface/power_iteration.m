% The greatest eigenvalue of a matrix by power iteration with a planned product: power_iteration (A), a sparse matrix or
% the name of a file. sparsecast_plan is installed in lib/sparsecast/octave: addpath it.
function [lambda, products] = power_iteration (A)
  P = sparsecast_plan (A, "iterations", 500);
  x = ones (columns (P), 1) / sqrt (columns (P));
  lambda = 0;
  for products = 1:10000
    y = P * x;
    before = lambda;
    lambda = x' * y;
    x = y / norm (y);
    if (abs (lambda - before) <= 1e-12 * abs (lambda))
      break
    end
  end
end
