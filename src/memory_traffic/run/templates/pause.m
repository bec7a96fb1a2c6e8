function pause(varargin)
%PAUSE  Stands in for Octave's own, which would wait for a key that nobody presses.
if nargin > 0, builtin('pause', varargin{:}); end
end
