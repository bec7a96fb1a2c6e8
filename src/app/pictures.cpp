#include "app/pictures.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/markup.hpp"
#include "base/median.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
namespace {
// A logarithmic axis: where a value lies between its ends, and what its marks say.
struct LogAxis {
  double low = 0, high = 0;  // decades
  [[nodiscard]] double share(double value) const {
    return std::clamp((std::log10(value) - low) / (high - low), 0., 1.);
  }
  [[nodiscard]] std::size_t column(double value, std::size_t width) const {
    return static_cast<std::size_t>(std::lround(share(value) * static_cast<double>(width - 1)));
  }
};

LogAxis axis_of(const std::vector<Interval>& intervals) {
  double least = INFINITY, largest = 0;
  for (const Interval& one : intervals) {
    least = std::min(least, one.low);
    largest = std::max(largest, one.high);
  }
  constexpr double room = 0.02;
  return {std::log10(least) - room, std::log10(largest) + room};
}

// 1, 2 and 5 of every decade on the axis.
std::vector<double> marks_of(const LogAxis& axis) {
  std::vector<double> marks;
  for (double power = std::floor(axis.low); power <= axis.high; ++power)
    for (const double step : {1., 2., 5.})
      if (const double at = power + std::log10(step); at >= axis.low && at <= axis.high)
        marks.push_back(step * std::pow(10, power));
  return marks;
}

// Labels of the marks, as many as do not touch.
std::string marks_text(const LogAxis& axis, std::size_t width, const std::function<std::string(double)>& label) {
  std::string line;
  std::size_t filled = 0;
  for (const double mark : marks_of(axis)) {
    const std::string text = label(mark);
    const std::size_t at = axis.column(mark, width), wide = base::columns(text);
    if (at + wide > width || (filled > 0 && at < filled + 2)) continue;
    line += std::string(at - filled, ' ') + text;
    filled = at + wide;
  }
  return line + std::string(width - filled, ' ');
}

std::string bar_of(const LogAxis& axis, const Interval& interval, std::size_t width) {
  std::vector<std::string> bar(width, " ");
  const std::size_t from = axis.column(interval.low, width), to = axis.column(interval.high, width);
  std::fill(bar.begin() + static_cast<std::ptrdiff_t>(from), bar.begin() + static_cast<std::ptrdiff_t>(to), "─");
  bar[from] = "├";
  bar[to] = "┤";
  bar[axis.column(interval.middle, width)] = "●";
  return fmt::format("{}", fmt::join(bar, ""));
}

// An SVG document in the making: a plot with a logarithmic axis below and room for texts on both sides.
class Svg {
 public:
  Svg(const std::string& title, LogAxis across, double height) : across_(across), bottom_(top + height) {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"10\" y=\"20\" font-size=\"14\">{}</text>\n",
        left + wide + right, bottom_ + 34, base::markup_escaped(title));
    double last = 0;
    for (const double mark : marks_of(across_)) {
      const double at = x(mark);
      line(at, at, top - 6, bottom_, "stroke=\"#ddd\"");
      if (at < last + 55) continue;
      last = at;
      write(at, bottom_ + 16, base::format_seconds(mark), "text-anchor=\"middle\" fill=\"#555\"");
    }
  }
  [[nodiscard]] double x(double value) const { return left + wide * across_.share(value); }
  void line(double x1, double x2, double y1, double y2, std::string_view style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, x2, y1, y2, style);
  }
  void write(double at, double y, std::string_view words, std::string_view style = {}) {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at, y, style, base::markup_escaped(words));
  }
  void path(double at, double y, std::string_view form, std::string_view style) {
    text_ += fmt::format("<path transform=\"translate({:.1f} {:.1f})\" d=\"{}\" {}/>\n", at, y, form, style);
  }
  [[nodiscard]] std::string text() const { return text_ + "</svg>\n"; }

  static constexpr double left = 190, wide = 520, right = 190, top = 46;

 private:
  LogAxis across_;
  double bottom_;
  std::string text_;
};

constexpr std::string_view circle = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z";

constexpr int first_decade = 3, last_decade = 7;  // what is smaller or larger counts with them

int decade_of(const EvaluationCase& one) {
  const double power = std::floor(std::log10(static_cast<double>(one.nonzeros)));
  return std::clamp(static_cast<int>(power), first_decade, last_decade);
}

double ratio_of(const EvaluationCase& one) { return one.predicted_s / one.measured_s; }

// What can be drawn, by decade of non-zeros.
std::map<int, std::vector<const EvaluationCase*>> by_decade(const std::vector<EvaluationCase>& cases) {
  std::map<int, std::vector<const EvaluationCase*>> decades;
  for (const EvaluationCase& one : cases)
    if (one.nonzeros > 0 && one.predicted_s > 0 && one.measured_s > 0) decades[decade_of(one)].push_back(&one);
  return decades;
}

std::string decade_text(int decade) {
  constexpr std::array<const char*, 5> texts{"< 10⁴", "10⁴", "10⁵", "10⁶", "≥ 10⁷"};
  return texts.at(static_cast<std::size_t>(decade - first_decade));
}

// How many ratios fall where, the more the darker; beyond the ends they stand at the ends.
std::string strip_of(const LogAxis& axis, const std::vector<const EvaluationCase*>& cases, std::size_t width) {
  std::vector<std::size_t> counts(width, 0);
  for (const EvaluationCase* one : cases) ++counts[axis.column(ratio_of(*one), width)];
  const auto most = static_cast<double>(*std::ranges::max_element(counts));
  constexpr std::string_view shades = ".:-=+*#@";
  std::string strip;
  for (std::size_t i = 0; i < width; ++i) {
    const double share = std::sqrt(static_cast<double>(counts[i]) / most);  // a single case shows
    const auto shade = static_cast<std::size_t>(share * static_cast<double>(shades.size() - 1));
    strip += counts[i] > 0 ? shades[shade] : i == axis.column(1, width) ? '|' : ' ';
  }
  return strip;
}
}  // namespace

std::string bar_table(std::vector<std::vector<std::string>> rows, std::size_t at,
                      const std::vector<Interval>& intervals, const base::Layout& page) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], base::columns(row[c]));
  constexpr std::size_t widest = 48, narrowest = 12, gap = 2;
  std::size_t taken = 0;
  for (const std::size_t width : widths) taken += width + gap;
  const auto room = static_cast<std::size_t>(page.width);
  const std::size_t width = std::clamp(room - std::min(room, taken), narrowest, widest);
  const LogAxis axis = axis_of(intervals);
  for (std::size_t r = 0; r < rows.size(); ++r)
    rows[r].insert(rows[r].begin() + static_cast<std::ptrdiff_t>(at),
                   r == 0 ? marks_text(axis, width, base::format_seconds) : bar_of(axis, intervals[r - 1], width));
  base::TextTable table(rows.front());
  for (std::size_t r = 1; r < rows.size(); ++r) table.add(rows[r]);
  return table.text(page);
}

Interval total_interval(const MachinePlace& place, std::int64_t iterations) {
  const auto total = [&](double seconds) {
    return place.total_s + static_cast<double>(iterations) * (seconds - place.seconds);
  };
  return {total(place.low_s), place.total_s, total(place.high_s)};
}

std::string chance_text(const MachinePlace& place) {
  return place.faster_probability ? base::format_percent(*place.faster_probability) : "";
}

void require_svg(const std::filesystem::path& file) {
  if (!file.empty() && file.extension() != ".svg")
    throw Error(ErrorCode::usage,
                fmt::format("this picture is an SVG document, and '{}' says otherwise", file.string()), {},
                "name it .svg");
}

std::string ranking_svg(const std::string& title, const std::string& work, const std::vector<MachinePlace>& ranking,
                        std::int64_t iterations) {
  constexpr double line = 22;
  std::vector<Interval> intervals;
  for (const MachinePlace& place : ranking) intervals.push_back(total_interval(place, iterations));
  const bool priced = !ranking.empty() && ranking.front().cost.has_value();
  Svg svg(fmt::format("{}: {}, 90 % interval; probability to {} the next", title, work,
                      priced ? "cost less than" : "finish before"),
          axis_of(intervals), line * static_cast<double>(ranking.size()));
  constexpr double after = Svg::left + Svg::wide + 8;
  double y = Svg::top + 8;
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    const MachinePlace& place = ranking[i];
    const char* colour = !place.fits ? "#bbb" : place.tier == Tier::data_sheet ? "#4477aa" : "#228833";
    svg.write(Svg::left - 8, y + 4, place.device, "text-anchor=\"end\"");
    svg.line(svg.x(intervals[i].low), svg.x(intervals[i].high), y, y,
             fmt::format("stroke=\"{}\" stroke-width=\"5\" stroke-opacity=\"0.4\"", colour));
    svg.path(svg.x(place.total_s), y, circle, fmt::format("fill=\"{}\"", colour));
    svg.write(after, y + 4, place.kernel, "fill=\"#555\"");
    // Between the two that it is about.
    if (place.faster_probability)
      svg.write(after + 126, y + 4 + line / 2, chance_text(place),
                *place.faster_probability < 0.8 ? "fill=\"#aa3377\"" : "fill=\"#555\"");
    y += line;
  }
  return svg.text();
}

std::string scatter_text(const std::vector<EvaluationCase>& cases, const base::Layout& page) {
  const auto decades = by_decade(cases);
  if (decades.empty()) return {};
  constexpr std::size_t widest = 61, narrowest = 21, beside = 42;
  const auto room = static_cast<std::size_t>(std::max(page.width, 20));
  const std::size_t width = std::clamp(room - std::min(room, beside), narrowest, widest);
  const LogAxis axis{std::log10(0.2), std::log10(5)};
  base::TextTable table({"non-zeros", "cases", "median", "inside",
                         marks_text(axis, width, [](double mark) { return fmt::format("{:g}", mark); })});
  for (const auto& [decade, group] : decades) {
    std::vector<double> errors;
    for (const EvaluationCase* one : group) errors.push_back(one->error());
    const auto inside = std::ranges::count_if(group, [](const EvaluationCase* one) {
      return one->low_s <= one->measured_s && one->measured_s <= one->high_s;
    });
    table.add({decade_text(decade), std::to_string(group.size()), base::format_percent(base::median(errors)),
               base::format_percent(static_cast<double>(inside) / static_cast<double>(group.size())),
               strip_of(axis, group, width)});
  }
  return "forecast over measured by decade of non-zeros, the more cases the darker\n\n" + table.text(page);
}

std::string scatter_svg(const std::vector<EvaluationCase>& cases) {
  constexpr double height = 360, most_off = 8;
  const auto decades = by_decade(cases);
  double least = INFINITY, largest = 0;
  for (const auto& [decade, group] : decades)
    for (const EvaluationCase* one : group) {
      least = std::min(least, one->measured_s);
      largest = std::max(largest, one->measured_s);
    }
  if (decades.empty()) least = 1e-6, largest = 1;
  Svg svg(fmt::format("Forecast over measured time of {} cases, over the measured time", cases.size()),
          {std::log10(least) - 0.05, std::log10(largest) + 0.05}, height);
  const LogAxis up{-std::log10(most_off), std::log10(most_off)};
  const auto y = [&](double ratio) { return Svg::top + height * (1 - up.share(ratio)); };
  for (const double ratio : {0.2, 0.5, 0.8, 1., 1.25, 2., 5.}) {
    svg.line(Svg::left, Svg::left + Svg::wide, y(ratio), y(ratio), ratio == 1 ? "stroke=\"#555\"" : "stroke=\"#ddd\"");
    svg.write(Svg::left - 8, y(ratio) + 4, fmt::format("{:g} ×", ratio), "text-anchor=\"end\" fill=\"#555\"");
  }
  constexpr std::array<std::string_view, 5> forms{circle, "M0-5L5 0 0 5-5 0z", "M0-5L5 4-5 4z", "M-4-4H4V4H-4z",
                                                  "M-4-4L4 4M-4 4L4-4"};
  constexpr std::array<const char*, 5> colours{"#4477aa", "#ee6677", "#228833", "#aa3377", "#bb9900"};
  constexpr std::size_t most_points = 1000;  // of a decade
  double legend = Svg::top + 30;
  svg.write(Svg::left + Svg::wide + 14, Svg::top + 10, "non-zeros");
  for (const auto& [decade, group] : decades) {
    const std::size_t k = static_cast<std::size_t>(decade - first_decade);
    const std::string style =
        fmt::format("fill=\"{0}\" stroke=\"{0}\" fill-opacity=\"0.3\" stroke-opacity=\"0.7\"", colours[k]);
    const std::size_t step = (group.size() + most_points - 1) / most_points;
    for (std::size_t i = 0; i < group.size(); i += step)
      svg.path(svg.x(group[i]->measured_s), y(ratio_of(*group[i])), forms[k], style);
    svg.path(Svg::left + Svg::wide + 20, legend, forms[k], style);
    svg.write(Svg::left + Svg::wide + 32, legend + 4,
              fmt::format("{}: {} cases{}", decade_text(decade), group.size(),
                          step > 1 ? fmt::format(", 1 in {}", step) : ""));
    legend += 20;
  }
  return svg.text();
}
}  // namespace sparsecast::app
