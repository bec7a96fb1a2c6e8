function analysis = SLMnamed(name, varargin)
%SLMNAMED  What calling the function NAME moves, whose arguments have so many BYTES each.
analysis = zeros(1, SLM_COUNTERS);
switch SLMkind(name)
  case 'profiled'
    for k = 1:numel(varargin)
      analysis(SLM_LOADS) = analysis(SLM_LOADS) + varargin{k};
    end
  case {'own', 'silent'}
    % Counts for itself, or moves nothing.
  otherwise
    analysis(SLM_UNANALYSED) = 1;
end
end
