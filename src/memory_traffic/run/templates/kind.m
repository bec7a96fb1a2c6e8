function kind = SLMkind(name)
%SLMKIND  How a function is counted: 'profiled' (the library has an SLM<name>), 'silent', 'own' (of the program, and analysed),
%   'runs' (it runs what it is given), '' (not known).
global SLM_analysed
persistent table
if isempty(table)
  table = struct({});
end
if any(strcmp(name, SLM_analysed))
  kind = 'own';
elseif isfield(table, name)
  kind = table.(name);
else
  kind = '';
end
end
