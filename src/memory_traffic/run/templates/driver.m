sigterm_dumps_octave_core(false); slm_error = warning('off', 'Octave:shadowed-function');
addpath({}); cd({}); addpath(pwd()); {} warning(slm_error);
try, {};
catch slm_error,
  slm_out = fopen({}, 'w'); fprintf(slm_out, "message\t%s\n", strrep(slm_error.message, "\n", ' '));
  for slm_k = 1:numel(slm_error.stack),
    fprintf(slm_out, "frame\t%s\t%s\t%d\n", slm_error.stack(slm_k).file, slm_error.stack(slm_k).name,
            slm_error.stack(slm_k).line);
  end;
  fclose(slm_out); exit(1);
end;
fflush(stdout); SLMwrite({});
