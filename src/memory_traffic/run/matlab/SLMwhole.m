function analysis = SLMwhole(flags, operands)
%SLMWHOLE  As SLMREADS, of a function that works on an argument as a whole: a factorization, a sort.
%   At best it reads it once. A factorization in blocks of 36 × 36 reads a matrix n/108 times, a merging sort a vector
%   once for every factor of two by which it exceeds 32 KB: what is beyond once is the uncertainty.
analysis = SLMreads(flags, operands);
if isempty(operands) || issparse(operands{1}) || ~isnumeric(operands{1}), return; end
bytes = SLMbytes(operands{1});
if min(size(operands{1})) > 1
  passes = min(size(operands{1}))/108;
else
  passes = log2(max(1, bytes/32768));
end
analysis(SLM_BLOCK_DOUBT) = max(0, passes - 1)*bytes;
end
