#pragma once
// compare: every machine that is known, ranked for matrices.

#include <optional>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/places.hpp>
#include <sparsecast/tier.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The machines to rank, the matrices, and the criterion.
struct CompareRequest {
  std::vector<MatrixInput> matrices = {};  ///< matrices, their files or structures: nothing is multiplied
  /// "all", or names and descriptions' files (.json) of machines; "NAME=FILE" adds products measured there, as
  /// PredictRequest::anchors.
  std::vector<std::string> devices = {"all"};
  std::int64_t iterations = 1;  ///< rank by the total time of this many products, including conversion and upload
  /// Rank by iterations of this method ("cg", "gmres:30", …) instead of products; empty: products.
  std::string solver = {};
  /// Rank by money: a JSON file of prices per hour by machine, in any currency; "all" are then those with a price.
  std::filesystem::path cost = {};
  Precision precision = Precision::double_;  ///< precision of the values and vectors
  int threads = 0;                           ///< host threads; 0: one per available core
  Places places = Places::spread;            ///< of a described processor: how fewer threads than it has cores lie
  Listener listener = {};
};

/// One machine's place for one matrix.
struct MachinePlace {
  std::string device = {};
  Tier tier = Tier::measured;               ///< what the forecast rests on, as Profile::tier
  std::string kernel = {};                  ///< kernel that finishes first there
  double seconds = 0;                       ///< time of one product
  double low_s = 0, high_s = 0;             ///< 90 % interval
  double total_s = 0;                       ///< time of the products, the conversion and the upload
  std::optional<double> preprocess_s = {};  ///< of the conversion, of a solver the set-up; nothing: not known
  std::optional<double> cost = {};          ///< cost of total_s at the machine's price; nothing without prices
  double upload_s = 0;                      ///< time to upload the format once, if the device has its own memory
  bool extrapolated = false;  ///< true: the matrix lies outside everything that was measured for this forecast
  double gflops = 0;          ///< rate in Gflop/s: 2 × nonzeros / seconds / 10⁹
  std::optional<std::int64_t> bytes = {};  ///< storage of the format in bytes
  bool fits = true;                        ///< true: the format and the vectors fit into the device's memory
  std::string bound_by = {};               ///< the term that limits the time; empty if the model has no terms
  double roof_share = 0;                   ///< of the bandwidth on the data sheet, if every byte were moved once
  /// That it finishes before the next one, with prices that it costs less; nothing for the last.
  std::optional<double> faster_probability = {};
  /// Of a library's kernel: the versions, or years, that it was learned of.
  std::optional<std::string> learned_of = {};
  bool tie = false;  ///< the first is faster, or cheaper, with a probability below four fifths
};

/// One product that is worth measuring.
struct WorthMeasuring {
  std::string matrix = {};  ///< as `sparsecast probe --for` makes it
  std::string kernel = {};  ///< to multiply it with
  std::int64_t rows = 0, nonzeros = 0;
};

/// What would make the first place surer.
struct MeasureNext {
  std::string device = {};  ///< machine to measure: one of the first two
  double doubt = 0;         ///< probability that the second machine finishes before the first
  double doubt_after = 0;   ///< the same, in the mean over what the measurements may tell
  /// At most sixteen, what teaches most first; fewer where they halve the doubt.
  std::vector<WorthMeasuring> products = {};
};

/// The machines ranked for one matrix.
struct MatrixRanking {
  MatrixSize matrix = {};
  std::vector<MachinePlace> ranking = {};  ///< machines, best first; those whose memory is too small come last
  /// Where the first place is in doubt and a GPU is known by its data sheet alone.
  std::optional<MeasureNext> measure_next = {};
};

/// A machine over all matrices.
struct MachineTotal {
  std::string device = {};
  Tier tier = Tier::measured;  ///< what the forecasts rest on, as Profile::tier
  int matrices = 0;            ///< with a forecast there
  int first = 0;               ///< of them, where it is first
  int tied = 0;                ///< number of matrices for which it cannot be told apart from the first
  /// Geometric mean over the matrices of its time, with prices its cost, over the first one's.
  double mean_ratio = 1;
  double total_s = 0;               ///< total time over all matrices
  std::optional<double> cost = {};  ///< total cost over all matrices; nothing without prices
  bool fits = true;                 ///< every matrix fits
};

/// Result of compare(): the machines ranked for each matrix, and over all of them.
struct Comparison {
  std::int64_t iterations = 1;               ///< number of products, or of iterations of the solver
  Precision precision = Precision::double_;  ///< precision of the values and vectors
  std::vector<MatrixRanking> matrices = {};
  std::vector<MachineTotal> summary = {};  ///< over all matrices, best first
  std::string solver = {};                 ///< method whose iterations are ranked; empty for plain products
};

/// Ranks machines for matrices, by time or by money. A machine whose profile has no records in this precision is left
/// out with a remark where all are asked for. Error usage for an unknown machine or method, unavailable for a method
/// that is not ranked; errors of reading a matrix or prices; usage where one of the named machines has none.
/// Thread safety: safe from several threads at once; a machine's models are fitted once and shared.
[[nodiscard]] Comparison compare(const CompareRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
