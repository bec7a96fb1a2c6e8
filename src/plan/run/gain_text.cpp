#include "plan/run/gain_text.hpp"

#include <fmt/format.h>

namespace sparsecast::planning {

std::string gain_text(double gain, double low, double high, std::string_view doubt) {
  const std::string range = fmt::format("{:.1f} % – {:.1f} %", 100 * low, 100 * high);
  if (low > 0 || high < 0) return fmt::format("gain {:.1f} % ({})", 100 * gain, range);
  // An interval that reaches beyond losing a whole product's time says only that nothing is known.
  return low < -1 ? fmt::format("no gain beyond {}", doubt) : fmt::format("no gain beyond {} ({})", doubt, range);
}

}  // namespace sparsecast::planning
