function analysis = SLMproduct(flags, a, b, y)
%SLMPRODUCT  What a product, or a division, of A and B with the result Y moves (flags: see SLMREADS).
%   Scaling reads what it scales. An inner product reads its operands as they are produced. All else needs its operands
%   in memory. With a sparse operand it is a sparse operation; how often the other operand is read then depends on the
%   pattern, at best once: its size is the uncertainty. Two matrices make a dense matrix product.
if numel(a) == 1 || numel(b) == 1
  analysis = [0, 0, 0, 0, 0];
  if flags(1) == 'v', analysis(1) = SLMbytes(a); end
  if flags(2) == 'v', analysis(1) = analysis(1) + SLMbytes(b); end
  return
end
bytes_a = SLMbytes(a);
bytes_b = SLMbytes(b);
loads = 0;
stores = 0;
inner = numel(y) == 1 && ~issparse(a) && ~issparse(b);
if flags(1) == 'v'
  loads = bytes_a;
elseif flags(1) == 't' && ~inner
  loads = bytes_a;
  stores = bytes_a;
end
if flags(2) == 'v'
  loads = loads + bytes_b;
elseif flags(2) == 't' && ~inner
  loads = loads + bytes_b;
  stores = stores + bytes_b;
end
analysis = [loads, stores, 0, 0, 0];
if issparse(a) || issparse(b)
  analysis(4) = loads;
  if ~issparse(b)
    analysis(5) = bytes_b;
  elseif ~issparse(a)
    analysis(5) = bytes_a;
  end
elseif min(size(a)) > 1 && min(size(b)) > 1
  analysis(3) = loads;
end
end
