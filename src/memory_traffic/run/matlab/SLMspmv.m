function SLMspmv(a, turned, columns, bytes)
%SLMSPMV  Notes products of a sparse matrix with vectors, where SLMFOLLOW was called.
%   SLMSPMV(A, TURNED, COLUMNS, BYTES): A (its transpose where TURNED is 1) times as many vectors, counted with so many
%   loaded BYTES. Matrices are told apart by their sizes. The first SLM_OPERANDS are written to files, by rows, for a forecast.
global SLM_products SLM_operands
if isempty(SLM_products), return; end
known = SLM_operands{2};
key = [size(a, 1), size(a, 2), nnz(a), turned];
id = [];
if ~isempty(known), id = find(all(known == repmat(key, size(known, 1), 1), 2), 1); end
if isempty(id)
  id = size(known, 1) + 1;
  if id > SLM_OPERANDS || key(3) > 50000000, return; end
  SLM_operands{2} = [known; key];
  if turned
    [column, row] = find(a);
  else
    [column, row] = find(a.');
  end
  out = fopen(sprintf('%s/operand-%d', SLM_operands{1}, id), 'w');
  if out >= 0
    fwrite(out, key([1 + turned, 2 - turned, 3]), 'int64');
    fwrite(out, row - 1, 'int32');
    fwrite(out, column - 1, 'int32');
    fclose(out);
  end
end
SLM_products(:, id) = SLM_products(:, id) + [columns; bytes];
end
