%SLM{0}  {1}, and what it moves.
%   [..., ANALYSIS] = SLM{1}(FLAGS, ...) gives the analysis as one more output, ... = SLM{1}({{ROW, FLAGS}}, ...) adds it
%   to a row of the counters. Flags: see SLMREADS.
