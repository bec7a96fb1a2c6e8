function SLMfailed(failure, path)
%SLMFAILED  Writes the error that ended the program to a file, and ends Octave.
out = fopen(path, 'w');
fprintf(out, "message\t%s\n", strrep(failure.message, "\n", ' '));
for k = 1:numel(failure.stack)
  fprintf(out, "frame\t%s\t%s\t%d\n", failure.stack(k).file, failure.stack(k).name, failure.stack(k).line);
end
fclose(out);
exit(1);
end
