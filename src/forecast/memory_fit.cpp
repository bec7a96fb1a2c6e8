#include "forecast/memory_fit.hpp"

#include <algorithm>

namespace sparsecast::forecast {
double held_bytes(double format_bytes, std::int64_t rows, std::int64_t cols, Precision precision,
                  std::int64_t vectors) {
  const double of_vectors = static_cast<double>(vectors) * value_bytes(precision);
  return format_bytes + of_vectors * (static_cast<double>(rows) + static_cast<double>(cols));
}

bool holds(const DeviceProperties& device, double bytes) {
  return device.memory_bytes <= 0 || bytes <= static_cast<double>(device.memory_bytes);
}

void tell_what_fits(std::vector<Forecast>& forecasts, const DeviceProperties& device, const Structure& structure,
                    Precision precision, std::int64_t vectors) {
  for (Forecast& one : forecasts)
    one.fits = holds(device, held_bytes(static_cast<double>(one.bytes.value_or(0)), structure.rows, structure.cols,
                                        precision, vectors));
}

void keep_what_fits(std::vector<Forecast>& forecasts) {
  if (std::ranges::any_of(forecasts, &Forecast::fits))
    std::erase_if(forecasts, [](const Forecast& f) { return !f.fits; });
}
}  // namespace sparsecast::forecast
