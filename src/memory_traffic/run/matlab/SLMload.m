function value = SLMload(row, base, value)
%SLMLOAD  Passes VALUE on and counts it as loaded from BASE in a row of the counters.
SLMadd(row, SLMused(base, value));
end
