function SLMwrite(path)
%SLMWRITE  Writes all counters to a file: a line per region (name, calls, the eight counters of SLMFILE, storage), a line
%   per counter that is not zero (file, number, the eight) and, where accesses were traced, a line per region with the histogram of stack distances of its loads and of its stores, the products with each
%   sparse matrix and their bytes.
global SLM_count SLM_files SLM_names SLM_totals SLM_far
out = fopen(path, 'w');
if out < 0, error('SLMwrite: cannot write %s', path); end
for k = 1:numel(SLM_names)
  fprintf(out, ['region\t%s', repmat('\t%.17g', 1, 10), '\n'], SLM_names{k}, SLM_totals(k, :));
end
for k = 1:size(SLM_files, 1)
  base = SLM_files{k, 2};
  for row = 1:SLM_files{k, 3}
    if any(SLM_count(base + row, :))
      fprintf(out, ['count\t%s\t%d', repmat('\t%.17g', 1, 8), '\n'], SLM_files{k, 1}, row, SLM_count(base + row, :));
    end
  end
end
for k = 1:size(SLM_far, 1)
  fprintf(out, 'reach\t%s', SLM_names{k});
  fprintf(out, '\t%.17g', SLM_far(k, :));
  fprintf(out, '\n');
end
fprintf(out, 'end\n');
fclose(out);
end
