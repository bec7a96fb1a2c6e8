function analysis = SLMgiven(f, bytes, varargin)
%SLMGIVEN  Takes back the BYTES of what stands in the parentheses of F(...) where F is a handle of a function that counts
%   for itself or moves nothing. All other handles may call the handles among what follows, which is not analysed.
analysis = zeros(1, SLM_COUNTERS);
if ~isa(f, 'function_handle'), return; end
if any(strcmp(SLMkind(SLMwraps(f)), {'own', 'silent'}))
  analysis(SLM_LOADS) = -bytes;
  return
end
for k = 1:numel(varargin)
  if isa(varargin{k}, 'function_handle'), analysis(SLM_UNANALYSED) = 1; end
end
end
