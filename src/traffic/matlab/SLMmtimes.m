function [y, analysis] = SLMmtimes(how, a, b, form)
%SLMMTIMES  A*B, and what it moves.
%   [Y, ANALYSIS] = SLMmtimes(FLAGS, A, B, FORM); Y = SLMmtimes({ROW, FLAGS}, A, B, FORM) adds the analysis to a row of the
%   counters instead. FORM tells which operand is transposed: Octave computes such a product in one step.
if nargin < 4
  y = a*b;
else
  switch form
    case 'h*', y = a'*b;
    case 't*', y = a.'*b;
    case '*h', y = a*b';
    otherwise, y = a*b.';
  end
end
if iscell(how)
  SLMadd(how{1}, SLMproduct(how{2}, a, b, y));
elseif nargout > 1
  analysis = SLMproduct(how, a, b, y);
end
end
