#include "app/compare_picture.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"

namespace sparsecast::app {
std::string ranking_svg(const std::string& title, const std::vector<MachinePlace>& ranking) {
  constexpr double left = 190, width = 520, line = 18, top = 46;
  double least = 1, most = 1e-9;
  for (const MachinePlace& entry : ranking) {
    least = std::min(least, entry.low_s);
    most = std::max(most, entry.high_s);
  }
  const double low = std::floor(std::log10(least)), high = std::ceil(std::log10(most) + 1e-9);
  const auto x = [&](double seconds) { return left + width * (std::log10(seconds) - low) / std::max(1.0, high - low); };
  const double bottom = top + line * static_cast<double>(ranking.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"10\" y=\"20\" font-size=\"14\">{}: one product, 90 % interval</text>\n",
      left + width + 130, bottom + 24, base::markup_escaped(title));
  for (double power = low; power <= high; ++power)
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3:.0f}\" text-anchor=\"middle\" fill=\"#555\">{4}</text>\n",
        x(std::pow(10, power)), top - 6, bottom, bottom + 16, base::format_seconds(std::pow(10, power)));
  double y = top;
  for (const MachinePlace& entry : ranking) {
    const char* colour = !entry.fits ? "#bbb" : entry.tier == "data sheet" ? "#4477aa" : "#228833";
    svg += fmt::format(
        "<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n"
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"5\" "
        "stroke-opacity=\"0.4\"/>\n<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n"
        "<text x=\"{:.0f}\" y=\"{:.1f}\" fill=\"#555\">{}</text>\n",
        left - 8, y + 12, base::markup_escaped(entry.device), x(entry.low_s), x(entry.high_s), y + 8, y + 8, colour,
        x(entry.seconds), y + 8, colour, left + width + 8, y + 12, base::markup_escaped(entry.kernel));
    y += line;
  }
  return svg + "</svg>\n";
}
}  // namespace sparsecast::app
