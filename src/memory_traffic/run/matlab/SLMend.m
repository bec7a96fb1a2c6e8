function last = SLMend(x, k, n)
%SLMEND  What `end` is in the Kth of N subscripts of X: the size along it, along the last one the rest.
last = size(x, k);
if k == n
  last = numel(x);
  for j = 1:n-1
    last = last/max(1, size(x, j));
  end
end
end
