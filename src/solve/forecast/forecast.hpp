#pragma once
// The forecast of a solve: the time of one iteration in its parts, the set-up, and the format that finishes first.

#include "forecast/model_set.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/vector_loops.hpp"
#include "solve/preconditioners/preconditioner.hpp"

namespace sparsecast::solving {
// What it costs that threads hand vectors to each other: a pass writes the operand of the next product on one core, and
// the others read it. How much depends on whether two cores have a cache in common, which a virtual machine may change
// within seconds, so it is timed where and when it is needed rather than kept in a profile.

// Which rows of a product's operand are read by other threads than the one that writes them. Such lines go from core to
// core in every iteration, which costs their writer more than the pass itself (formats::Stores).

/// The first row that part `part` of a pass over vectors goes through. Multiples of eight rows: no two threads write
/// one line, and vectors are whole registers.
[[nodiscard]] constexpr std::int64_t pass_begin(std::int64_t rows, int part, int parts) noexcept {
  return part == parts ? rows : std::min(rows, formats::part_begin((rows + 7) / 8, part, parts) * 8);
}

/// A value. Empty for one thread.
class SharedRows {
 public:
  SharedRows() = default;
  /// y = A·x for threads that share the rows of A by non-zeros and those of x evenly.
  SharedRows(const Matrix& matrix, int threads);

  [[nodiscard]] bool empty() const { return stretches_.empty(); }
  /// Whether most lines of the stretch that row `row` lies in are read by several threads.
  [[nodiscard]] bool at(std::int64_t row) const { return stretches_[static_cast<std::size_t>(row / stretch)] != 0; }
  /// One past the last row on from `row` that is shared, or not, as `row` is.
  [[nodiscard]] std::int64_t end_of_stretch(std::int64_t row) const;
  /// Lines of 64 bytes that a thread reads and another has written: of the thread that has most.
  [[nodiscard]] double lines() const { return lines_; }

 private:
  static constexpr std::int64_t line = 8, stretch = 64 * line;

  std::vector<char> stretches_;
  double lines_ = 0;
};

/// Seconds for a line of 64 bytes that one thread writes and another reads, for either kind of store.
struct LineCost {
  /// On an AMD EPYC (family 25) the quotient is 0.7 where cores have a cache in common, and solves are 3 to 25 % slower
  /// around it; it is 0.2 where they have none, and solves are up to 45 % faster. Chosen looking at these.
  static constexpr double around_pays = 0.4;
  double kept_s = 0, around_s = 0;

  /// Around the caches only where that is clearly cheaper: what is kept is near when its writer reads it again.
  [[nodiscard]] formats::Stores stores() const {
    return around_s < around_pays * kept_s ? formats::Stores::around : formats::Stores::kept;
  }
  [[nodiscard]] double best_s() const { return stores() == formats::Stores::around ? around_s : kept_s; }
};

/// Timed in about a millisecond on the calling thread's team; zeros for one thread and for more threads than
/// processors, whose waits would be all that is timed.
[[nodiscard]] LineCost line_cost(int threads);

/// What the operands of products add to an iteration. A value; zeros add nothing.
struct Handover {
  double lines = 0;   ///< that the busiest thread reads and others wrote
  double line_s = 0;  ///< of each
};

/// Of y = A·x with x from a pass over vectors, on threads of this machine that are bound to cores (BoundTeam)
/// meanwhile.
[[nodiscard]] Handover measured_handover(const Matrix& matrix, int threads);

// What a machine takes for the work of a solve beside its products: passes over vectors, waits, triangular solves. From
// the curves of its profile where it was measured, else from its description.

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
  std::string tier = "measured";
  bool extrapolated = false;

  [[nodiscard]] double total_s(std::int64_t iterations) const {
    return setup_s + static_cast<double>(iterations) * iteration.seconds;
  }
};

/// Forecasts solves on one machine. The profile must outlive it.
class SolveForecaster {
 public:
  /// Error failed where the profile has no records in that precision for that number of threads.
  SolveForecaster(const Profile& profile, const FitOptions& options);

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
