#pragma once
// The forecast of a solve: the time of one iteration in its parts, the set-up, and the format that finishes first.

#include "forecast/model_set.hpp"
#include "solving/handover.hpp"
#include "solving/preconditioners/preconditioner.hpp"

namespace sparsecast::solving {
/// Seconds and the bounds of their 90 % interval.
struct Estimate {
  double seconds = 0, low_s = 0, high_s = 0;

  [[nodiscard]] static Estimate within(double seconds, double factor) {
    return {seconds, seconds / factor, seconds * factor};
  }
};

class Rates {
 public:
  /// `threads`: of a host.
  Rates(const Profile& profile, int threads);

  /// Seconds a byte that is read, having been used last so many bytes ago; and one that is written where it was read.
  [[nodiscard]] double read_s(double reach) const;
  [[nodiscard]] double write_s(double reach) const;
  /// Threads, or a kernel, start and are waited for; the further wait for a sum.
  [[nodiscard]] double start_s() const { return start_s_; }
  [[nodiscard]] double sum_s() const { return sum_s_; }
  /// Small dense products, a multiplication and addition counting two.
  [[nodiscard]] double flop_s() const { return flop_s_; }
  /// One triangular solve whose bytes come from so far away.
  [[nodiscard]] double triangle_s(const TriangleWork& work, double reach) const;
  /// An application of the preconditioner.
  [[nodiscard]] Estimate apply(const PreconditionerWork& work, double reach) const;
  /// Making it.
  [[nodiscard]] double make_s(const PreconditionerWork& work) const;
  /// How far off these times are, as a factor either way.
  [[nodiscard]] double doubt() const { return doubt_; }
  /// Whether the profile knows how rates fall from cache to cache.
  [[nodiscard]] bool measured() const { return reads_.has_value(); }

 private:
  void take_curves(const Profile& profile);
  void describe_host(const DeviceProperties& properties);
  void describe_gpu(const Profile& profile);

  int threads_;
  bool gpu_ = false;
  double cycle_s_, start_s_ = 0, sum_s_ = 0, flop_s_ = 0, doubt_;
  std::optional<Curve> reads_, updates_;     // bytes/s over bytes
  double slowest_read_s_ = 0;                // of a byte, where there is no curve: from memory
  double fast_read_s_ = 0, fast_bytes_ = 0;  // and from the caches, up to so many bytes
};

struct SolvePart {
  Term term = Term::products;
  Estimate time;
};

struct SolveForecast {
  std::string format;  ///< the kernel of the product
  PreconditionerKind preconditioner = PreconditionerKind::none;
  int threads = 0;
  Estimate iteration;
  double setup_s = 0;  ///< conversion, preconditioner, and what else comes before the first iteration
  double conversion_s = 0;
  std::vector<SolvePart> parts;  ///< of an iteration, in the order in which they come first
  Tier tier = Tier::measured;
  bool extrapolated = false;

  [[nodiscard]] double total_s(std::int64_t iterations) const {
    return setup_s + static_cast<double>(iterations) * iteration.seconds;
  }
};

/// Moves forecasts of y = A·x to what was observed of such products; nothing where none were.
using SeenProducts = std::function<void(std::vector<Forecast>&)>;

/// Forecasts solves on one machine. The profile must outlive it.
class SolveForecaster {
 public:
  /// `seen`: what is known of the products beside the models. Error failed where the profile has no records in that
  /// precision for that number of threads.
  SolveForecaster(const Profile& profile, const FitOptions& options, SeenProducts seen = {});

  /// One for every kernel that can be forecast, by the time of so many iterations with the set-up; on several threads
  /// with what it costs that they hand vectors to each other. `structure` and
  /// `preconditioner` are of the matrix that is solved. Error unavailable for a product that the machine does not have.
  [[nodiscard]] std::vector<SolveForecast> forecasts(const Structure& structure,
                                                     const PreconditionerWork& preconditioner, const Method& method,
                                                     std::int64_t iterations, const Handover& handover = {}) const;
  /// From the forecast of y = A·x, made before.
  [[nodiscard]] SolveForecast of(const Forecast& product, const Structure& structure,
                                 const PreconditionerWork& preconditioner, const Method& method,
                                 const Handover& handover = {}) const;

 private:
  [[nodiscard]] std::vector<Forecast> products(const Structure& structure, const Method& method) const;

  const Profile& profile_;
  FitOptions options_;
  Rates rates_;
  SeenProducts seen_;
  forecast::ModelSet models_;
  std::vector<std::string> kernels_;
};

/// One iteration from the forecast of one of its products (a block of lobpcg's, the transposed one of pagerank).
[[nodiscard]] SolveForecast forecast_iteration(const Forecast& product, const Rates& rates, const Structure& structure,
                                               const PreconditionerWork& preconditioner, const Method& method,
                                               const Handover& handover = {});

/// The iteration where a product's forecast is expected: `product` with its time, its parts and its set-up.
[[nodiscard]] Forecast as_product(const SolveForecast& iteration, Forecast product);

// Which preconditioner, number of threads and format finish a solve first.

struct Choice {
  SolveForecast forecast;
  std::int64_t iterations = 0;  ///< what is known of the chosen preconditioner's, times what preconditioners save
  double total_s = 0;
};

struct ChoiceOptions {
  Method method;
  PreconditionerKind preconditioner = PreconditionerKind::none;  ///< that `iterations` are of
  std::int64_t iterations = 1;
  std::vector<int> threads;  ///< to choose from; 0 for a device without threads
  Precision precision = Precision::double_;
  FitNotice notice = {};
  bool present = false;  ///< the profile is of this machine: what threads hand over is timed
  std::function<SeenProducts(int threads)> seen = {};  ///< what was observed with so many threads
};

/// The best format of every preconditioner that the matrix and the method take, on every number of threads that the
/// profile has records of; fastest first.
[[nodiscard]] std::vector<Choice> solve_choices(const Matrix& matrix, const Structure& structure,
                                                const Profile& profile, const ChoiceOptions& options);

// From how far away the steps of an iteration get what they read: the bytes that went by since a vector, the matrix or
// the preconditioner was used last, in an iteration that repeats.

struct ReachSizes {
  double vector = 0;  ///< bytes of one vector
  double matrix = 0;  ///< of the format, and of the preconditioner
  double preconditioner = 0;
};

/// Of one step, in bytes: of each of its reads and writes, and of the matrix or preconditioner that it goes through.
struct StepReach {
  std::vector<double> reads, writes;
  double data = 0;
};

[[nodiscard]] std::vector<StepReach> reaches_of(const std::vector<Step>& steps, const ReachSizes& sizes);
}  // namespace sparsecast::solving
