#pragma once
// How wide an interval is depends on how large a matrix is: short products scatter by more.

#include <array>
#include <cstddef>

namespace sparsecast::forecast {
/// 90 % interval of log(measured / forecast), by decade of non-zeros from 10³ to 10⁷; what is beyond is as the last.
struct DecadeIntervals {
  struct Width {
    double low = -1, high = 1;
  };
  static constexpr std::size_t decades = 5;
  std::array<Width, decades> widths{};
  [[nodiscard]] static std::size_t decade_of(double nonzeros);
  [[nodiscard]] const Width& at(double nonzeros) const { return widths[decade_of(nonzeros)]; }
};
}  // namespace sparsecast::forecast
