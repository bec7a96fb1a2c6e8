sigterm_dumps_octave_core(false); slm_error = warning('off', 'Octave:shadowed-function');
addpath({}); cd({}); addpath(pwd()); {} warning(slm_error);
try, {};
catch slm_error, SLMfailed(slm_error, {});
end;
SLMwrite({});
