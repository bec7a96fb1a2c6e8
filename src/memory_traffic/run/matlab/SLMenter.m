function frame = SLMenter(name)
%SLMENTER  A region begins.
%   FRAME = SLMENTER(NAME) remembers what has been counted so far. SLMLEAVE takes FRAME when the region ends.
global SLM_count SLM_names SLM_totals SLM_stack SLM_reach SLM_products SLM_marks
if isempty(SLM_names)
  SLM_names = cell(1, 0);
  SLM_totals = zeros(0, SLM_STORAGE);
  SLM_stack = zeros(0, SLM_STORAGE);
end
id = find(strcmp(name, SLM_names), 1);
if isempty(id)
  id = numel(SLM_names) + 1;
  SLM_names{id} = name;
  SLM_totals(id, :) = 0;
end
frame = size(SLM_stack, 1) + 1;
if frame > 100000
  % Calls that ended in errors, which nobody around them has closed.
  SLM_stack = zeros(0, SLM_STORAGE);
  frame = 1;
end
% region, counters at its beginning, storage of what it calls
SLM_stack(frame, :) = [id, sum(SLM_count, 1), 0];
if ~isempty(SLM_reach)
  SLM_marks(frame, 1:SLM_TRACED) = [reshape(SLM_reach.', 1, []), reshape(SLM_products.', 1, [])];
end
end
