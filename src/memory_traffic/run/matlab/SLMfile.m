function base = SLMfile(name, rows)
%SLMFILE  Makes room for a program file's counters.
%   BASE = SLMFILE(NAME, ROWS) gives the file NAME the rows BASE+1 ... BASE+ROWS of the global SLM_count. A row holds, in
%   its columns 1 ... SLM_COUNTERS, the bytes loaded, stored, loaded in dense matrix products, loaded in sparse
%   operations; how uncertain the sparse operations are, the dense products, the factorizations and sorts; and the turns
%   of a loop.
global SLM_count SLM_files
base = max(1, size(SLM_count, 1));  % not 0, which is taken for none yet
SLM_count(base+rows+1, SLM_COUNTERS) = 0;
if isempty(SLM_files), SLM_files = cell(0, 3); end
SLM_files(end+1, :) = {name, base, rows};
end
