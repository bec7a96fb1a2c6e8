function [count, analysis] = SLMnnz(how, x)
%SLMNNZ  nnz, and what it moves: a sparse matrix knows how many entries it has.
count = nnz(x);
moved = zeros(1, SLM_COUNTERS);
if ~issparse(x)
  flags = how;
  if iscell(how), flags = how{2}; end
  moved = SLMreads(flags, {x});
end
if iscell(how)
  SLMadd(how{1}, moved);
elseif nargout > 1
  analysis = moved;
end
end
