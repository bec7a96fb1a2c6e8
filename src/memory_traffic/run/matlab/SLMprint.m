function SLMprint(name)
%SLMPRINT  Prints the analysis of a region in megabytes (10^6 bytes).
global SLM_names SLM_totals
if ~isempty(getenv('SPARSECAST_TRAFFIC_REPORT'))
  % sparsecast prints the report when the program has ended.
  return
end
id = [];
if ~isempty(SLM_names), id = find(strcmp(name, SLM_names), 1); end
if isempty(id)
  fprintf('Memory analysis: %s has not run\n', name);
  return
end
storage = SLM_totals(id, SLM_STORAGE)/1e6;
t = SLM_totals(id, SLM_FIRST:SLM_LAST)/1e6;
fprintf('Memory analysis for body: %s\n', name);
fprintf('  Total: storage requirement Mbytes (SR):       %12.2f\n', storage);
fprintf('  Total: loaded from L2 -> L1 Mbytes (WSL):     %12.2f +- %.2f\n', t(SLM_LOADS), ...
        t(SLM_SPARSE_DOUBT) + t(SLM_DENSE_DOUBT) + t(SLM_BLOCK_DOUBT));
fprintf('  Total: stored Mbytes (WSS):                   %12.2f\n', t(SLM_STORES));
fprintf('  DGEMM Mbytes:                                 %12.2f +- %.2f\n', t(SLM_DENSE), t(SLM_DENSE_DOUBT));
fprintf('  Sparse operations Mbytes:                     %12.2f +- %.2f\n', t(SLM_SPARSE), t(SLM_SPARSE_DOUBT));
end
