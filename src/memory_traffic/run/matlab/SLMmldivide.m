function [y, analysis] = SLMmldivide(how, a, b, form)
%SLMMLDIVIDE  A\B, and what it moves.
%   [Y, ANALYSIS] = SLMmldivide(FLAGS, A, B, FORM); Y = SLMmldivide({ROW, FLAGS}, A, B, FORM) adds the analysis to a row of the
%   counters instead. FORM tells which operand is transposed: Octave computes such a product in one step.
if nargin < 4
  y = a\b;
else
  switch form(1)
    case 'h', y = a'\b;
    case 't', y = a.'\b;
    case 'H', y = ctranspose(a)\b;
    otherwise, y = transpose(a)\b;
  end
end
if iscell(how)
  SLMadd(how{1}, SLMproduct(how{2}, a, b, y, 1));
elseif nargout > 1
  analysis = SLMproduct(how, a, b, y, 1);
end
end
