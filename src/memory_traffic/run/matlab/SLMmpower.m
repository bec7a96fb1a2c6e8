function [y, analysis] = SLMmpower(how, a, b)
%SLMMPOWER  A^B, and what it moves.
%   [Y, ANALYSIS] = SLMmpower(FLAGS, A, B); Y = SLMmpower({ROW, FLAGS}, A, B) adds the analysis to a row of the
%   counters instead.
y = a^b;
if iscell(how)
  SLMadd(how{1}, SLMproduct(how{2}, a, b, y));
elseif nargout > 1
  analysis = SLMproduct(how, a, b, y);
end
end
