#pragma once
// What a product must fetch from the memory of a device that is only described: no forecast is shorter than these bytes
// take at the data sheet's bandwidth, whatever a model learned of other devices.

#include <memory>
#include <sparsecast/device.hpp>
#include <sparsecast/forecast.hpp>

namespace sparsecast::forecast {
/// Bytes of x that are known to be read: of the lines that entries touch, 0 where they were not counted.
[[nodiscard]] double read_of_x(const Structure& structure, Precision precision);

/// Bytes that any product moves: what the format stores once (its entries and the ends of its rows where threads may
/// pass over padding), what is read of x, and y.
[[nodiscard]] double compulsory_bytes(const Structure& structure, Precision precision, const Forecast& forecast,
                                      std::int64_t vectors = 1);

/// Seconds of those that the last caches cannot keep from one product to the next; 0 without a bandwidth.
[[nodiscard]] double least_memory_seconds(const DeviceProperties& device, double bytes);

/// Lifts a forecast that is shorter, and the beginning of its interval. What is lifted is extrapolated.
void keep_above_memory(Forecast& forecast, double least_s);

/// The model, with every forecast kept above.
[[nodiscard]] std::unique_ptr<FittedModel> never_below_memory(std::unique_ptr<FittedModel> model,
                                                              const DeviceProperties& device, Precision precision);
}  // namespace sparsecast::forecast
