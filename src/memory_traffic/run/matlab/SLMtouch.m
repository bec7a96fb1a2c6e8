function SLMtouch(base, variables, bytes)
%SLMTOUCH  Follows which arrays are read (number > 0) and written (< 0), in which order.
%   For each access it finds the bytes of the distinct arrays touched since the last access to the same one (its stack
%   distance, Mattson et al. 1970) and adds the access to a histogram of distances, whose last bin holds first touches.
global SLM_near SLM_clock SLM_reach
if isempty(SLM_reach), return; end
for k = 1:numel(variables)
  size_k = bytes(k);
  if size_k > 16
    id = base + abs(variables(k));
    if id > size(SLM_near, 1), SLM_near(id, 2) = 0; end
    last = SLM_near(id, 1);
    SLM_clock = SLM_clock + 1;
    if last == 0
      bin = SLM_BINS;
    else
      distance = sum(SLM_near(SLM_near(:, 1) > last, 2)) + size_k;
      bin = min(SLM_BINS - 1, ceil(SLM_BINS_PER_DOUBLING*log2(distance)));
    end
    row = 1 + (variables(k) < 0);
    SLM_reach(row, bin) = SLM_reach(row, bin) + size_k;
    SLM_near(id, :) = [SLM_clock, size_k];
  end
end
end
