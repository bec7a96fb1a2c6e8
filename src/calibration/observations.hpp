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
  /// False where what it has is not known: it could not be read. (It may be a file that can only be read.)
  [[nodiscard]] bool readable() const { return database_ && !failed_; }
  /// A newer one of the same pattern, kernel, task and machine takes the place of an older one.
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
  bool writable_ = false, failed_ = false;
  std::string why_;
};
}  // namespace sparsecast::calibration
