function SLMwrite(path)
%SLMWRITE  Writes all counters to a file: a line per region (name, calls, loads, stores, dense, sparse, uncertainty, storage)
%   and a line per counter that is not zero (file, number, loads, stores, dense, sparse, uncertainty).
global SLM_count SLM_files SLM_names SLM_totals
out = fopen(path, 'w');
if out < 0, error('SLMwrite: cannot write %s', path); end
for k = 1:numel(SLM_names)
  fprintf(out, 'region\t%s\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\n', SLM_names{k}, SLM_totals(k, :));
end
for k = 1:size(SLM_files, 1)
  base = SLM_files{k, 2};
  for row = 1:SLM_files{k, 3}
    if any(SLM_count(base + row, :))
      fprintf(out, 'count\t%s\t%d\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\n', SLM_files{k, 1}, row, SLM_count(base + row, :));
    end
  end
end
fprintf(out, 'end\n');
fclose(out);
end
