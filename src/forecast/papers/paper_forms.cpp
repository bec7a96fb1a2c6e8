#include "forecast/papers/paper_forms.hpp"

#include <map>
#include <set>

namespace sparsecast::forecast {
namespace {
using Key = double GridPoint::*;

// Points grouped by one of their coordinates.
std::map<double, std::vector<GridPoint>> grouped(const std::vector<GridPoint>& points, Key key) {
  std::map<double, std::vector<GridPoint>> groups;
  for (const GridPoint& point : points) groups[point.*key].push_back(point);
  return groups;
}

std::size_t distinct(const std::vector<GridPoint>& points, Key key) {
  std::set<double> values;
  for (const GridPoint& point : points) values.insert(point.*key);
  return values.size();
}

Line line_over(const std::vector<GridPoint>& points, Key key) {
  std::vector<double> x, y;
  for (const GridPoint& point : points) {
    x.push_back(point.*key);
    y.push_back(point.seconds);
  }
  return fit_line(x, y);
}

// "Any arbitrary value within the range": the one with the most points along the other axis, the larger of equals,
// whose times are longer and so better known.
const std::vector<GridPoint>* richest(const std::map<double, std::vector<GridPoint>>& groups, Key other) {
  const std::vector<GridPoint>* best = nullptr;
  for (const auto& [value, points] : groups)
    if (best == nullptr || distinct(points, other) >= distinct(*best, other)) best = &points;
  return best;
}
}  // namespace

std::optional<CsrForm::Side> CsrForm::fit_side(const std::vector<GridPoint>& points) {
  const auto by_strips = grouped(points, &GridPoint::strips);
  const auto by_length = grouped(points, &GridPoint::row_length);
  const std::vector<GridPoint>* row = richest(by_strips, &GridPoint::row_length);
  if (row == nullptr || distinct(*row, &GridPoint::row_length) < 2) return std::nullopt;
  // M stands where both lines cross, so P of the second line is one that the first line has too.
  const std::vector<GridPoint>* column = nullptr;
  double reference_s = 0;
  for (const GridPoint& candidate : *row) {
    const std::vector<GridPoint>& other = by_length.at(candidate.row_length);
    if (column == nullptr || distinct(other, &GridPoint::strips) >= distinct(*column, &GridPoint::strips)) {
      column = &other;
      reference_s = candidate.seconds;
    }
  }
  if (distinct(*column, &GridPoint::strips) < 2) return std::nullopt;
  return Side{line_over(*row, &GridPoint::row_length), line_over(*column, &GridPoint::strips), reference_s};
}

std::optional<CsrForm> CsrForm::fit(const std::vector<GridPoint>& points, double break_at) {
  std::vector<GridPoint> below, above;
  for (const GridPoint& point : points) {
    if (point.row_length <= break_at) below.push_back(point);
    if (point.row_length >= break_at) above.push_back(point);
  }
  const std::optional<Side> low = fit_side(below), high = fit_side(above);
  if (!low && !high) return std::nullopt;
  CsrForm form;
  form.below_ = low ? *low : *high;
  form.above_ = high ? *high : *low;
  form.has_below_ = low.has_value();
  form.has_above_ = high.has_value();
  form.break_at_ = break_at;
  return form;
}

double CsrForm::operator()(double strips, double row_length) const {
  const Side& side = row_length <= break_at_ ? below_ : above_;
  return side.over_row_length(row_length) / side.reference_s * side.over_strips(strips);
}

std::optional<EllForm> EllForm::fit(const std::vector<GridPoint>& points) {
  std::vector<double> strips, slopes;
  for (const auto& [value, group] : grouped(points, &GridPoint::strips)) {
    if (distinct(group, &GridPoint::row_length) < 2) continue;
    strips.push_back(value);
    slopes.push_back(line_over(group, &GridPoint::row_length).slope);
  }
  const auto by_length = grouped(points, &GridPoint::row_length);
  const std::vector<GridPoint>* column = richest(by_length, &GridPoint::strips);
  if (strips.size() < 2 || column == nullptr || distinct(*column, &GridPoint::strips) < 2) return std::nullopt;
  EllForm form;
  form.f_ = fit_line(strips, slopes);
  form.e_ = line_over(*column, &GridPoint::strips);
  form.p1_ = column->front().row_length;
  return form;
}

double EllForm::operator()(double strips, double row_length) const {
  const double f = f_(strips);
  const double g = e_(strips) - f * p1_;
  return f * row_length + g;
}

std::optional<CooForm> CooForm::fit(const std::vector<GridPoint>& points) {
  if (distinct(points, &GridPoint::strips) < 2) return std::nullopt;
  CooForm form;
  form.line_ = line_over(points, &GridPoint::strips);
  return form;
}
}  // namespace sparsecast::forecast
