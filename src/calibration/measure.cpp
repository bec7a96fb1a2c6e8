#include "calibration/measure.hpp"

#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "calibration/conversion/conversion_timing.hpp"

namespace sparsecast::calibration {
std::vector<Measurement> measure_kernels(hardware::Device& device, const Matrix& matrix, const Structure& structure,
                                         const std::vector<std::string>& kernels, Precision precision,
                                         const TimingOptions& options, const ProductKind& task, bool conversions) {
  std::vector<Measurement> measurements;
  std::vector<std::unique_ptr<hardware::Product>> products;
  std::vector<hardware::Product*> timed;
  std::vector<std::size_t> rows;  // measurements[rows[k]] is that of timed[k]
  // Formats that stay in memory together share half of it; what would go beyond is timed in a group of its own.
  const std::int64_t group_bytes = device.properties().memory_bytes / 2;
  std::int64_t held_bytes = 0;
  MemoryAtHand memory;

  const auto time_group = [&] {
    TimingOptions here = options;
    here.core_speed = runs_on_cores(device.properties());
    here.threads = device.threads();
    const std::vector<Timing> timings = time_interleaved(timed, here);
    for (std::size_t k = 0; k < timings.size(); ++k) measurements[rows[k]].timing = timings[k];
    products.clear();
    memory.give_back(base::now_s());
    timed.clear();
    rows.clear();
    held_bytes = 0;
  };

  for (const std::string& kernel : kernels) {
    base::throw_if_interrupted();
    Measurement measurement;
    measurement.matrix = matrix.name();
    measurement.rows = matrix.rows();
    measurement.cols = matrix.cols();
    measurement.nonzeros = matrix.nonzeros();
    measurement.device = device.properties().name;
    measurement.kernel = kernel;
    measurement.precision = precision;
    measurement.threads = device.threads();
    try {
      const std::int64_t vectors = task.plain() ? 0 : task.vectors * (matrix.rows() + matrix.cols());
      const std::int64_t bytes = device.format_bytes(structure, kernel, precision) + vectors * value_bytes(precision);
      if (!timed.empty() && held_bytes + bytes > group_bytes) time_group();
      Conversion conversion = convert_fresh(device, matrix, structure, kernel, precision, memory, task,
                                            conversions ? Readings::several : Readings::none);
      measurement.preprocess_s = conversion.seconds;
      held_bytes += bytes;
      timed.push_back(conversion.product.get());
      rows.push_back(measurements.size());
      products.push_back(std::move(conversion.product));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::failed && error.code() != ErrorCode::too_large) throw;
      measurement.failure = error.reason();
    } catch (const std::bad_alloc&) {
      measurement.failure = "too large: out of memory";
    }
    measurements.push_back(std::move(measurement));
  }
  time_group();
  const std::string taken = base::utc_now();
  for (Measurement& measurement : measurements) measurement.taken = taken;
  return measurements;
}
}  // namespace sparsecast::calibration
