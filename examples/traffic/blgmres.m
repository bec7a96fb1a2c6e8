% Block GMRES with four right-hand sides: the Arnoldi process by blocks, without normalising the blocks.
A = poisson(96, 512);
n = size(A, 1);
width = 4;
blocks = 5;
V = cell(1, blocks + 1);
V{1} = reshape(1 + mod(0:n*width-1, 7), n, width)/n;
%SLM start blgmres;
for j = 1:blocks
  W = 0.1*(A*V{j});
  for i = 1:j
    Q = V{i};
    H = Q'*W;
    W = W - Q*H;
  end
  V{j + 1} = W;
end
%SLM end blgmres;
%SLM print blgmres;
