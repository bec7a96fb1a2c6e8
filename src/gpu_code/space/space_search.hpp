#pragma once
// A tuning space searched by forecast: every configuration gets a cheap bound, those that may be in front are compiled
// and forecast in full. A compile costs a second or more, so the bound of a configuration comes from those that were
// compiled (surrogate.hpp), not from its own binary. What was forecast is kept in a journal and not done again.

#include <cstdint>
#include <filesystem>
#include <sparsecast/kernel_forecast.hpp>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "gpu_code/space/search_journal.hpp"
#include "gpu_code/tuning_space.hpp"

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
}  // namespace sparsecast::gpu_code
