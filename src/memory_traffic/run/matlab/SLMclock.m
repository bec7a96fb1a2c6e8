function guard = SLMclock(what, path)
%SLMCLOCK  Times the outermost regions of a program that runs as it is.
%   SLMCLOCK('begin') and SLMCLOCK('end') around a region; GUARD = SLMCLOCK('body') in a function, whose region ends when
%   GUARD is cleared. SLMCLOCK('write', PATH) writes the seconds. Where SLM_signal holds an open pipe, whoever listens
%   there is told of each beginning and end.
global SLM_signal
persistent began open spent
if isempty(open)
  open = 0;
  spent = 0;
end
switch what
  case {'begin', 'body'}
    open = open + 1;
    if open == 1
      tell(SLM_signal, 'begin');
      began = tic();
    end
    if strcmp(what, 'body'), guard = onCleanup(@() SLMclock('end')); end
  case 'end'
    if open == 1
      spent = spent + toc(began);
      tell(SLM_signal, 'end');
    end
    open = max(0, open - 1);
  case 'write'
    out = fopen(path, 'w');
    fprintf(out, '%.9g\n', spent);
    fclose(out);
end
end

function tell(pipe, word)
if isempty(pipe), return; end
fprintf(pipe, '%s\n', word);
fflush(pipe);
end
