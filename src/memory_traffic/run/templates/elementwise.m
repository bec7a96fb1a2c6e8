function [y, analysis] = SLM{0}(how, varargin)
{1}y = {0}(varargin{{:}});
if iscell(how)
  SLMadd(how{{1}}, SLMreads(how{{2}}, varargin));
elseif nargout > 1
  analysis = SLMreads(how, varargin);
end
end
