function analysis = SLMused(base, varargin)
%SLMUSED  What reading BASE(...) moves that gave the values that follow.
%   Several parts of one variable in one statement are read together: at most the variable as a whole. Where BASE is a
%   function handle, BASE(...) is a call.
if isa(base, 'function_handle')
  analysis = SLMcalled(base);
  return
end
bytes = SLMbytes(varargin{1});
if numel(varargin) > 1
  for k = 2:numel(varargin)
    bytes = bytes + SLMbytes(varargin{k});
  end
  whole = SLMbytes(base);
  if bytes > whole, bytes = whole; end
end
analysis = zeros(1, SLM_COUNTERS);
analysis(SLM_LOADS) = bytes;
end
