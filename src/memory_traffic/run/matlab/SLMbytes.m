function [bytes, element] = SLMbytes(x, varargin)
%SLMBYTES  What a variable takes in a compiled program.
%   [BYTES, ELEMENT] = SLMBYTES(X) gives the bytes of X and of one of its elements. A sparse matrix counts its values, 32-bit
%   row indices (64-bit where they are too many) and column pointers. Of a list of values the first counts, none is 0.
if nargin < 1
  bytes = 0;
  element = 8;
  return
end
if issparse(x)
  if islogical(x), element = 1; elseif isreal(x), element = 8; else, element = 16; end
  entries = nnz(x);
  index = 4 + 4*(entries > 2147483647);
  bytes = entries*(element + index) + index*(size(x, 2) + 1);
elseif isa(x, 'double')
  if isreal(x), element = 8; else, element = 16; end
  bytes = element*numel(x);
elseif islogical(x) || ischar(x)
  element = 1;
  bytes = numel(x);
elseif isnumeric(x)
  switch class(x)
    case {'int8', 'uint8'}, element = 1;
    case {'int16', 'uint16'}, element = 2;
    case {'int64', 'uint64'}, element = 8;
    otherwise, element = 4;
  end
  if ~isreal(x), element = 2*element; end
  bytes = element*numel(x);
elseif iscell(x) || isstruct(x)
  found = whos('x');
  bytes = found.bytes;
  element = 8;
else
  % A handle or an object: a pointer.
  bytes = 0;
  element = 0;
end
end
