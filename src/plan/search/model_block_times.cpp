#include "plan/search/model_block_times.hpp"

#include <algorithm>
#include <cmath>

#include "formats/sell.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast::planning {

void GrowingStructure::add(const StripContent& strip, std::span<const RowLengthCount> lengths) {
  Structure& s = structure_;
  s.rows += std::llround(strip.rows);
  s.nonzeros += std::llround(strip.nonzeros);
  s.row_max = std::max(s.row_max, strip.longest);
  s.row_mean = s.rows > 0 ? number(s.nonzeros) / number(s.rows) : 0;
  s.row_histogram.insert(s.row_histogram.end(), lengths.begin(), lengths.end());
  merge_lengths(s.row_histogram);
  // The shorter of two lengths that are equally common, as everywhere (structure.hpp).
  const auto mode = std::ranges::max_element(s.row_histogram, {}, &RowLengthCount::rows);
  if (mode != s.row_histogram.end()) s.row_mode = mode->length;
  slots_8_ += strip.slots_8;
  slots_32_ += strip.slots_32;
  s.slices = {{formats::host_sell.slice_rows, formats::host_sell.sort_rows, std::llround(slots_8_)},
              {formats::gpu_sell.slice_rows, formats::gpu_sell.sort_rows, std::llround(slots_32_)}};
}

ModelBlockTimes::ModelBlockTimes(const forecast::ModelSet& models, const QuickForecast& quick, const StripSums& strips,
                                 const std::vector<Forecast>& whole, const std::vector<bool>& whole_only,
                                 Objective objective)
    : models_(models), quick_(quick), strips_(strips), whole_(whole), objective_(objective) {
  for (std::size_t k = 0; k < quick.kernels().size(); ++k)
    if (!whole_only[k]) kernels_.push_back(quick.kernels()[k]);
}

double ModelBlockTimes::cost(const Forecast& forecast) const {
  return objective_.product * forecast.seconds + objective_.conversion * forecast.preprocess_s.value_or(0);
}

std::vector<Forecast> ModelBlockTimes::forecasts(std::int64_t first, std::int64_t last) const {
  if (whole(first, last)) return whole_;
  GrowingStructure block(strips_.cols());
  for (std::int64_t strip = first; strip <= last; ++strip) block.add(strips_[strip], strips_.lengths(strip));
  return models_.best(block.structure(), kernels_);
}

void ModelBlockTimes::column(std::int64_t j, std::span<double> seconds, std::span<std::int32_t> kernels) {
  GrowingStructure block(strips_.cols());
  for (std::int64_t i = j; i >= 1; --i) {
    block.add(strips_[i], strips_.lengths(i));
    seconds[at(i - 1)] = never;
    kernels[at(i - 1)] = 0;
    const std::vector<Forecast> asked =
        whole(i, j) ? std::vector<Forecast>() : models_.best(block.structure(), kernels_);
    for (const Forecast& forecast : whole(i, j) ? whole_ : asked) {
      const int kernel = quick_.find(forecast.kernel);
      if (kernel < 0 || cost(forecast) >= seconds[at(i - 1)]) continue;
      seconds[at(i - 1)] = cost(forecast);
      kernels[at(i - 1)] = kernel;
    }
  }
}

const Forecast& ModelBlockTimes::forecast_of(int kernel, const std::vector<Forecast>& forecasts) const {
  static const Forecast none = [] {
    Forecast unknown;
    unknown.seconds = never;
    return unknown;
  }();
  const auto found =
      std::ranges::find(forecasts, quick_.kernels()[static_cast<std::size_t>(kernel)], &Forecast::kernel);
  return found == forecasts.end() ? none : *found;
}

double ModelBlockTimes::seconds(int kernel, std::int64_t first, std::int64_t last) const {
  const std::vector<Forecast> asked = forecasts(first, last);
  return forecast_of(kernel, asked).seconds;
}

double ModelBlockTimes::conversion_seconds(int kernel, std::int64_t first, std::int64_t last) const {
  const std::vector<Forecast> asked = forecasts(first, last);
  return forecast_of(kernel, asked).preprocess_s.value_or(0);
}

double ModelBlockTimes::doubt(int kernel, int single) const {
  const auto deviation = [&](int of) {
    const Forecast& forecast = forecast_of(of, whole_);
    return forecast.low_s > 0 ? std::log(forecast.high_s / forecast.low_s) / 2 / two_sided_90 : 1.0;
  };
  return kernel == single ? deviation(kernel) : std::hypot(deviation(kernel), deviation(single));
}

}  // namespace sparsecast::planning
