function analysis = SLMcalled(f, varargin)
%SLMCALLED  What calling a function handle moves.
%   ANALYSIS = SLMCALLED(F, BYTES, ...) counts what an anonymous function holds (a sparse matrix as a sparse operation) and
%   the BYTES of its arguments. Named functions count for themselves.
analysis = zeros(1, SLM_COUNTERS);
if ~isa(f, 'function_handle'), return; end
info = functions(f);
if ~isfield(info, 'workspace'), return; end
arguments = 0;
for k = 1:numel(varargin)
  arguments = arguments + varargin{k};
end
workspace = info.workspace;
if iscell(workspace), workspace = workspace{1}; end
names = fieldnames(workspace);
sparse_held = 0;
held = 0;
for k = 1:numel(names)
  value = workspace.(names{k});
  if issparse(value)
    sparse_held = sparse_held + SLMbytes(value);
    SLMspmv(value, 0, 1, SLMbytes(value) + arguments);
  elseif isa(value, 'function_handle')
    analysis = analysis + SLMcalled(value);
  elseif isnumeric(value) || islogical(value)
    held = held + SLMbytes(value);
  end
end
analysis(SLM_LOADS) = analysis(SLM_LOADS) + sparse_held + held + arguments;
if sparse_held > 0
  analysis(SLM_SPARSE) = analysis(SLM_SPARSE) + sparse_held + arguments;
  analysis(SLM_SPARSE_DOUBT) = analysis(SLM_SPARSE_DOUBT) + arguments;
end
end
