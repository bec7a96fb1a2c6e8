function count = SLMbody(text, known)
%SLMBODY  How many calls in the TEXT of an anonymous function are of functions that nothing analyses; -1 where it only hands
%   on what it is given. KNOWN are the names of what it holds.
persistent texts counts
if isempty(texts), texts = cell(1, 0); counts = zeros(1, 0); end
at = find(strcmp(text, texts), 1);
if ~isempty(at)
  count = counts(at);
  return
end
parameters = regexp(text, '^@\(([^)]*)\)', 'tokens', 'once');
if isempty(parameters), parameters = {''}; end
known = [known(:).', regexp(parameters{1}, '\w+', 'match')];
body = strtrim(regexprep(text, '^@\([^)]*\)', ''));
if ~isempty(regexp(body, '^\w+$', 'once'))
  count = -1;
else
  body = regexprep(body, '(?<![\w\)\]\}''])''[^'']*''|"[^"]*"', '');
  count = 0;
  called = regexp(body, '(?<![\w.@])([A-Za-z]\w*)\s*\(', 'tokens');
  for k = 1:numel(called)
    if ~any(strcmp(called{k}{1}, known)) && any(strcmp(SLMkind(called{k}{1}), {'', 'runs'}))
      count = count + 1;
    end
  end
end
if numel(texts) < 1000
  texts{end+1} = text;
  counts(end+1) = count;
end
end
