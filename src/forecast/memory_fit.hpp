#pragma once
// Whether a product's format and vectors fit into the memory of its device.

#include <sparsecast/device.hpp>
#include <sparsecast/forecast.hpp>
#include <vector>

namespace sparsecast::forecast {
/// Bytes of the format, and of so many vectors x and y.
[[nodiscard]] double held_bytes(double format_bytes, std::int64_t rows, std::int64_t cols, Precision precision,
                                std::int64_t vectors = 1);

/// Whether the device, whose memory may not be known, has so many.
[[nodiscard]] bool holds(const DeviceProperties& device, double bytes);

/// Sets Forecast::fits of all of them.
void tell_what_fits(std::vector<Forecast>& forecasts, const DeviceProperties& device, const Structure& structure,
                    Precision precision, std::int64_t vectors = 1);

/// Without those that do not fit, where any does.
void keep_what_fits(std::vector<Forecast>& forecasts);
}  // namespace sparsecast::forecast
