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
  count,      ///< a given number of candidates, those forecast to be fastest
  automatic,  ///< candidates as long as the possible gain exceeds the cost of trying
  online,     ///< as automatic, but in the caller's own products: Plan::apply() tries candidates
};

/// How much is tried. The defaults try nothing.
struct TrialOptions {
  TrialMode mode = TrialMode::none;
  int most = 0;  ///< for `count`: number of candidates, at least 1
};

/// Reads "none", "auto", "online" or a number of candidates. Error usage for anything else. Thread safety: safe from
/// several threads at once.
[[nodiscard]] TrialOptions parse_trials(std::string_view text);

/// One candidate that was tried.
struct TriedKernel {
  std::string kernel = {};  ///< name of the kernel; the kernels of a cut are joined by "+"
  /// Time of one product, measured in turns with the best candidate. The more its repeats scatter, the more the
  /// forecast counts. 0: it could not be run.
  double seconds = 0;
  double predicted_s = 0;
  double conversion_s = 0;    ///< measured time of the conversion
  double spread = 0;          ///< relative scatter of its turns
  int products = 0;           ///< number of products that were run, warm-up included
  std::string status = "ok";  ///< ok, or the reason why there is no time
};

/// What was tried, what the trials cost, and what further trials could gain.
struct TrialReport {
  /// Candidates screened beforehand on a sample of the rows, scaled to the whole matrix.
  std::vector<TriedKernel> screened = {};
  std::vector<TriedKernel> tried = {};  ///< candidates in the order of the trials
  double spent_s = 0;       ///< time of all products and conversions, including those of the plan's own kernel
  double left_to_win = 0;   ///< share of a product's time that the untried candidates are expected to save
  bool unsteady = false;    ///< true: repeats of one product scatter by a fifth
  bool settled = true;      ///< false: an online trial still goes on, or was interrupted
  std::string reason = {};  ///< why nothing more was tried
};

}  // namespace sparsecast
#pragma GCC visibility pop
