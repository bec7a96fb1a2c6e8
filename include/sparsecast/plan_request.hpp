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

/// Whether csr blocks on the host process their rows in order of length within windows. The output is in the original
/// order. (sell and jad always sort their rows.)
enum class Reorder { never, where_it_pays, always };

/// What the planner searches for. By default it is the fastest product, whatever the conversion costs.
struct StrategyOptions {
  /// For this number of products or fewer, neither an analysis of the matrix nor a checksum pays: a plan takes as long
  /// as some eight of SciPy's products and makes them 1.4 times faster than csr (benchmarks/host-kernels/break-even).
  static constexpr std::int64_t few_products = 39;

  std::int64_t strip_rows = 0;  ///< rows of a strip; 0: S(csr-vector) of the device, for a paper's model a multiple
  /// Minimise the total time of this many products, including the conversion; 0: the time of one product.
  std::int64_t iterations = 0;
  int max_blocks = 0;  ///< largest number of blocks; 0: no limit
  Reorder reorder = Reorder::where_it_pays;
  std::vector<std::string> kernels = {};  ///< kernels to choose from; empty: all
  bool always_cut = false;  ///< take the best cut even if its gain is within the uncertainty of the forecast
  /// Which product to make fast: Y = A·X for this number of vectors, or y = Aᵀ·x. Their forecasts are derived from that
  /// of y = A·x. A plan for either uses one kernel for the whole matrix. Every plan computes all products.
  std::int64_t vectors = 1;
  bool transposed = false;
  /// Result of Planner::structure() for this matrix with another number of threads; none: the matrix is analysed.
  std::shared_ptr<const Structure> structure = {};
};

/// How often y = A·x and y = Aᵀ·x are computed, relative to each other.
struct ProductShares {
  double normal = 1, transposed = 0;
  [[nodiscard]] bool both() const { return normal > 0 && transposed > 0; }
};
/// Reads a text such as "A=1,A.T=1". A product that is not named is never computed. Error usage for another text (one
/// that names a product twice, too), or if no product is ever computed.
/// Thread safety: safe from several threads at once.
[[nodiscard]] ProductShares parse_products(std::string_view text);

struct PlanRequest {
  MatrixInput matrix = {};
  std::string device = "host";  ///< host, opencl:N or cuda:N; for a report, also the name of a profile
  /// Read the measurements from this profile file instead of the device's own profile.
  std::filesystem::path profile = {};
  /// Model that forecasts the blocks ("best": the library's own). A paper's model is followed wherever it promises a
  /// gain, for one number of threads; observed products do not move its forecasts.
  std::string model = "best";
  /// Kernel for the whole matrix, on the host, without a forecast. Trials, strips and cuts beside it are Error usage; a
  /// profile is without effect, which the listener is told.
  std::string kernel = {};
  Precision precision = Precision::double_;    ///< precision of the vectors; for a complex matrix, of both parts
  ValueStorage storage = ValueStorage::given;  ///< any other: round the values to it first, as rounded_to() does
  int threads = 0;                             ///< largest number of host threads; 0: all that the process may use
  /// Number of times in a row that a square matrix multiplies, A·x … Aᵏ·x, in Plan::apply_powers() and the similar
  /// calls, which are then planned and forecast too. 0: these calls compute one product after the other.
  std::int64_t powers = 0;
  StrategyOptions strategy = {};
  std::string trials = "none";  ///< candidates measured before one is taken, as parse_trials() reads it
  /// Products taken in turns, as parse_products() reads them: "A=1,A.T=1" plans for both. Empty: as
  /// strategy.transposed says; both together are Error usage.
  std::string products = {};
  bool no_store = false;  ///< true: neither use nor keep measurements of this matrix
  Listener listener = {};
};

}  // namespace sparsecast
#pragma GCC visibility pop
