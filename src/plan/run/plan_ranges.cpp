#include "plan/run/plan_ranges.hpp"

namespace sparsecast::planning {

std::span<const base::NumberRange> plan_ranges() {
  using namespace base;
  using enum Numbers;
  static constexpr NumberRange table[] = {
      {"strategy[].first_strip", 1, most_counted, whole},
      {"strategy[].last_strip", 1, most_counted, whole},
      {"strategy[].first_row", 0, most_counted, whole},
      {"strategy[].last_row", 0, most_counted, whole},
      {"strategy[].seconds", 0, most_seconds},
      {"strategy[].conversion_s", 0, most_seconds},
      {"best_cut[].first_strip", 1, most_counted, whole},
      {"best_cut[].last_strip", 1, most_counted, whole},
      {"best_cut[].first_row", 0, most_counted, whole},
      {"best_cut[].last_row", 0, most_counted, whole},
      {"best_cut[].seconds", 0, most_seconds},
      {"best_cut[].conversion_s", 0, most_seconds},
      {"matrix.rows", 0, most_counted, whole},
      {"matrix.cols", 0, most_counted, whole},
      {"predicted_s", 0, most_seconds},
      {"conversion_s", 0, most_seconds},
      {"best_single.seconds", 0, most_seconds},
      {"best_single.conversion_s", 0, most_seconds},
      {"singles[].seconds", 0, most_seconds},
      {"singles[].conversion_s", 0, most_seconds},
      {"gain", -1e9, 1e9},
      {"gain_low", -1e9, 1e9},
      {"gain_high", -1e9, 1e9},
      {"strips", 0, most_counted, whole},
      {"strip_rows", 0, most_counted, whole},
      {"iterations", 0, most_counted, whole},
      {"break_even", -1, most_counted, whole},
      {"planning_s", 0, most_seconds},
      {"threads", 0, 1024, whole},
  };
  return table;
}

}  // namespace sparsecast::planning
