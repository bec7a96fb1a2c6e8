% Every construct that an expression or a statement can have.
1;
function varargout = many(n = 2, varargin)
  % default values, variable outputs
  for k = 1:max(1, nargout)
    varargout{k} = n*k + numel(varargin);
  endfor
endfunction
function [a, b] = early(x)
  a = 1; b = 2;
  if x > 1, a = x; return; end
  b = -x;
end
%SLM start all;
a = [1 -2 + 3, 4 ...
     5]';
b = [a' ; 2*a'];  c = {1, 'it''s', "tab\t", @(x) x' * 2; [1 2;3 4], {}, :, @sin}(1, 1:2);
d.x.y(3).z = 7; d.('dyn') = [1, 2](end);
d.x.y(end).z++; e = d.x.y(end).z + 1;
x = 3; x += 2; x ^= 2; x -= 1e1; x++; ++x;
f = 1:3; f(end+1) = 4; f(2) = []; f(:) = f(end:-1:1);
g = ~isempty(f) && (any(f > 2) || error("not reached"));
h = !g | a(1) ~= 2 & x != 3;
[p, q] = early(2); [~, r] = early(0);
[s, t, u] = many(3, 'x', "y");
v = 0; w = 0;
while true
  v++;
  if v == 2, continue, elseif v > 5, break; else w = w + v; end
end
do
  v--;
until v <= 2
for k = {1, 'two'; 3, "four"} w += numel(k); end
for (m = [1 2; 3 4]) w = w + sum(m(:)); endfor
switch 'abc'
  case {'x', 'abc'}
    y = 1;
  otherwise
    y = 2;
end
try
  error('my:id', 'failed %d', 3);
catch err
  z = err.message;
  clear err
end_try_catch
unwind_protect
  aa = 2 ** 3;
unwind_protect_cleanup
  ab = aa .^ 2;
end_unwind_protect
%{
a block comment
%}
ac = double(0x1F) + double(0b101) + 1e-3 + 2.5i;
ad = a.' * a; ae = [1,2;3,4]\[5;6]; af = [1 2]/3; ag = 2^-1'; ah = -2^2;
ai = cellfun(@(v) v*2, {1, 2}, 'UniformOutput', false){2};
aj = fhandle = @(q, w) q + w*x;
ak = fhandle(1, 2);
if x, al = 1, end
format long
format
am = ["abc"; 'def'](2, :);
an = 1:2:7 == [1 3 5 7];
ao = xor(true, !false); # another comment
ap = {}; ap{end+1} = 'q'; ap(end+1) = {2};
ar = [1, 2, 3](:)';
as = {1, 2, 3}; for k = 1:2, as{k} = []; end, as(1) = [];
at.x = {4}; at.x{1} = []; at.y = []; at.z(3) = 1; at.z(3) = [];
eval("au = 1;"); av = "aw = 2;"; eval(av);
global ax; ax = 3; av = "clear -global ax"; eval(av); ay = sum(f);
%SLM end all;
%SLM print all;
