function analysis = SLMcalled(f, varargin)
%SLMCALLED  What calling a function handle moves.
%   ANALYSIS = SLMCALLED(F, BYTES, ...) counts what an anonymous function holds (a sparse matrix as a sparse operation) and
%   the BYTES of its arguments. Of a named function see SLMNAMED; one that only hands on what it is given moves nothing.
analysis = zeros(1, SLM_COUNTERS);
if ischar(f)
  analysis = SLMnamed(f, varargin{:});
  return
elseif ~isa(f, 'function_handle')
  return
end
info = functions(f);
if ~isfield(info, 'workspace') || ~strncmp(info.function, '@(', 2)
  % A name; a nested function has a workspace, too.
  analysis = SLMnamed(strrep(info.function, '@', ''), varargin{:});
  return
end
if any(strcmp(SLMkind(SLMwraps(f)), {'own', 'silent'})), return; end
arguments = 0;
for k = 1:numel(varargin)
  arguments = arguments + varargin{k};
end
workspace = info.workspace;
if iscell(workspace), workspace = workspace{1}; end
names = fieldnames(workspace);
unknown = SLMbody(info.function, names);
if unknown < 0, return; end
analysis(SLM_UNANALYSED) = unknown;
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
