function analysis = SLMproduct(flags, a, b, y, solved, form)
%SLMPRODUCT  What a product, or a division, of A and B with the result Y moves (flags: see SLMREADS).
%   Scaling reads what it scales. An inner product reads its operands as they are produced. All else needs its operands
%   in memory. With a sparse operand it is a sparse operation; how often the other operand is read then depends on the
%   pattern, at best once: its size is the uncertainty. Two matrices make a dense matrix product, at best read once; one
%   that multiplies blocks of 36 × 36 (three of them fill 32 KB) reads each operand once for every such block of the
%   other: what is beyond once is the uncertainty. SOLVED is the operand, 1 or 2, that a division factorizes in such
%   blocks: it is then read n/108 times. A sparse one that is not triangular fills its envelope at most, where nothing is
%   exchanged: that is the uncertainty, and the count the least. Of two sparse matrices the first is at best read once, and
%   column by column as often as the second has entries in the row (Gustavson 1978). FORM: see SLMMTIMES.
analysis = zeros(1, SLM_COUNTERS);
if numel(a) == 1 || numel(b) == 1
  if flags(1) == 'v', analysis(SLM_LOADS) = SLMbytes(a); end
  if flags(2) == 'v', analysis(SLM_LOADS) = analysis(SLM_LOADS) + SLMbytes(b); end
  return
end
bytes_a = SLMbytes(a);
bytes_b = SLMbytes(b);
loads = 0;
stores = 0;
parts = 0;
if flags(1) == 's', parts = bytes_a; end
if flags(2) == 's', parts = parts + bytes_b; end
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
analysis(SLM_LOADS) = loads;
analysis(SLM_STORES) = stores;
if issparse(a) || issparse(b)
  analysis(SLM_SPARSE) = loads + parts;
  if issparse(a) && issparse(b) && (nargin < 5 || isempty(solved))
    if nargin < 6, form = '*'; end
    analysis(SLM_SPARSE_DOUBT) = max(0, columns_read(a, b, form) - bytes_a);
  elseif ~issparse(b)
    analysis(SLM_SPARSE_DOUBT) = bytes_b;
  elseif ~issparse(a)
    analysis(SLM_SPARSE_DOUBT) = bytes_a;
  end
  if nargin > 4 && ~isempty(solved)
    factored = a;
    if solved == 2, factored = b; end
    if issparse(factored) && ~istriu(factored) && ~istril(factored)
      analysis(SLM_SPARSE_DOUBT) = analysis(SLM_SPARSE_DOUBT) + max(0, SLMenvelope(factored) - SLMbytes(factored));
      analysis(SLM_OPEN_ENDED) = 1;
    end
  end
elseif min(size(a)) > 1 && min(size(b)) > 1
  analysis(SLM_DENSE) = loads + parts;
end
if ~issparse(a) && ~issparse(b)
  if nargin > 4 && ~isempty(solved)
    n = size(a, 1);
    bytes = bytes_a;
    if solved == 2
      n = size(b, 2);
      bytes = bytes_b;
    end
    analysis(SLM_BLOCK_DOUBT) = max(0, n/108 - 1)*bytes;
  elseif analysis(SLM_DENSE) > 0
    analysis(SLM_DENSE_DOUBT) = max(0, ceil(size(y, 2)/36) - 1)*bytes_a + max(0, ceil(size(y, 1)/36) - 1)*bytes_b;
  end
end
end

function bytes = columns_read(a, b, form)
if form(1) ~= '*'
  in_columns = full(sum(spones(a), 2)).';  % of the transposed
else
  in_columns = full(sum(spones(a), 1));
end
if form(end) ~= '*'
  in_rows = full(sum(spones(b), 1)).';
else
  in_rows = full(sum(spones(b), 2));
end
bytes = SLMbytes(a)/max(1, nnz(a))*(in_columns*in_rows);
end
