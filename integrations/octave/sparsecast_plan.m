% A matrix that is multiplied by the fastest way found for it on this machine.
%
%   P = sparsecast_plan (A)                       A: sparse, real or logical; or the name of a file, or "ss:GROUP/NAME"
%   P = sparsecast_plan (A, "iterations", 500)    so many products are to pay for the conversion
%   y = P * x      y = P' * x      Y = P * X      P.info
%
% Options: iterations, threads, vectors, transposed, no_store, device, profile, model, trials, kernels, products, kernel
% (that one, without a forecast). `sparsecast calibrate --quick` measures the machine, once, for better forecasts.
classdef sparsecast_plan
  properties (SetAccess = private)
    info  % rows, cols, nonzeros, kernels, predicted_s (NaN: nothing was forecast), bytes, threads, device, reason
  end
  properties (Access = private)
    handle
    transposed = false
    release  % frees the plan with the last copy of this object
  end
  methods
    function P = sparsecast_plan (A, varargin)
      if (nargin == 0)
        error ("sparsecast:error", "sparsecast: no matrix is given; call sparsecast_plan (A, name, value, ...)");
      end
      if (issparse (A) && islogical (A))
        A = double (A);
      end
      P.handle = sparsecast_mex ("plan", A, varargin{:});
      handle = P.handle;
      P.release = onCleanup (@() sparsecast_mex ("free", handle));
      P.info = sparsecast_mex ("info", handle);
    end
    function y = mtimes (P, x)
      if (! isa (P, "sparsecast_plan"))
        error ("sparsecast:error", "sparsecast: a plan multiplies from the left; x' * A is (P' * x)'");
      end
      y = sparsecast_mex ("times", P.handle, x, P.transposed);
    end
    function P = ctranspose (P)
      P.transposed = ! P.transposed;
    end
    function P = transpose (P)
      P.transposed = ! P.transposed;
    end
    function varargout = size (P, varargin)
      of = [P.info.rows, P.info.cols];
      if (P.transposed)
        of = fliplr (of);
      end
      if (nargin > 1)
        of = [of, 1](min ([varargin{:}], 3));  # size (P, 1, 2) too
        varargout = {of};
        if (nargout > 1)
          varargout = num2cell (of);
        end
      elseif (nargout > 1)
        varargout = num2cell ([of, ones(1, nargout - 2)]);
      else
        varargout = {of};
      end
    end
    function n = length (P)
      n = max (size (P)) * ! isempty (P);
    end
    function yes = isempty (P)
      yes = any (size (P) == 0);
    end
    function yes = issquare (P)
      yes = size (P, 1) == size (P, 2);
    end
    function n = columns (P)
      n = size (P, 2);
    end
    function n = rows (P)
      n = size (P, 1);
    end
    function disp (P)
      printf ("  %d x %d plan: %s\n", size (P, 1), size (P, 2), P.info.reason);
    end
  end
end
