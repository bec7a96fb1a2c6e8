#pragma once
// Observations: every product that was measured on a user's matrix, known by the fingerprint of its pattern. A file of
// its own in the home folder, so that what is remembered from use leaves profiles, and what was made of them, as they
// are. It prunes itself: 100,000 observations, the oldest go.

#include <sparsecast/device.hpp>
#include <sparsecast/observed_product.hpp>
#include <sparsecast/structure.hpp>

struct sqlite3;

namespace sparsecast::calibration {
class Statement;

using Observation = ObservedProduct;

/// What tells patterns apart for a product's time, on scales where 1 is much: sizes and row lengths as logarithms, how
/// x is read. Of a family (time steps, refinements) they lie close together.
[[nodiscard]] std::vector<double> features_of(const Structure& structure);

/// What counts as the same machine.
[[nodiscard]] std::string machine_stamp(const DeviceProperties& properties);

class Observations {
 public:
  /// Opens (and creates) observations.sqlite in the home folder, or the file named. Where it cannot be written, or a
  /// newer program wrote it, it is read; where it cannot be read either, is damaged or an older program's, there are
  /// none: why() says so. What another program wrote is left as it is.
  explicit Observations(const std::filesystem::path& file = {});
  Observations(Observations&&) noexcept;
  Observations& operator=(Observations&&) noexcept;
  ~Observations();

  /// One line where it cannot be read or written; empty where all is well.
  [[nodiscard]] const std::string& why() const { return why_; }
  /// A newer one of the same pattern, kernel and task takes the place of an older one.
  void add(const std::vector<Observation>& observations);
  /// Whether anything is kept of the task, of any pattern with as many non-zeros: cheaper than to hash one.
  [[nodiscard]] bool knows(const Observation& like);
  /// Those of the same pattern, task and machine, at most so many days old.
  [[nodiscard]] std::vector<Observation> of_pattern(const Observation& like, double most_days = 180);
  /// Those of other patterns of that task and machine that were forecast before they were measured, after `since` and
  /// at most so many days ago: of the patterns of about as many non-zeros, the nearest.
  [[nodiscard]] std::vector<Observation> around(const Observation& like, const std::string& since,
                                                double most_days = 180);
  [[nodiscard]] std::vector<Observation> all();
  /// Returns how many there were.
  std::int64_t forget();

  /// So many are kept.
  static constexpr std::int64_t most_kept = 100'000;

 private:
  template <class Work>
  void guarded(const Work& work);
  template <class... Values>
  std::vector<Observation> ask(const std::string& condition, const Observation& like, const Values&... values);

  std::filesystem::path file_;
  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  std::unique_ptr<sqlite3, Close> database_;
  std::map<std::string, std::unique_ptr<Statement>> prepared_;  // by condition: at the first question
  bool writable_ = false;
  std::string why_;
};

/// What is another now, one phrase each ("microcode 0x1, now 0x2"): processor, microcode, number of cores, driver. What
/// either side does not know, as a profile from before it was kept, is no change.
[[nodiscard]] std::vector<std::string> changes_since(const DeviceProperties& then, const DeviceProperties& now);

// What products of alike patterns say of a forecast. A user's matrices come in families (time steps, refinements, parts
// of one domain), of which a model errs alike: by how much is learned from those that were measured, each counting by
// its likeness and its age. Where few are alike, or their errors scatter, the forecast stays as it is.

/// log(seconds / forecast) that is expected of a kernel, and its deviation.
struct ForecastError {
  double mean = 0, deviation = 0;
};

/// Thread safety: as a value.
class Neighbours {
 public:
  Neighbours() = default;
  /// Of a pattern with these features; `around`: Observations::around().
  Neighbours(const std::vector<double>& features, const std::vector<Observation>& around);

  [[nodiscard]] bool empty() const { return seen_.empty(); }
  /// Of a forecast whose own error of log(seconds) deviates by `deviation`; nothing where no alike pattern was
  /// multiplied by that kernel.
  [[nodiscard]] std::optional<ForecastError> error_of(const std::string& kernel, double deviation) const;
  /// "3 alike patterns (a, b, c), measured here yesterday to 9 days ago": the nearest first; empty where there are
  /// none.
  [[nodiscard]] std::string text() const;

 private:
  struct Seen {
    std::string kernel, pattern, matrix;
    double log_error, weight, days;
  };
  std::vector<Seen> seen_;  // the nearest first
};

/// Days since an observation was taken; the sign of a clock that was set back does not matter.
[[nodiscard]] double days_since(const std::string& taken);
/// "today", "yesterday", "3 days ago".
[[nodiscard]] std::string days_ago(double days);
}  // namespace sparsecast::calibration
