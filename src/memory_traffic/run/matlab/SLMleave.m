function SLMleave(frame, own, given)
%SLMLEAVE  A region ends.
%   SLMLEAVE(FRAME, OWN, GIVEN) adds what was counted since SLMENTER to the region's totals. OWN and GIVEN are the bytes of
%   its variables and of its parameters (whose storage belongs to the caller as well). Regions that were left by an error
%   since then end here, too.
global SLM_count SLM_totals SLM_stack SLM_reach SLM_products SLM_marks SLM_far
top = size(SLM_stack, 1);
if top < frame, return; end
now = sum(SLM_count, 1);
for k = top:-1:frame
  id = SLM_stack(k, 1);
  calls = SLM_stack(k, SLM_STORAGE);
  if k == frame
    storage = own + given + calls;
    passed = own + calls;
  else
    storage = calls;
    passed = calls;
  end
  if ~any(SLM_stack(1:k-1, 1) == id)
    % A function that calls itself counts once.
    counters = SLM_FIRST:SLM_LAST;
    SLM_totals(id, counters) = SLM_totals(id, counters) + now - SLM_stack(k, counters);
    if ~isempty(SLM_reach)
      if size(SLM_far, 1) < id, SLM_far(id, SLM_TRACED) = 0; end
      traced = [reshape(SLM_reach.', 1, []), reshape(SLM_products.', 1, [])];
      SLM_far(id, :) = SLM_far(id, :) + traced - SLM_marks(k, :);
    end
  end
  SLM_totals(id, 1) = SLM_totals(id, 1) + 1;
  SLM_totals(id, SLM_STORAGE) = max(SLM_totals(id, SLM_STORAGE), storage);
  if k > 1
    SLM_stack(k-1, SLM_STORAGE) = max(SLM_stack(k-1, SLM_STORAGE), passed);
  end
end
SLM_stack(frame:top, :) = [];
end
