#pragma once
// A tuning space searched by forecast: every configuration gets a cheap bound, those that may be in front are compiled
// and forecast in full. A compile costs a second or more, so the bound of a configuration comes from those that were
// compiled (surrogate.cpp), not from its own binary. What was forecast is kept in a journal and not done again.

#include <Eigen/Cholesky>
#include <fstream>

#include "gpu_code/space/tuning_problem.hpp"

namespace sparsecast::gpu_code {
struct SpaceSearchOptions {
  std::int64_t forecasts = 240;  ///< most that are made anew
  double within_s = 900;         ///< after which no further one is begun
  int jobs = 1;                  ///< compiled at a time
  std::size_t top = 10;
  std::filesystem::path journal;  ///< a line for every forecast; empty: none
  Launch launch;                  ///< --arg, --buffer: what every configuration gets beside its own
  std::vector<KernelAnchor> anchors;
};

/// A forecast as the journal holds it; `refusal` where there is none.
struct JournalEntry {
  Choice choice;
  double seconds = 0;
  std::string bound_by, refusal;
  std::vector<std::pair<std::string, double>> resource_s;  ///< what each resource of a multiprocessor is busy
};

struct RankedConfiguration : JournalEntry {
  TuningRow row;
  double low_s = 0, high_s = 0;
};

struct SpaceSearch {
  std::int64_t configurations = 0;  ///< that the restrictions allow
  std::int64_t bounded = 0;         ///< of them, that got a bound (the others: beyond the largest sample that is held)
  std::int64_t forecast = 0, refused = 0, resumed = 0;  ///< forecast includes what the journal held
  bool settled = false;                                 ///< no bound of what is left lies below the last of the ranking
  double clock_hz = 0;
  std::string first_refusal;
  std::vector<RankedConfiguration> ranking;  ///< fastest first, `top` at most
};

/// Error of the first configuration where none can be forecast; interrupted, the journal then holds what was made.
[[nodiscard]] SpaceSearch search_space(const std::filesystem::path& source, const TuningProblem& problem,
                                       const KernelTimes& times, const SpaceSearchOptions& options,
                                       const base::ProgressFunction& progress);

/// The journal of this search in the store: the same for the same source, space, device and clock.
[[nodiscard]] std::filesystem::path search_journal(const std::filesystem::path& source, const TuningProblem& problem,
                                                   const KernelTimes& times, const Launch& launch);

/// What the first has that the second lacks: "less of the load/store unit (0.52 against 0.61 ms)".
[[nodiscard]] std::string why_first(const RankedConfiguration& first, const RankedConfiguration& second);

// The journal of a search: one line of JSON for every configuration that was forecast or refused, appended as it is
// made, so that an interrupted search goes on where it stopped. Private to the search.

class SearchJournal {
 public:
  /// Reads what is there; a line that was cut off is passed over. An empty path: nothing is kept.
  explicit SearchJournal(const std::filesystem::path& file);

  [[nodiscard]] const std::map<Choice, JournalEntry>& entries() const { return entries_; }
  /// The entry as it is held. Error failed where the line cannot be written.
  const JournalEntry& add(const JournalEntry& entry);

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::map<Choice, JournalEntry> entries_;
};

// What the forecasts made so far say about configurations that were not compiled: a Gaussian process over the
// parameters (Rasmussen and Williams, Gaussian Processes for Machine Learning, chapters 2 and 5; Matérn 5/2 with a
// length for every coordinate, found by the marginal likelihood). Its mean less some deviations is the bound by which
// the search passes configurations over.

class Surrogate {
 public:
  struct Prediction {
    double mean = 0, deviation = 0;
  };

  /// Points of equal dimension, one value each. Lengths are looked for again where `points` grew by a fifth.
  void fit(std::vector<std::vector<double>> points, const std::vector<double>& values);
  [[nodiscard]] Prediction predict(std::span<const double> point) const;

 private:
  struct Fitted {
    Eigen::LLT<Eigen::MatrixXd> factor;
    Eigen::VectorXd weights;
    double scale2 = 0, likelihood = 0;
    bool positive = false;
  };
  [[nodiscard]] double covariance(std::span<const double> a, std::span<const double> b,
                                  const std::vector<double>& lengths) const;
  [[nodiscard]] Fitted factored(const std::vector<double>& lengths) const;
  void find_lengths();

  std::vector<std::vector<double>> points_;
  Eigen::VectorXd centred_;
  double mean_ = 0;
  std::vector<double> lengths_;
  std::size_t lengths_found_at_ = 0;
  Fitted fitted_;
};
}  // namespace sparsecast::gpu_code
