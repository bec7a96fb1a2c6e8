// What a library developer writes first: a matrix of one's own, its structure, and the library's errors.

#include <cstdio>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/structure.hpp>

int main() {
  sparsecast::Csr<std::int32_t, std::int32_t> csr{2, 3, {0, 2, 3}, {0, 2, 1}, {1.0, 2.0, 3.0}};
  const sparsecast::Matrix matrix(std::move(csr), "mine");
  const sparsecast::Structure structure = sparsecast::analyze(matrix);
  try {
    (void)sparsecast::read_matrix("no-such-file.mtx");
    return 1;
  } catch (const sparsecast::Error& error) {
    std::printf("%lld non-zeros, longest row %lld; %s\n", static_cast<long long>(structure.nonzeros),
                static_cast<long long>(structure.row_max), error.what());
  }
  return structure.row_max == 2 && structure.nonzeros == 3 ? 0 : 1;
}
