function analysis = SLMreads(flags, operands)
%SLMREADS  What a function moves to get at its arguments.
%   One flag per argument: v a variable that is loaded, d one that the statement has loaded already, s a slice whose load
%   is counted with the other parts of its variable, t the result of an expression (stored and loaded again), f such a
%   result used as it is produced, - nothing to load.
loads = 0;
stores = 0;
for k = 1:min(numel(flags), numel(operands))
  if flags(k) == 'v'
    loads = loads + SLMbytes(operands{k});
  elseif flags(k) == 't'
    bytes = SLMbytes(operands{k});
    if bytes > 16
      loads = loads + bytes;
      stores = stores + bytes;
    end
  end
end
analysis = zeros(1, SLM_COUNTERS);
analysis(SLM_LOADS) = loads;
analysis(SLM_STORES) = stores;
end
