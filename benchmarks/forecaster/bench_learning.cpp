// What benchmark matrices teach: the model `sparsecast` is fitted to the first so many matrices of the survey, with and
// without the papers' grids, and judged on the last quarter of the survey, which none of the fits has seen.
//
//     bench-learning PROFILE.profile.json THREADS [KERNEL…]
//
// Columns: matrices of the survey, records fitted to, mean and median error in %, cases in the 90 % interval in %.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

#include "base/median.hpp"
#include "forecast/kernel_data.hpp"
#include "forecast/learned/kernel_fit.hpp"

namespace {

using namespace sparsecast;

// Matrices of the papers' grids come in strips; those of the survey have the seeds 1, 2, ….
bool in_grid(const BenchmarkMatrix& matrix) { return matrix.spec.strips > 0; }
int place(const BenchmarkMatrix& matrix) { return static_cast<int>(matrix.spec.seed); }

int last_place(const Profile& profile, const std::string& kernel) {
  int last = 0;
  for (const Record& record : profile.records)
    if (const BenchmarkMatrix& of = profile.matrices[static_cast<std::size_t>(record.matrix)];
        record.kernel == kernel && !in_grid(of))
      last = std::max(last, place(of));
  return last;
}

template <class Keep>
Profile part_of(Profile profile, const Keep& keep) {
  std::erase_if(profile.records,
                [&](const Record& record) { return !keep(profile.matrices[static_cast<std::size_t>(record.matrix)]); });
  return profile;
}

void judge(const Profile& profile, const std::string& kernel, int threads, int first, bool grids, int held_back) {
  const FitOptions options{Precision::double_, threads};
  const Profile seen = part_of(
      profile, [&](const BenchmarkMatrix& m) { return in_grid(m) ? grids : place(m) <= std::min(first, held_back); });
  const Profile unseen =
      part_of(profile, [&](const BenchmarkMatrix& m) { return !in_grid(m) && place(m) > held_back; });
  const forecast::KernelData data = forecast::kernel_data(seen, options, kernel),
                             truth = forecast::kernel_data(unseen, options, kernel);
  if (!forecast::can_learn_residual(data.observations) || truth.observations.size() == 0) return;
  const forecast::PhysicalTerms plain(profile, options, true, false), longest(profile, options, true, true);
  const forecast::KernelFit fit = forecast::fit_kernel(data.observations, {plain, longest});
  std::vector<double> errors;
  double sum = 0, inside = 0;
  for (std::size_t i = 0; i < truth.observations.size(); ++i) {
    const forecast::KernelFit::Estimate estimate =
        fit.estimate(truth.observations.workloads[i], fit.longest_row ? longest : plain);
    const double off = estimate.log - truth.observations.log_seconds[static_cast<Eigen::Index>(i)];
    errors.push_back(std::abs(std::expm1(off)));
    sum += errors.back();
    inside += std::abs(off) <= estimate.half_width ? 1 : 0;
  }
  const auto cases = static_cast<double>(errors.size());
  fmt::print("{:12} {:4} {:5} {:5}  {:5.1f} / {:4.1f}   {:3.0f}\n", kernel, first, grids ? "grids" : "",
             data.observations.size(), 100 * sum / cases, 100 * base::median(errors), 100 * inside / cases);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "bench-learning PROFILE.profile.json THREADS [KERNEL…]\n");
    return 2;
  }
  try {
    const Profile profile = read_profile(arguments[1]);
    const int threads = std::stoi(arguments[2]);
    std::vector<std::string> kernels(arguments + 3, arguments + count);
    if (kernels.empty()) kernels = forecast::kernels_with_records(profile, {Precision::double_, threads});
    for (const std::string& kernel : kernels) {
      const int last = last_place(profile, kernel), held_back = last * 3 / 4;
      for (const int share : {8, 4, 2, 1})
        for (const bool grids : {false, true}) judge(profile, kernel, threads, held_back / share, grids, held_back);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
