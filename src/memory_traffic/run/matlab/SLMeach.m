function analysis = SLMeach(f, varargin)
%SLMEACH  What cellfun and arrayfun move: F called for each element of the arrays or cells that follow.
%   The elements are read once, what F holds is read for each.
bytes = 0;
for k = 1:numel(varargin)
  if iscell(varargin{k})
    for j = 1:numel(varargin{k})
      bytes = bytes + SLMbytes(varargin{k}{j});
    end
  else
    bytes = bytes + SLMbytes(varargin{k});
  end
end
calls = numel(varargin{1});
if ischar(f)
  analysis = SLMnamed(f, bytes);
  analysis(SLM_UNANALYSED) = calls*analysis(SLM_UNANALYSED);
else
  held = SLMcalled(f);
  analysis = SLMcalled(f, bytes) + (calls - 1)*held;
end
end
