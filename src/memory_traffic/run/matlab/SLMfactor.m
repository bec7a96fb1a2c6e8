function analysis = SLMfactor(flags, operands)
%SLMFACTOR  As SLMWHOLE, of a factorization. How far the factors of a sparse matrix fill up is not known: what is counted is
%   the least.
analysis = SLMwhole(flags, operands);
if ~isempty(operands) && issparse(operands{1})
  analysis(SLM_OPEN_ENDED) = 1;
end
end
