function [y, analysis] = SLMmrdivide(how, a, b)
%SLMMRDIVIDE  A/B, and what it moves.
%   [Y, ANALYSIS] = SLMmrdivide(FLAGS, A, B); Y = SLMmrdivide({ROW, FLAGS}, A, B) adds the analysis to a row of the
%   counters instead.
y = a/b;
if iscell(how)
  SLMadd(how{1}, SLMproduct(how{2}, a, b, y, 2));
elseif nargout > 1
  analysis = SLMproduct(how, a, b, y, 2);
end
end
