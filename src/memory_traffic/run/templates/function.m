function varargout = SLM{0}(how, varargin)
{1}if iscell(how)
  varargout = cell(1, max(nargout, 1));
  [varargout{{:}}] = {0}(varargin{{:}});
  SLMadd(how{{1}}, {2}(how{{2}}, varargin));
else
  varargout = cell(1, nargout);
  [varargout{{1:nargout-1}}] = {0}(varargin{{:}});
  varargout{{nargout}} = {2}(how, varargin);
end
end
