function SLMwrite(path)
%SLMWRITE  Writes all counters to a file, tab-separated.
%   A line per region (name, calls, the counters of SLMFILE, storage), a line per row of the counters that is not zero
%   (file, number, the counters) and, where accesses were traced, a line per region with the histograms of stack
%   distances of its loads and of its stores, the products with each sparse matrix and their bytes. The last line says
%   how many lines stand before it: without it the file is not whole.
global SLM_count SLM_files SLM_names SLM_totals SLM_far
fflush(stdout);
SLMleave(1, 0, 0);  % what an error has left open
out = fopen(path, 'w');
if out < 0, error('SLMwrite: cannot write %s', path); end
lines = 0;
for k = 1:numel(SLM_names)
  fprintf(out, ['region\t%s', repmat('\t%.17g', 1, SLM_STORAGE), '\n'], SLM_names{k}, SLM_totals(k, :));
  lines = lines + 1;
end
for k = 1:size(SLM_files, 1)
  base = SLM_files{k, 2};
  for row = 1:SLM_files{k, 3}
    if any(SLM_count(base + row, :))
      fprintf(out, ['count\t%s\t%d', repmat('\t%.17g', 1, SLM_COUNTERS), '\n'], SLM_files{k, 1}, row, ...
              SLM_count(base + row, :));
      lines = lines + 1;
    end
  end
end
for k = 1:size(SLM_far, 1)
  fprintf(out, 'reach\t%s', SLM_names{k});
  fprintf(out, '\t%.17g', SLM_far(k, :));
  fprintf(out, '\n');
  lines = lines + 1;
end
fprintf(out, 'end\t%d\n', lines);
fclose(out);
end
