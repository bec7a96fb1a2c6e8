// What the model `sparsecast` is worth: families of benchmark matrices are held back in three folds, the model is
// fitted to the others and judged on the families held back.
//
//     bench-forecaster PROFILE.profile.json THREADS [KERNEL…]
//
// Columns: error in % of the physical terms alone and of terms and residual, mean / median. Threads: 0 for a profile
// of anything but the host.

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

constexpr int folds = 3;

struct Errors {
  std::vector<double> terms, all;
};

std::string summary(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += error;
  return fmt::format("{:5.1f} / {:4.1f}", 100 * sum / static_cast<double>(errors.size()), 100 * base::median(errors));
}

double relative(double log_error) { return std::abs(std::expm1(log_error)); }

Errors judge(const forecast::Observations& all, const forecast::TermChoice& terms) {
  Errors errors;
  const auto families = static_cast<std::size_t>(all.family_count());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<bool> keep(families), drop(families);
    for (std::size_t f = 0; f < families; ++f) {
      keep[f] = f % folds != fold;
      drop[f] = !keep[f];
    }
    const forecast::Observations rest = all.subset(keep, all.size()), held_back = all.subset(drop, all.size());
    const forecast::KernelFit fit = forecast::fit_kernel(rest, terms);
    for (std::size_t i = 0; i < held_back.size(); ++i) {
      const forecast::KernelFit::Estimate estimate = fit.estimate(held_back.workloads[i], terms(fit.longest_row));
      const double measured = held_back.log_seconds[static_cast<Eigen::Index>(i)];
      errors.terms.push_back(relative(estimate.physical_log - measured));
      errors.all.push_back(relative(estimate.log - measured));
    }
  }
  return errors;
}

void run(const Profile& profile, const std::string& kernel, int threads) {
  const FitOptions options{Precision::double_, threads};
  const forecast::KernelData data = forecast::kernel_data(profile, options, kernel);
  if (data.observations.size() == 0) return;
  const bool exact = std::ranges::all_of(data.observations.workloads, &forecast::Workload::exact);
  const forecast::PhysicalTerms plain(profile, options, exact, false), longest(profile, options, exact, true);
  const Errors errors = judge(data.observations, {plain, longest});
  fmt::print("{:12} terms {}   all {}\n", kernel, summary(errors.terms), summary(errors.all));
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "bench-forecaster PROFILE.profile.json THREADS [KERNEL…]\n");
    return 2;
  }
  try {
    const Profile profile = read_profile(arguments[1]);
    const int threads = std::stoi(arguments[2]);
    std::vector<std::string> kernels(arguments + 3, arguments + count);
    if (kernels.empty()) kernels = forecast::kernels_with_records(profile, {Precision::double_, threads});
    for (const std::string& kernel : kernels) run(profile, kernel, threads);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
