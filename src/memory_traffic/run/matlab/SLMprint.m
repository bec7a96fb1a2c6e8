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
t = SLM_totals(id, :)/1e6;
fprintf('Memory analysis for body: %s\n', name);
fprintf('  Total: storage requirement Mbytes (SR):       %12.2f\n', t(10));
fprintf('  Total: loaded from L2 -> L1 Mbytes (WSL):     %12.2f +- %.2f\n', t(2), sum(t(6:8)));
fprintf('  Total: stored Mbytes (WSS):                   %12.2f\n', t(3));
fprintf('  DGEMM Mbytes:                                 %12.2f +- %.2f\n', t(4), t(7));
fprintf('  Sparse operations Mbytes:                     %12.2f +- %.2f\n', t(5), t(6));
end
