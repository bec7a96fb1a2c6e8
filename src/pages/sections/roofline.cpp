// The roofline: what the device reads from each level of its memory, and how near each kernel comes.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/sections/kernel_rows.hpp"

namespace sparsecast::pages {
namespace {

constexpr std::size_t most_names = 7;
constexpr double far_below = 10;  // slower than the fastest: not drawn, it would take the room of the others

struct RoofPoint {
  std::string kernel;
  double intensity, forecast;
  std::optional<double> measured;
};

std::vector<RoofPoint> points_of(const MatrixDocuments& documents) {
  std::vector<RoofPoint> points;
  double fastest = 0;
  for (const KernelRow& row : kernel_rows(documents))
    if (row.forecast != nullptr) fastest = std::max(fastest, number(*row.forecast, "gflops").value_or(0));
  for (const KernelRow& row : kernel_rows(documents)) {
    if (row.forecast == nullptr || !row.seconds) continue;
    const auto gflops = number(*row.forecast, "gflops"), bytes = number(*row.forecast, "bytes");
    if (!gflops || !bytes || !(*gflops > 0) || !(*bytes > 0)) continue;
    if (*gflops < fastest / far_below) continue;
    const double operations = *gflops * 1e9 * *row.seconds;
    points.push_back({row.kernel, operations / *bytes, *gflops,
                      row.measured ? std::optional<double>(operations / *row.measured / 1e9) : std::nullopt});
  }
  return points;
}

}  // namespace

MaybeElement roofline_section(const MatrixDocuments& documents) {
  if (documents.predict == nullptr || documents.machine == nullptr) return {};
  const std::vector<RoofPoint> points = points_of(documents);
  const Json& levels = list(*documents.machine, "levels");
  if (points.empty() || levels.empty()) return {};
  std::vector<double> across, up;
  for (const RoofPoint& point : points) {
    across.push_back(point.intensity);
    up.push_back(point.forecast);
    if (point.measured) up.push_back(*point.measured);
  }
  across.push_back(*std::ranges::min_element(across) / 2);
  across.push_back(*std::ranges::max_element(across) * 2);
  const Scale x = Scale::logarithmic(across, Unit::plain);
  for (const Json& level : levels)
    if (const auto rate = number(level, "bytes_per_s")) {
      up.push_back(*rate * x.low() / 1e9);
      up.push_back(*rate * x.high() / 1e9);
    }
  Plot plot(
      "Roofline: GFLOP/s of each kernel over its operations per byte of storage, below the bandwidths of the "
      "memory's levels",
      {"operations per byte of the matrix's storage", x}, {"GFLOP/s", Scale::logarithmic(up, Unit::gflops)}, 400);
  int style = 0;
  for (const Json& level : levels) {
    const auto rate = number(level, "bytes_per_s");
    if (!rate) continue;
    const std::vector<std::pair<double, double>> roof{{x.low(), *rate * x.low() / 1e9},
                                                      {x.high(), *rate * x.high() / 1e9}};
    const std::string words = fmt::format("{}, {}/s", text(level, "name"), base::format_bytes(*rate));
    plot.line(roof, fmt::format("roof d{}", style++), words);
    plot.note(x.low(), roof[0].second, words, "roof");
  }
  std::vector<const RoofPoint*> named;
  for (const RoofPoint& point : points) named.push_back(&point);
  for (const RoofPoint& point : points) {
    plot.point(point.intensity, point.forecast, Plot::Mark::circle, "forecast",
               fmt::format("{}: {:.3g} GFLOP/s forecast", point.kernel, point.forecast));
    if (point.measured)
      plot.point(point.intensity, *point.measured, Plot::Mark::diamond, "measured",
                 fmt::format("{}: {:.3g} GFLOP/s measured", point.kernel, *point.measured));
  }
  std::ranges::stable_sort(named, std::ranges::greater{}, [](const RoofPoint* p) { return p->forecast; });
  named.resize(std::min(named.size(), most_names));
  for (const RoofPoint* point : named) plot.name(point->intensity, point->forecast, point->kernel);
  return figure("Roofline: circles are forecasts, diamonds measured", plot.element(),
                "Lines are what this device reads from each level, measured by its calibration or, where nothing was "
                "measured, by its data sheet. A matrix that fits a cache is read from there again by the next product; "
                "vectors are not counted in the bytes.");
}

}  // namespace sparsecast::pages
