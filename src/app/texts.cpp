#include "app/texts.hpp"

#include <fmt/format.h>

#include "base/guard/printable.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
std::string size_text(const MatrixSize& size) {
  return fmt::format("{}: {} × {}, {} non-zeros", base::printable(size.name), base::format_count(size.rows),
                     base::format_count(size.cols), base::format_count(size.nonzeros));
}

std::string task_text(const ProductKind& task) {
  std::string text;
  if (task.vectors > 1) text += fmt::format(", {} vectors at once", base::format_count(task.vectors));
  if (task.transposed) text += ", transposed";
  return text;
}

std::string threads_text(std::string_view before, int threads) {
  return threads > 0 ? fmt::format("{}{} thread{}", before, threads, threads == 1 ? "" : "s") : "";
}

std::string seconds_text(const std::optional<double>& seconds) {
  if (!seconds) return "?";
  return *seconds > 0 ? base::format_seconds(*seconds) : "–";
}

std::string total_heading(std::int64_t iterations) {
  return "conversion and " + base::format_count(iterations) + (iterations == 1 ? " product" : " products");
}

std::string more_text(std::size_t count, std::string_view what) {
  return fmt::format("{} more {}{}", count, what, count == 1 ? "" : "s");
}

// "tried: sell 120 µs (forecast 131 µs), csr-merge 125 µs (118 µs); 31 products long; about 0.2 % is left to win"
std::string trials_text(const TrialReport& trials) {
  std::string list, before;
  for (const TriedKernel& one : trials.screened)
    before += fmt::format("{}{} {}", before.empty() ? "on a sample of the rows: " : ", ", one.kernel,
                          base::format_seconds(one.seconds));
  if (!before.empty()) before += '\n';
  if (trials.tried.empty()) return fmt::format("{}nothing tried: {}\n", before, trials.reason);
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
  std::string text = fmt::format("{}tried: {}\nthat took {}", before, list, base::format_seconds(trials.spent_s));
  if (best_s > 0) text += fmt::format(", {:.0f} products", trials.spent_s / best_s);
  text += fmt::format("; {}; about {} is left to win\n", trials.reason, base::format_percent(trials.left_to_win));
  if (trials.unsteady)
    text += "repeats of one product scatter by a fifth here: the times are no more accurate than that\n";
  return text;
}

std::string matrix_powers_text(const PowersStrategy& powers) {
  if (powers.seconds == 0)
    return fmt::format("powers: {} products, of which no time is known: {}\n", powers.k, powers.reason);
  return fmt::format("powers: {}, all {} kept {}; {} products take {}\n{}: {}\n", base::format_seconds(powers.seconds),
                     powers.k, base::format_seconds(powers.all_s), powers.k, base::format_seconds(powers.products_s),
                     powers.pays
                         ? fmt::format("blocks of {} rows in {}", base::format_count(powers.block_rows), powers.kernel)
                         : "one product after the other",
                     powers.reason);
}

std::string matrix_powers_text(const MeasuredPowers& powers) {
  return fmt::format("powers: {}, all {} kept {}; {} products of the fastest kernel take {}\n",
                     base::format_seconds(powers.seconds), powers.k, base::format_seconds(powers.all_s), powers.k,
                     base::format_seconds(powers.products_s));
}
}  // namespace sparsecast::app
