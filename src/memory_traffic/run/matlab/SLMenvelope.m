function bytes = SLMenvelope(a)
%SLMENVELOPE  What the triangular factors of a sparse matrix take that fill its envelope (George, Liu 1981, chapter 4), in
%   the order in which its rows stand.
[i, j] = find(a);
i = i(:);
j = j(:);
n = max(size(a));
k = (1:n).';
below = max(0, accumarray(j, i, [n, 1], @max) - k);
right = max(0, accumarray(i, j, [n, 1], @max) - k);
bytes = 12*(sum(below) + sum(right) + n);
end
