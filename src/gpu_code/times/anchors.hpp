#pragma once
// Anchors: configurations of which a time is known. They move a forecast's clock and bandwidth, not its shape: the
// ratio of measured to forecast time of what is bound by memory scales the bandwidth, that of all else the clock.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast::gpu_code {

/// CONFIG=SECONDS of the command line: a row of the table, or parameters of a space.
struct Anchor {
  std::int64_t row = 0;                                         ///< from 1; 0: by parameters
  std::vector<std::pair<std::string, std::string>> parameters;  ///< NAME, value
  double seconds = 0;
};

/// "12=0.0031", or "block_size_x=32,tile_size_x=2=0.0031". Error usage.
[[nodiscard]] Anchor parse_anchor(const std::string& text);

/// A forecast beside a measurement.
struct AnchoredTime {
  double forecast_s = 0, measured_s = 0;
  bool by_memory = false;  ///< bound by a bandwidth beyond the multiprocessor
};

/// Whether what bounds a forecast is memory's or the second level's bandwidth.
[[nodiscard]] bool bound_by_bandwidth(const std::string& bound_by);

/// How much longer everything takes than forecast, by what bounds it.
struct AnchoredScale {
  double clock = 1, bandwidth = 1;
  std::size_t anchors = 0;
  [[nodiscard]] double of(bool by_memory) const { return by_memory ? bandwidth : clock; }
};
/// The ratio's median, by logarithms, drawn to 1 as far as so few anchors say little: a board lies off by some spread,
/// a single configuration by another. One kind without an anchor takes the other's.
[[nodiscard]] AnchoredScale anchored_scale(const std::vector<AnchoredTime>& anchors);

}  // namespace sparsecast::gpu_code
