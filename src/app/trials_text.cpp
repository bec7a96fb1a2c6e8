#include "app/trials_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace sparsecast::app {
// "tried: sell 120 µs (forecast 131 µs), csr-merge 125 µs (118 µs); 31 products long; about 0.2 % is left to win"
std::string trials_text(const TrialReport& trials) {
  if (trials.tried.empty()) return fmt::format("nothing tried: {}\n", trials.reason);
  std::string list;
  double best_s = 0;
  for (const TriedKernel& one : trials.tried) {
    if (!list.empty()) list += ", ";
    list += one.kernel + " ";
    if (!(one.seconds > 0)) {
      list += fmt::format("not: {}", one.status);
      continue;
    }
    list += fmt::format("{} (forecast {})", base::format_seconds(one.seconds), base::format_seconds(one.predicted_s));
    if (best_s == 0 || one.seconds < best_s) best_s = one.seconds;
  }
  std::string text = fmt::format("tried: {}\n{} for that", list, base::format_seconds(trials.spent_s));
  if (best_s > 0) text += fmt::format(", {:.0f} products", trials.spent_s / best_s);
  text += fmt::format("; {}; about {} is left to win\n", trials.reason, base::format_percent(trials.left_to_win));
  if (trials.unsteady) text += "repeats of one product scatter by a fifth here: times are no better than that\n";
  return text;
}
}  // namespace sparsecast::app
