#include "pages/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/markup.hpp"

namespace sparsecast::pages {
namespace {

// Its place is a share of the picture, its size is pixels.
std::string mark_at(double x, double y, std::string_view shape, std::string_view classes, std::string_view tip) {
  return fmt::format("<svg x=\"{}\" y=\"{}\" class=\"mark {}\" overflow=\"visible\" data-tip=\"{}\">{}</svg>",
                     percent(x), percent(y), classes, base::markup_escaped(tip), shape);
}

std::string_view shape_of(Plot::Mark mark) {
  switch (mark) {
    case Plot::Mark::circle:
      return "<circle r=\"4.5\"/>";
    case Plot::Mark::diamond:
      return "<path d=\"M0-6L6 0 0 6-6 0z\"/>";
    case Plot::Mark::cross:
      return "<path d=\"M-5-5L5 5M-5 5L5-5\"/>";
    case Plot::Mark::triangle:
      return "<path d=\"M0-6L6 5-6 5z\"/>";
  }
  return "";
}

std::string text_at(std::string_view x, std::string_view y, std::string_view more, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>", x, y, more, base::markup_escaped(text));
}

// Half of the labels of an axis: left out where there is little room.
std::string_view every_other(int number) { return number % 2 == 1 ? " alt" : ""; }

std::string line_of(std::string_view classes, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", classes, percent(x1), percent(y1),
                     percent(x2), percent(y2));
}

}  // namespace

std::string style_class(int number) { return fmt::format("s{}", number % styles); }

Element figure(std::string_view title, const Element& picture, std::string_view note) {
  Element out("figure");
  out.add(Element("figcaption").text(title));
  out.add(Element("div", "scroll zoomed")
              .with("tabindex", "0")
              .with("role", "group")
              .with("aria-label", title)
              .add(picture));
  if (!note.empty()) out.add(Element("p", "note").text(note));
  return out;
}

Element legend(std::span<const std::pair<std::string, int>> entries) {
  Element out("ul", "legend");
  for (const auto& [name, style] : entries)
    out.add(Element("li").add(Element("span", "swatch " + style_class(style)).with("aria-hidden", "true")).text(name));
  return out;
}

Plot::Plot(std::string summary, Axis x, Axis y, int height)
    : summary_(std::move(summary)), x_(std::move(x)), y_(std::move(y)), height_(height) {}

void Plot::point(double x, double y, Mark mark, std::string_view classes, std::string_view tip) {
  content_ += mark_at(left(x), top(y), shape_of(mark), classes, tip);
}

void Plot::name(double x, double y, std::string_view name, std::string_view classes) {
  names_.push_back({left(x), top(y), std::string(name), std::string(classes)});
}

void Plot::line(std::span<const std::pair<double, double>> points, std::string_view classes, std::string_view tip) {
  std::string path;
  for (const auto& [x, y] : points) path += fmt::format("{:.5g},{:.5g} ", 100 * left(x), 100 * top(y));
  content_ += fmt::format(
      "<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\"{}>"
      "<polyline class=\"curve {}\" points=\"{}\" vector-effect=\"non-scaling-stroke\"/></svg>",
      tip.empty() ? "" : fmt::format(" data-tip=\"{}\"", base::markup_escaped(tip)), classes, path);
}

void Plot::bar(double from, double to, double height, std::string_view classes, std::string_view tip) {
  const double x = left(from), y = top(height);
  content_ +=
      fmt::format("<rect class=\"mark bar {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" data-tip=\"{}\"/>", classes,
                  percent(x), percent(y), percent(left(to) - x), percent(1 - y), base::markup_escaped(tip));
}

void Plot::note(double x, double y, std::string_view text, std::string_view classes) {
  notes_.push_back({left(x), top(y), std::string(text), std::string(classes)});
}

std::string Plot::axes() const {
  std::string out;
  int number = 0;
  for (const Tick& tick : x_.scale.ticks()) {
    const double x = left(tick.value);
    out +=
        line_of("grid", x, 0, x, 1) +
        text_at(percent(x), "100%",
                fmt::format("class=\"tick{}\" dy=\"1.4em\" text-anchor=\"middle\"", every_other(number++)), tick.label);
  }
  for (const Tick& tick : y_.scale.ticks(7)) {
    const double y = top(tick.value);
    out += line_of("grid", 0, y, 1, y) +
           text_at("0", percent(y), "class=\"tick\" dx=\"-6\" dy=\"0.35em\" text-anchor=\"end\"", tick.label);
  }
  out += line_of("axis", 0, 1, 1, 1) + line_of("axis", 0, 0, 0, 1);
  out += text_at("100%", "100%", "class=\"axis-title\" dy=\"2.9em\" text-anchor=\"end\"", x_.title);
  return out + text_at("0", "0", "class=\"axis-title\" dx=\"-4.6em\" dy=\"-0.9em\"", y_.title);
}

// Texts one below the other: where each stands, as near to where it belongs as the others let it.
std::vector<double> Plot::moved_apart(std::vector<Text>& texts) const {
  std::ranges::stable_sort(texts, {}, &Text::y);
  const double apart = 15.0 / height_;
  std::vector<double> places;
  for (const Text& text : texts) places.push_back(places.empty() ? text.y : std::max(text.y, places.back() + apart));
  double most = 1;
  for (std::size_t i = places.size(); i-- > 0; most = places[i] - apart) places[i] = std::min(places[i], most);
  return places;
}

// Names stand in a column at the right, notes at the left inside of the picture.
std::string Plot::texts() const {
  std::string out;
  std::vector<Text> names = names_, notes = notes_;
  const std::vector<double> places = moved_apart(names), note_places = moved_apart(notes);
  for (std::size_t i = 0; i < names.size(); ++i)
    out += line_of("leader", names[i].x, names[i].y, 1, places[i]) +
           text_at("100%", percent(places[i]),
                   fmt::format("class=\"name {}\" dx=\"5\" dy=\"0.35em\"", names[i].classes), names[i].text);
  for (std::size_t i = 0; i < notes.size(); ++i)
    out += text_at(percent(notes[i].x), percent(note_places[i]),
                   fmt::format("class=\"note {}\" dx=\"6\" dy=\"-0.5em\"", notes[i].classes), notes[i].text);
  return out;
}

Element Plot::element() const {
  Element svg("svg");
  svg.with("role", "img").with("aria-label", summary_).with("width", "100%").with("height", "100%");
  svg.raw(axes()).raw(content_).raw(texts());
  return Element("div", names_.empty() ? "plot" : "plot named")
      .with("style", fmt::format("height:{:.4g}rem", height_ / 16.0))
      .add(svg);
}

std::string Track::axis() const {
  constexpr double apart = 0.22;  // labels that stand nearer would touch
  std::string out = "<svg class=\"scale\" width=\"100%\" height=\"16\" aria-hidden=\"true\">";
  double last = -1;
  for (const Tick& tick : scale_.ticks(4)) {
    const double x = scale_.at(tick.value);
    out += fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{0}\" y1=\"13\" y2=\"16\"/>", percent(x));
    if (x - last < apart) continue;
    last = x;
    const char* anchor = x < 0.1 ? "start" : x > 0.9 ? "end" : "middle";
    out += text_at(percent(x), "11", fmt::format("class=\"tick\" text-anchor=\"{}\"", anchor), tick.label);
  }
  return out + "</svg>";
}

Element Track::row(const Value& forecast, const Value& measured, std::string_view tip) const {
  Element svg("svg", "mark");
  svg.with("width", "100%").with("height", "22").with("data-tip", tip).with("role", "img").with("aria-label", tip);
  const auto across = [&](double low, double high, std::string_view classes, int y) {
    svg.raw(fmt::format("<line class=\"{}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>", classes,
                        percent(scale_.at(low)), percent(scale_.at(high)), y, y));
  };
  const auto at = [&](double value, std::string_view shape, std::string_view classes) {
    svg.raw(fmt::format("<svg x=\"{}\" y=\"11\" overflow=\"visible\" class=\"{}\">{}</svg>", percent(scale_.at(value)),
                        classes, shape));
  };
  for (const Tick& tick : scale_.ticks(4)) {
    const std::string x = percent(scale_.at(tick.value));
    svg.raw(fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"22\"/>", x));
  }
  if (forecast.low && forecast.high) across(*forecast.low, *forecast.high, "interval", 11);
  if (measured.low && measured.high) across(*measured.low, *measured.high, "noise", 11);
  if (forecast.value) at(*forecast.value, shape_of(Plot::Mark::circle), "forecast");
  if (measured.value) at(*measured.value, shape_of(Plot::Mark::diamond), "measured");
  return svg;
}

Element stacked_bar(std::string_view label, std::span<const BarPart> parts, std::string_view value) {
  Element bar("div", "stack");
  for (const BarPart& part : parts)
    bar.add(Element("span", "mark part " + style_class(part.style))
                .with("style", "width:" + percent(part.share))
                .with("data-tip", part.tip)
                .add("b", part.text));
  return Element("div", "bar-row")
      .add(Element("span", "bar-label").text(label))
      .add(bar)
      .add(Element("span", "bar-value").text(value));
}

}  // namespace sparsecast::pages
