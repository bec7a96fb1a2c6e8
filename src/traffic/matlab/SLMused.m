function analysis = SLMused(base, value)
%SLMUSED  What reading BASE(...) moves that gave VALUE: its bytes, or what a call moves where BASE is a function handle.
if isa(base, 'function_handle')
  analysis = SLMcalled(base);
else
  analysis = [SLMbytes(value), 0, 0, 0, 0];
end
end
