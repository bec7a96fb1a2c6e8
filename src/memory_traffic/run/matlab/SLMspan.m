function count = SLMspan(x, varargin)
%SLMSPAN  How many elements X(subscripts) has; ':' stands for a whole dimension.
count = 1;
n = numel(varargin);
for k = 1:n
  s = varargin{k};
  if ischar(s) && numel(s) == 1 && s == ':'
    if n == 1
      count = numel(x);
    elseif k < n
      count = count*size(x, k);
    else
      count = count*numel(x)/max(1, prod_of_leading(x, n));
    end
  elseif islogical(s)
    count = count*nnz(s);
  else
    count = count*numel(s);
  end
end
end

function p = prod_of_leading(x, n)
p = 1;
for k = 1:n-1
  p = p*size(x, k);
end
end
