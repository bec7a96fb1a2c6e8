#pragma once
// Trials: candidates of a plan that are measured before, or while, the plan is used. A forecast picks the right kernel
// most of the time; a handful of products of those that could still win picks it nearly always.
//
// Thread safety: the structs are values; threads may share one that none of them changes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

enum class TrialMode {
  none,       ///< the forecast decides
  count,      ///< those forecast to be fastest, so many
  automatic,  ///< while what may be won exceeds what trying costs
  online,     ///< automatic, in the caller's own products: Plan::apply() tries as it goes
};

/// How much is tried. The defaults try nothing.
struct TrialOptions {
  TrialMode mode = TrialMode::none;
  int most = 0;  ///< of `count`, at least 1
};

/// "none", "auto", "online" or a number of candidates. Error usage for anything else. Thread safety: safe from several
/// threads at once.
[[nodiscard]] TrialOptions parse_trials(std::string_view text);

/// One candidate that was looked at.
struct TriedKernel {
  std::string kernel = {};  ///< those of a cut joined by "+"
  double seconds = 0;  ///< one product, by turns beside the best one and, as far as its repeats scatter, as forecast;
                       ///< 0 where it could not be run
  double predicted_s = 0;
  double conversion_s = 0;    ///< as it took
  double spread = 0;          ///< of its turns, relative
  int products = 0;           ///< that were run, those that only warm up among them
  std::string status = "ok";  ///< ok, or why there is no time
};

/// What was tried, what it cost and what is left.
struct TrialReport {
  std::vector<TriedKernel> screened = {};  ///< before, on a sample of the rows, in turns; scaled to the whole matrix
  std::vector<TriedKernel> tried = {};     ///< in the order of the trials
  double spent_s = 0;                      ///< products and conversions, those of the plan's own kernel among them
  double left_to_win = 0;                  ///< share of a product's time that what was not tried is expected to save
  bool unsteady = false;                   ///< repeats of one product scatter by a fifth
  bool settled = true;                     ///< false while an online trial goes on, and where it was interrupted
  std::string reason = {};                 ///< why no more was tried
};

}  // namespace sparsecast
#pragma GCC visibility pop
