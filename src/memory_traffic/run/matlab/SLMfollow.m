function SLMfollow(folder)
%SLMFOLLOW  From here on the order of accesses is followed (see SLMTOUCH) and sparse products are noted (see SLMSPMV).
%   FOLDER is where the sparse matrices are written.
global SLM_near SLM_clock SLM_reach SLM_products SLM_operands
SLM_near = zeros(0, 2);
SLM_clock = 0;
% loads and stores by stack distance
SLM_reach = zeros(2, SLM_BINS);
% for each sparse matrix: how often it multiplied a vector, and the bytes that were counted for that
SLM_products = zeros(2, SLM_OPERANDS);
SLM_operands = {folder, zeros(0, 4)};
end
