function keyboard(varargin)
%KEYBOARD  Stands in for Octave's own, which would ask a terminal that is not there for ever.
error('keyboard: the program runs without a terminal');
end
