function values = SLMparts(row, values)
%SLMPARTS  Passes the VALUES of fields or cells on and counts them as loaded in a row of the counters.
analysis = zeros(1, SLM_COUNTERS);
for k = 1:numel(values)
  analysis(SLM_LOADS) = analysis(SLM_LOADS) + SLMbytes(values{k});
end
SLMadd(row, analysis);
end
