function [y, analysis] = SLMmtimes(how, a, b, form)
%SLMMTIMES  A*B, and what it moves.
%   [Y, ANALYSIS] = SLMmtimes(FLAGS, A, B, FORM); Y = SLMmtimes({ROW, FLAGS}, A, B, FORM) adds the analysis to a row of the
%   counters instead. FORM tells which operands are transposed, as 'h*', '*t', 'h*h'; capitals
%   where a function is called for it.
if nargin < 4, form = '*'; end
y = product(a, b, form);
form = lower(form);
if iscell(how)
  flags = how{2};
elseif nargout > 1
  flags = how;
else
  return
end
analysis = SLMproduct(flags, a, b, y, [], form);
if issparse(a) ~= issparse(b) && numel(a) > 1 && numel(b) > 1
  if issparse(a)
    SLMspmv(a, form(1) ~= '*', numel(y)/size(y, 1), analysis(SLM_SPARSE));
  else
    % x'*A is A'*x
    SLMspmv(b, form(end) == '*', numel(y)/size(y, 2), analysis(SLM_SPARSE));
  end
end
if iscell(how), SLMadd(how{1}, analysis); end
end

function y = product(a, b, form)
% Capitals: by the functions, which make the transposed matrix first.
switch form(1)
  case 'H', a = ctranspose(a); form(1) = [];
  case 'T', a = transpose(a); form(1) = [];
end
switch form(end)
  case 'H', b = ctranspose(b); form(end) = [];
  case 'T', b = transpose(b); form(end) = [];
end
switch form
  case '*', y = a*b;
  case 'h*', y = a'*b;
  case 't*', y = a.'*b;
  case '*h', y = a*b';
  case '*t', y = a*b.';
  case 'h*h', y = a'*b';
  case 'h*t', y = a'*b.';
  case 't*h', y = a.'*b';
  otherwise, y = a.'*b.';
end
end
