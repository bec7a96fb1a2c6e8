// What a constant moves: the errors of forecasts of matrices that were left out, with the constant multiplied.
// scripts/sensitivity builds it out of the forecast's own sources with SPARSECAST_VARIED and asks once a constant.
//
//   SPARSECAST_VARY=NAME=FACTOR sensitivity PROFILE.json KERNEL…
//
// prints mean error, its 90 % quantile, mean width of the intervals (logarithms), share inside, mean error of
// conversions.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sparsecast/error.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast_constants.hpp>
#include <string_view>

#include "base/median.hpp"
#include "forecast/sparsecast_model.hpp"

double sparsecast::constants::varied(const char* name, double value) {
  const char* asked = std::getenv("SPARSECAST_VARY");
  if (asked == nullptr) return value;
  const std::string_view text(asked);
  const std::size_t equals = text.find('=');
  return text.substr(0, equals) == name ? value * std::atof(asked + equals + 1) : value;
}

namespace sparsecast {
namespace {
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

int judge(Profile profile, const std::vector<std::string>& kernels) {
  std::erase_if(profile.records, [&](const Record& record) {
    return record.precision != Precision::double_ || record.threads > 1 ||
           std::ranges::find(kernels, record.kernel) == kernels.end();
  });
  if (profile.records.empty()) return std::fputs("no records of these kernels in double on one thread\n", stderr), 1;
  FitOptions options;
  options.threads = profile.records.front().threads;
  std::vector<std::string> names;
  for (const BenchmarkMatrix& matrix : profile.matrices) names.push_back(matrix.structure.name);
  const auto model = forecast::fit_sparsecast_model_without(profile, options, "matrix", names);
  std::vector<double> errors, widths, inside, conversions;
  for (const Record& record : profile.records) {
    const Structure& structure = profile.matrices[static_cast<std::size_t>(record.matrix)].structure;
    const auto f = model->forecast(structure, record.kernel);
    if (!f) continue;
    errors.push_back(std::abs(f->seconds / record.seconds - 1));
    widths.push_back(std::log(f->high_s / f->low_s));
    inside.push_back(f->low_s <= record.seconds && record.seconds <= f->high_s ? 1 : 0);
    if (f->preprocess_s.value_or(0) > 0 && record.preprocess_s > 0)
      conversions.push_back(std::abs(*f->preprocess_s / record.preprocess_s - 1));
  }
  const double tail = base::quantile(errors, 0.9);
  std::printf("%.5f %.5f %.5f %.5f %.5f\n", mean(errors), tail, mean(widths), mean(inside), mean(conversions));
  return 0;
}
}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) try {
  if (argc < 3) return std::fputs("sensitivity PROFILE.json KERNEL…\n", stderr), 2;
  return sparsecast::judge(sparsecast::read_profile(argv[1]), {argv + 2, argv + argc});
} catch (const sparsecast::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
