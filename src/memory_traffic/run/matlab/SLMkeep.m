function SLMkeep(what)
%SLMKEEP  Brings the counters over whatever clears global variables: SLMKEEP('keep') in front, SLMKEEP('restore') behind it.
persistent kept
mlock();
global SLM_count SLM_files SLM_names SLM_totals SLM_stack SLM_near SLM_clock SLM_reach SLM_marks SLM_far SLM_products SLM_operands SLM_analysed
if strcmp(what, 'keep')
  kept = {SLM_count, SLM_files, SLM_names, SLM_totals, SLM_stack, SLM_near, SLM_clock, SLM_reach, SLM_marks, SLM_far, ...
          SLM_products, SLM_operands, SLM_analysed};
elseif isempty(SLM_count) && ~isempty(kept{1})
  [SLM_count, SLM_files, SLM_names, SLM_totals, SLM_stack, SLM_near, SLM_clock, SLM_reach, SLM_marks, SLM_far, ...
   SLM_products, SLM_operands, SLM_analysed] = kept{:};
  for k = 1:size(SLM_files, 1)
    eval(sprintf('global SLM_%s; SLM_%s = %d;', SLM_files{k, 1}, SLM_files{k, 1}, SLM_files{k, 2}));
  end
end
end
