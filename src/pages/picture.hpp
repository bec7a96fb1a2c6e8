#pragma once
// Pictures of a page. Widths are shares of the room that there is and heights are pixels, so that texts and lines keep
// their size from a telephone to a wall; the page's script enlarges a picture by giving it more room.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pages/element.hpp"
#include "pages/scale.hpp"

namespace sparsecast::pages {

/// Colours with patterns, lines with marks: as many as are told apart without colour.
constexpr int styles = 8;
/// "s3": the class of the style of this number.
std::string style_class(int number);

/// The frame of a picture with its title; `note` stands below it.
Element figure(std::string_view title, const Element& picture, std::string_view note = {});
/// Names with the pattern of each: {name, style}.
Element legend(std::span<const std::pair<std::string, int>> entries);

struct Axis {
  std::string title;
  Scale scale;
};

/// Points and lines over two axes.
class Plot {
 public:
  /// `summary` says in words what is to be seen, for those who listen.
  Plot(std::string summary, Axis x, Axis y, int height = 320);

  enum class Mark { circle, diamond, cross, triangle };
  void point(double x, double y, Mark mark, std::string_view classes, std::string_view tip);
  /// A name beside the picture with a line to its point; names move apart.
  void name(double x, double y, std::string_view name, std::string_view classes = {});
  void line(std::span<const std::pair<double, double>> points, std::string_view classes, std::string_view tip = {});
  /// A bar from the lower end of the y axis.
  void bar(double from, double to, double height, std::string_view classes, std::string_view tip);
  /// A text inside the picture at its left end.
  void note(double x, double y, std::string_view text, std::string_view classes = {});
  [[nodiscard]] Element element() const;

 private:
  struct Text {
    double x, y;
    std::string text, classes;
  };
  [[nodiscard]] double left(double x) const { return x_.scale.at(x); }
  [[nodiscard]] double top(double y) const { return 1 - y_.scale.at(y); }
  [[nodiscard]] std::string axes() const;
  [[nodiscard]] std::vector<double> moved_apart(std::vector<Text>& texts) const;
  [[nodiscard]] std::string texts() const;

  std::string summary_;
  Axis x_, y_;
  int height_;
  std::string content_;
  std::vector<Text> names_, notes_;
};

/// A value with its interval on a line, and what was measured: pictures in a column of a table.
class Track {
 public:
  explicit Track(const Scale& scale) : scale_(scale) {}
  struct Value {
    std::optional<double> value, low, high;
  };
  [[nodiscard]] std::string axis() const;
  [[nodiscard]] Element row(const Value& forecast, const Value& measured, std::string_view tip) const;

 private:
  Scale scale_;
};

/// One bar of several parts, side by side: {share of the whole width, style, text}.
struct BarPart {
  double share;
  int style;
  std::string text, tip;
};
Element stacked_bar(std::string_view label, std::span<const BarPart> parts, std::string_view value);

}  // namespace sparsecast::pages
