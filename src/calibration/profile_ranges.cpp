#include "calibration/profile_ranges.hpp"

namespace sparsecast::calibration {

std::span<const base::NumberRange> profile_ranges() {
  using namespace base;
  using enum Numbers;
  static constexpr NumberRange table[] = {
      {"curves[].threads", 0, 1e6, whole},
      {"curves[].x[]", 0, most_rate},
      {"curves[].y[]", 0, most_rate},
      {"micro_benchmarks[].groups", 1, 1e9, whole},
      {"micro_benchmarks[].threads", 1, 1e9, whole},
      {"micro_benchmarks[].bytes", 0, most_stored_bytes, whole},
      {"micro_benchmarks[].shorter.steps", 1, most_counted, whole},
      {"micro_benchmarks[].shorter.cycles", 0, most_rate},
      {"micro_benchmarks[].shorter.seconds", 0, most_seconds, above},
      {"micro_benchmarks[].longer.steps", 1, most_counted, whole},
      {"micro_benchmarks[].longer.cycles", 0, most_rate},
      {"micro_benchmarks[].longer.seconds", 0, most_seconds, above},
      {"matrices[].spec.strips", 0, most_counted, whole},
      {"matrices[].spec.row_length", 0, most_counted},
      {"matrices[].spec.rows", 0, most_counted, whole},
      {"matrices[].spec.cols", 0, most_counted, whole},
      {"matrices[].spec.seed", 0, 18446744073709551616.0, whole},
      {"matrices[].sigma", 0, most_counted},
      {"matrices[].P", 0, most_counted},
      {"records[].matrix", 0, 1e9, whole},
      {"records[].threads", 0, 1e6, whole},
      {"records[].seconds", 0, most_seconds, above},
      {"records[].spread", 0, 1e9},
      {"records[].preprocess_s", 0, most_seconds},
      {"records[].step_s", 0, most_seconds},
      {"records[].launch_s", 0, most_seconds},
  };
  return table;
}

}  // namespace sparsecast::calibration
