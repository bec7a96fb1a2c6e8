function analysis = SLMgiven(f, bytes)
%SLMGIVEN  Takes back the BYTES of what stands in the parentheses of F(...) where F is a handle of a function that counts
%   for itself or moves nothing.
analysis = zeros(1, SLM_COUNTERS);
if isa(f, 'function_handle') && any(strcmp(SLMkind(SLMwraps(f)), {'own', 'silent'}))
  analysis(SLM_LOADS) = -bytes;
end
end
