function guard = SLMguard()
%SLMGUARD  Ends the regions that a function has left open, however it is left: when GUARD goes with its other variables.
global SLM_stack
open = size(SLM_stack, 1);
guard = onCleanup(@() SLMleave(open + 1, 0, 0));
end
