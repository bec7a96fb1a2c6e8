function bytes = SLMpart(x, varargin)
%SLMPART  What the part X(subscripts) takes in a compiled program.
[~, element] = SLMbytes(x);
bytes = element*SLMspan(x, varargin{:});
end
