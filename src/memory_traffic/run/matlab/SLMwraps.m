function name = SLMwraps(f)
%SLMWRAPS  The function that a handle calls with what it is given and holds, as @f and @(x) f(A, x) do; '' for all else.
info = functions(f);
name = info.function;
if ~strncmp(name, '@(', 2)
  name = strrep(name, '@', '');
  return
end
called = regexp(name, '^@\([^)]*\)\s*([A-Za-z]\w*)\s*\(([\w\s,.]*)\)$', 'tokens', 'once');
name = '';
if ~isempty(called), name = called{1}; end
end
