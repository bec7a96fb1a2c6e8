// What a library developer writes first: a matrix of one's own, its structure as text, the kernels, a recommendation,
// and the library's errors.

#include <cstdio>
#include <sparsecast/error.hpp>
#include <sparsecast/kernels.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/recommend.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast/version.hpp>

namespace {

// The recommended kernel of two forecasts: `slow` costs nothing to make, `fast` pays from 100 products on.
std::string recommended(std::int64_t iterations) {
  sparsecast::Forecast slow, fast;
  slow.kernel = "csr";
  slow.seconds = 2e-3;
  slow.preprocess_s = 0;
  fast.kernel = "ell";
  fast.seconds = 1e-3;
  fast.preprocess_s = 0.1;
  return sparsecast::recommend({slow, fast}, iterations).kernel;
}

}  // namespace

int main() {
  if (sparsecast::library_version() != sparsecast::version_text) return 1;
  if (sparsecast::default_threads() < 1 || sparsecast::find_kernel("csr") == nullptr) return 2;

  sparsecast::Csr<std::int32_t, std::int32_t> csr{2, 3, {0, 2, 3}, {0, 2, 1}, {1.0, 2.0, 3.0}};
  const sparsecast::Matrix matrix(std::move(csr), "mine");
  const sparsecast::Structure structure =
      sparsecast::structure_from_json(sparsecast::to_json(sparsecast::analyze(matrix)));
  if (structure.row_max != 2 || structure.nonzeros != 3) return 3;
  if (recommended(50) != "csr" || recommended(200) != "ell") return 4;
  try {
    (void)sparsecast::read_matrix("no-such-file.mtx");
    return 5;
  } catch (const sparsecast::Error& error) {
    if (sparsecast::exit_status(error.code()) != 3) return 6;
    std::printf("sparsecast %s, %zu kernels; %s\n", std::string(sparsecast::library_version()).c_str(),
                sparsecast::kernel_table().size(), error.what());
  }
  return 0;
}
