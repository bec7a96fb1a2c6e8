#pragma once
// What is asked of plan(): which matrix, on which device, for how many products, and how much may be tried. The same
// request makes a Plan (plan.hpp) and the report of one (answers/plan_report.hpp).
//
// Thread safety: the structs are values; threads may share one that none of them changes.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <sparsecast/matrix_input.hpp>
#include <sparsecast/precision.hpp>
#include <sparsecast/progress.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Whether csr blocks on the host take their rows in the order of their lengths within windows, which is undone on
/// output. (sell and jad always do.)
enum class Reorder { never, where_it_pays, always };

/// What is searched for. The defaults are the fastest product, whatever the conversion costs.
struct StrategyOptions {
  /// So many products or fewer are not worth a look at the matrix or a checksum of it: a plan takes some eight of
  /// SciPy's and makes them 1.4 times faster than csr (benchmarks/host-kernels/break-even).
  static constexpr std::int64_t few_products = 39;

  std::int64_t strip_rows = 0;  ///< rows of a strip; 0: S(csr-vector) of the device, for a paper's model a multiple
  /// Minimise the total time of this many products, including the conversion; 0: the time of one product.
  std::int64_t iterations = 0;
  int max_blocks = 0;  ///< largest number of blocks; 0: no limit
  Reorder reorder = Reorder::where_it_pays;
  std::vector<std::string> kernels = {};  ///< blocks and single kernels of these alone; empty: all
  bool always_cut = false;  ///< take the best cut even if its gain is within the uncertainty of the forecast
  /// What is to be fast: Y = A·X for so many vectors side by side, or y = Aᵀ·x, which are forecast from y = A·x. A plan
  /// for either is one kernel for the whole matrix; every plan carries out all products.
  std::int64_t vectors = 1;
  bool transposed = false;
  /// What Planner::structure() of another number of threads found of this matrix; none: it is looked at.
  std::shared_ptr<const Structure> structure = {};
};

/// How often y = A·x and y = Aᵀ·x are taken beside each other.
struct ProductShares {
  double normal = 1, transposed = 0;
  [[nodiscard]] bool both() const { return normal > 0 && transposed > 0; }
};
/// Of "A=1,A.T=1"; what is not named is never taken. Error usage for another text, or where nothing is ever taken.
/// Thread safety: safe from several threads at once.
[[nodiscard]] ProductShares parse_products(std::string_view text);

struct PlanRequest {
  MatrixInput matrix = {};
  std::string device = "host";  ///< host, opencl:N or cuda:N; of a report, the name of a profile too
  /// Read the measurements from this profile file instead of the device's own profile.
  std::filesystem::path profile = {};
  /// Forecasts blocks by this model ("best": the product's own). A paper's is followed wherever it promises a gain, for
  /// one number of threads, and what was observed does not move it.
  std::string model = "best";
  std::string kernel = {};                     ///< on the host: this one for the whole matrix, without a forecast
  Precision precision = Precision::double_;    ///< of the vectors; of a complex matrix, of both parts
  ValueStorage storage = ValueStorage::given;  ///< another: values are rounded to it first, as rounded_to() does
  int threads = 0;                             ///< largest number of host threads; 0: all that the process may use
  /// A square matrix is to be multiplied so many times in a row, A·x … Aᵏ·x, by Plan::apply_powers() and its like,
  /// which are then planned and forecast too; 0: they multiply one product after the other.
  std::int64_t powers = 0;
  StrategyOptions strategy = {};
  std::string trials = "none";  ///< candidates measured before one is taken, as parse_trials() reads it
  /// Products in turns, as parse_products() reads them: "A=1,A.T=1" plans for both. Empty: strategy.transposed says.
  std::string products = {};
  bool no_store = false;  ///< neither use nor keep what was measured on this matrix before
  Listener listener = {};
};

}  // namespace sparsecast
#pragma GCC visibility pop
