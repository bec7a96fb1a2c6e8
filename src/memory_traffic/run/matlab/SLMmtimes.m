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
  flags = how{2};
elseif nargout > 1
  flags = how;
else
  return
end
if nargin < 4, form = '--'; end
analysis = SLMproduct(flags, a, b, y, [], form);
if issparse(a) ~= issparse(b) && numel(a) > 1 && numel(b) > 1
  left = nargin > 3 && form(2) == '*';
  if issparse(a)
    SLMspmv(a, left, numel(y)/size(y, 1), analysis(SLM_LOADS));
  else
    % x'*A is A'*x
    SLMspmv(b, nargin < 4 || left, numel(y)/size(y, 2), analysis(SLM_LOADS));
  end
end
if iscell(how), SLMadd(how{1}, analysis); end
end
