function [y, analysis] = SLMmpower(how, a, b)
%SLMMPOWER  A^B, and what it moves.
%   [Y, ANALYSIS] = SLMmpower(FLAGS, A, B); Y = SLMmpower({ROW, FLAGS}, A, B) adds the analysis to a row of the
%   counters instead.
%   How the products of a matrix's power are made is not known: what is counted is the least.
y = a^b;
if iscell(how)
  SLMadd(how{1}, counted(how{2}, a, b, y));
elseif nargout > 1
  analysis = counted(how, a, b, y);
end
end

function analysis = counted(flags, a, b, y)
analysis = SLMproduct(flags, a, b, y);
if numel(y) > 1, analysis(SLM_OPEN_ENDED) = 1; end
end
