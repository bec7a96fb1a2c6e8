function SLMadd(row, analysis)
%SLMADD  Adds an analysis to a row of the counters.
global SLM_count
SLM_count(row, :) = SLM_count(row, :) + analysis;
end
