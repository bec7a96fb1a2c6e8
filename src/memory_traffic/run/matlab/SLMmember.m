function value = SLMmember(value, varargin)
%SLMMEMBER  What a chain of fields and cells leads to.
%   SLMMEMBER(S, @() S.A, @() S.A{2}) asks for each only where what it is of is a struct or a cell, and gives [] else: of
%   an object "S.A" might be a method, which would run.
for k = 1:numel(varargin)
  if ~isstruct(value) && ~iscell(value)
    value = [];
    return
  end
  value = varargin{k}();
end
end
