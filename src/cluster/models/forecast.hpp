#pragma once
// Forecasts of one iteration on a cluster: the models by name, and what they say of a matrix in every scheme, format
// and number of processes.

#include <map>

#include "base/progress.hpp"
#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
/// One of the models, fitted to a profile.
class ClusterModel {
 public:
  virtual ~ClusterModel() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// nullopt where the model has no form for the scheme or the profile lacks what it needs.
  [[nodiscard]] virtual std::optional<ClusterForecast> forecast(const SchemeFeatures& features,
                                                                LocalFormat format) const = 0;
  /// Logarithms of measured over forecast seconds, of training runs on so many processes that the model was fitted
  /// without; of those that stand for all matrices, not of the random ones. Empty where nothing is known.
  [[nodiscard]] virtual std::vector<double> left_out_errors(Scheme scheme, LocalFormat format, int processes) const = 0;

 protected:
  explicit ClusterModel(int cores_per_node) : cores_per_node_(cores_per_node) {}
  /// Without parts.
  [[nodiscard]] ClusterForecast forecast_of(const SchemeFeatures& features, LocalFormat format, double seconds,
                                            bool extrapolated) const;

 private:
  int cores_per_node_;
};

/// Ours: local products by the host's profile or from timed blocks, messages from their own sizes and numbers, what
/// sharing a node costs from the training runs.
std::unique_ptr<ClusterModel> sparsecast_model(const ClusterProfile& profile);
/// The paper's model from micro-benchmarks (section III-C): sums of costs, nothing trained on products.
std::unique_ptr<ClusterModel> microbench_model(const ClusterProfile& profile);
/// The paper's polynomial support-vector regression (section III-B). Without libsvm it forecasts nothing.
/// Takes the parameters that the profile holds; for others it searches a part of the grid when it is first asked.
std::unique_ptr<ClusterModel> svr_model(const ClusterProfile& profile);
/// The paper's linear model (section III-A), 2du only.
std::unique_ptr<ClusterModel> linear_model(const ClusterProfile& profile);

/// The whole grid of the regression for every scheme, format and process count of the runs: C, γ and ε by 5-fold
/// cross-validation. Some seconds each. Empty without libsvm.
std::vector<RegressionChoice> search_regressions(const ClusterProfile& profile);

/// left_out_errors() of a model that is not fitted to these runs.
std::vector<double> errors_of(const ClusterModel& model, const std::vector<TrainingRun>& runs, Scheme scheme,
                              LocalFormat format, int processes);
/// Fills low_s and high_s from the errors at the nearest process count of `counts`, both formats together. Beyond that
/// count it grows with every factor of two: nothing was measured there.
void set_interval(ClusterForecast& forecast, const ClusterModel& model, const std::vector<int>& counts);

/// Of these process counts the one nearest to `processes` in proportion; 0 for none.
int nearest_count(const std::vector<int>& counts, int processes);
/// Process counts with training runs, ascending.
std::vector<int> trained_counts(const ClusterProfile& profile);

// Seconds of one rank's local product: on a core of its own from the blocks that were timed, a sum of costs with
// coefficients fitted per format, all of them non-negative; and what the ranks beside it on its node cost it
// (cluster_profile.hpp).

// Least squares with coefficients that cannot be negative (times are sums of costs), in relative errors, drawn towards
// a prior where the data say little.

/// c ≥ 0 that minimises Σ_i ((Σ_j c_j·rows[i][j] − y_i) / y_i)² + pull · Σ_j ((c_j − prior_j)·s_j)² + stiffness² · Σ_j
/// (c_j / prior_j − 1)², where s_j is the mean share of term j in y: the last sum holds a term that no row knows much
/// of (only those with a prior). `prior` has one entry per term. Coordinate descent; deterministic. The prior without
/// rows.
std::vector<double> fit_nonnegative(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                                    std::span<const double> prior, double pull, double stiffness = 0);

class CoreModel {
 public:
  explicit CoreModel(const ClusterProfile& profile);
  /// The same with the branch predictor of a model of the same machine, which is not searched again.
  CoreModel(const ClusterProfile& profile, const CoreModel& like);
  /// While the rest of the node is idle. 0 for a block without rows.
  [[nodiscard]] double seconds(const BlockFeatures& block, LocalFormat format) const;
  /// With so many busy ranks on the node, this one among them.
  [[nodiscard]] double shared_seconds(const BlockFeatures& block, LocalFormat format, int busy) const;
  /// Both local products and the packing of one rank.
  [[nodiscard]] double rank_seconds(const RankFeatures& rank, LocalFormat format, int busy) const;
  /// Packing and the remote product alone: what one rank does before its messages leave and after others' came.
  [[nodiscard]] double seconds_around_messages(const RankFeatures& rank, LocalFormat format, int busy) const;
  /// Of the slowest of the ranks, all of which are busy.
  [[nodiscard]] double slowest(const SchemeFeatures& features, LocalFormat format) const;
  [[nodiscard]] double slowest_around_messages(const SchemeFeatures& features, LocalFormat format) const;

 private:
  CacheShare caches_;
  NodeRates rates_;
  int cores_per_node_;
  struct Fit {
    std::vector<double> coefficients;
    double learned_bits =
        0;             ///< information in row lengths that the branch predictor remembers from product to product
    double error = 0;  ///< mean relative error over the blocks it was fitted to, the worst tenth left out
  };
  std::map<LocalFormat, Fit> fits_;

  [[nodiscard]] Fit fitted(const std::vector<const TimedBlock*>& blocks, LocalFormat format, double learned) const;

  using SecondsOfRank = double (CoreModel::*)(const RankFeatures&, LocalFormat, int) const;
  [[nodiscard]] double slowest_of(const SchemeFeatures& features, LocalFormat format, SecondsOfRank seconds_of) const;
  [[nodiscard]] std::vector<double> terms(const BlockFeatures& block, LocalFormat format, double learned_bits) const;
};

// Two forecasts of the same product, one from blocks that were timed for the cluster and one by the node's own profile:
// the training runs show how much of each to take.

/// One training run: seconds of its products and the two forecasts, neither of which saw it.
struct BlendSample {
  double measured = 0, by_blocks = 0, by_node = 0;
};

/// by_blocks^(1 − weight) · (scale · by_node)^weight.
struct NodeBlend {
  double weight = 0;  ///< 0: the timed blocks alone
  double scale = 1;   ///< of the profile's forecasts, which are of another program's products
  [[nodiscard]] double seconds(double by_blocks, double by_node) const;
};

/// The node's forecast by its median factor, drawn to one; of many samples the weight, in quarters, whose median error
/// is clearly less. Samples without one of the three times do not count; of fewer than three nothing is learned.
NodeBlend fit_blend(std::span<const BlendSample> samples);

// Times of messages out of the micro-benchmarks of a profile.

/// Seconds of a message pattern read off the profile's measurements: interpolated in the logarithms of size and process
/// count, carried on along the outermost segment beyond them.
class MessageCurves {
 public:
  explicit MessageCurves(const ClusterProfile& profile);
  /// nullopt where the pattern was never measured. Patterns with neighbours are kept apart by their number.
  [[nodiscard]] std::optional<double> seconds(const std::string& pattern, int processes, double bytes) const;
  /// Process counts at which the pattern was measured.
  [[nodiscard]] std::vector<int> counts(const std::string& pattern) const;

 private:
  using Points = std::vector<std::pair<double, double>>;  // (bytes, seconds), ascending
  std::map<std::string, std::map<int, Points>> curves_;   // by pattern, by processes
};

/// Log-log interpolation; beyond the ends along the last segment, but never falling with size.
double along_curve(const std::vector<std::pair<double, double>>& points, double x);

// The paper's model of a communication (section III-C-2): for every pattern a polynomial in the number of nodes, the
// number of processes and the message size, fitted to the micro-benchmarks. It is a polynomial of the logarithms, in
// the logarithm of the time, so that a relative error weighs the same for 8 bytes and for 4 MiB.

class MessagePolynomials {
 public:
  explicit MessagePolynomials(const ClusterProfile& profile);
  /// nullopt where the pattern was never measured. `neighbours` counts for "halo" alone. Sizes beyond the measured ones
  /// are taken as the nearest measured size, scaled in proportion where larger.
  [[nodiscard]] std::optional<double> seconds(const std::string& pattern, int nodes, int processes, double bytes,
                                              double neighbours = 1) const;

 private:
  struct Fit {
    std::vector<double> coefficients;
    double least_bytes = 0, most_bytes = 0;
  };
  std::map<std::string, Fit> fits_;
};

/// By name or all of them ("all"), best first: sparsecast, microbench, svr, linear. Error usage for an unknown name.
std::vector<std::unique_ptr<ClusterModel>> cluster_models(const ClusterProfile& profile,
                                                          const std::string& which = "all");

struct PredictOptions {
  std::vector<int> processes;
  std::vector<Scheme> schemes{all_schemes().begin(), all_schemes().end()};
  std::vector<LocalFormat> formats{all_formats().begin(), all_formats().end()};
  std::string model = "all";  ///< or one of cluster_models()
  std::uint64_t seed = 1;
  Precision precision = Precision::double_;  ///< of values, vectors and messages
  base::ProgressFunction progress;
};

/// Calls visit for every process count and every scheme that it admits. Returns what is missing, as in Prediction.
/// Error usage where the matrix is not square.
using CaseVisit = std::function<void(const SchemeFeatures&, const Placement&)>;
std::string for_each_case(const Matrix& matrix, const PredictOptions& options, const CacheShare& caches,
                          int cores_per_node, const CaseVisit& visit);

/// All forecasts, by process count, then scheme, format and model. Schemes that a process count does not admit are left
/// out. Without a partitioner g1dr and l1dr are left out on more than one process, and `missing` says so.
struct Prediction {
  std::vector<ClusterForecast> forecasts;
  std::string missing;  ///< one line, empty where nothing is missing
};
/// With the interval of every forecast.
Prediction predict_cluster(const Matrix& matrix, const ClusterProfile& profile, const PredictOptions& options);

// From forecasts to a decision: the scheme, the format and the number of processes; time and efficiency against P.

struct ClusterChoice {
  ClusterForecast recommended;  ///< the smallest P within 10 % of the fastest, in its fastest scheme and format
  ClusterForecast fastest;
  std::string reason;
  std::vector<ScalingPoint> scaling;
  ScalingEnd end;
};
/// From the forecasts of one model (the first in `forecasts` that has any). Error failed for none at all.
ClusterChoice choose(const std::vector<ClusterForecast>& forecasts);

/// Of the forecasts of one model, the best scheme and format of every count, by count.
std::vector<ClusterForecast> best_by_count(const std::vector<ClusterForecast>& forecasts);
/// The model that choose() takes: of the forecasts given, those of the first model that has any.
std::vector<ClusterForecast> of_first_model(const std::vector<ClusterForecast>& forecasts);

/// The fewest nodes, then processes, on which so many iterations are done in time; nullopt where no count does it.
std::optional<ClusterForecast> done_within(const std::vector<ClusterForecast>& forecasts, double seconds,
                                           double iterations);
/// Hours that a job pays for: nodes × time.
double node_hours(const ClusterForecast& forecast, double iterations);

/// Time against P in characters, one letter per scheme, both axes logarithmic.
std::string scaling_picture(const std::vector<ScalingPoint>& scaling, int height = 14);
}  // namespace sparsecast::cluster
