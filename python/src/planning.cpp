#include "planning.hpp"

#include <nanobind/nanobind.h>
#include <omp.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>
#include <system_error>
#include <utility>

#include "base/home.hpp"
#include "calibration/store.hpp"
#include "forecast/record_choice.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::python {
namespace {

namespace fs = std::filesystem;

constexpr double starting_threads_matters_s = 1e-3;

// What tells that a file is the one that was read.
std::string stamp_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) return "none";
  const auto written = fs::last_write_time(file, error).time_since_epoch().count();
  return std::to_string(size) + " " + std::to_string(written);
}

std::string stamp_of(const Wishes& wishes) {
  if (!wishes.profile.empty()) return stamp_of(fs::path(wishes.profile));
  const fs::path store = base::home_folder() / "store.sqlite";
  return store.string() + " " + stamp_of(store) + " " + stamp_of(store.string() + "-wal");
}

// A fit to a thorough calibration takes a minute the first time. A warning that is made an error does not end it.
void warn_of_fit(std::string_view line) {
  const nanobind::gil_scoped_acquire lock;
  if (PyErr_WarnEx(PyExc_UserWarning, ("sparsecast: " + std::string(line)).c_str(), 1) < 0) PyErr_Clear();
}

// One profile with its planners.
class Machine {
 public:
  explicit Machine(Profile profile) : profile_(std::move(profile)) {}

  [[nodiscard]] bool is_host() const { return profile_.properties.kind == DeviceKind::host; }
  [[nodiscard]] const Profile& profile() const { return profile_; }
  // Those that the default kernel, which every plan is compared with, has records of. Greatest first; {0} for other
  // devices.
  [[nodiscard]] std::vector<int> threads(Precision precision, int most) const {
    if (!is_host()) return {0};
    std::set<int, std::greater<>> counts;
    for (const Record& record : profile_.records)
      if (record.threads <= most && record.kernel == formats::default_kernel().name) counts.insert(record.threads);
    std::erase_if(counts, [&](int count) { return !forecast::has_records(profile_, {precision, count, {}}); });
    return {counts.begin(), counts.end()};
  }
  std::shared_ptr<const Planner> planner(Precision precision, int threads) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Planner>& kept = planners_[{precision, threads}];
    if (kept == nullptr) kept = std::make_shared<Planner>(profile_, precision, threads, warn_of_fit);
    return kept;
  }

 private:
  Profile profile_;
  std::mutex mutex_;
  std::map<std::pair<Precision, int>, std::shared_ptr<const Planner>> planners_;
};

struct KnownMachine {
  std::string stamp;
  std::shared_ptr<Machine> machine;
};

std::shared_ptr<Machine> machine_of(const Wishes& wishes) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, KnownMachine> known;
  const std::lock_guard lock(mutex);
  KnownMachine& found = known[{wishes.device, wishes.profile}];
  if (found.machine != nullptr && found.stamp == stamp_of(wishes)) return found.machine;
  found.machine = std::make_shared<Machine>(wishes.profile.empty() ? calibrated_profile(wishes.device)
                                                                   : read_profile(wishes.profile));
  found.stamp = stamp_of(wishes);
  return found.machine;
}

// What is to be small.
double cost(const Strategy& strategy) {
  return strategy.iterations > 0
             ? static_cast<double>(strategy.iterations) * strategy.predicted_s + strategy.conversion_s
             : strategy.predicted_s;
}

}  // namespace

int most_threads(int asked) {
  const int allowed = std::min(available_cores(), omp_get_max_threads());
  return std::max(1, asked > 0 ? std::min(asked, allowed) : allowed);
}

std::vector<int> missing_calibrations(const Wishes& wishes) {
  if (!wishes.profile.empty()) return {};
  const bool host = wishes.device == "host";
  const bool here = host || wishes.device.starts_with("opencl:") || wishes.device.starts_with("cuda:");
  const int most = most_threads(wishes.threads);
  std::set<int, std::greater<>> missing;
  if (host) missing = {most, 1};
  try {
    const std::shared_ptr<Machine> machine = machine_of(wishes);
    for (const int count : machine->threads(wishes.precision, most)) missing.erase(count);
  } catch (const Error& error) {
    if (!here || error.code() != ErrorCode::failed) throw;  // failed: it is here and was never calibrated
    if (!host) missing = {0};
  }
  return {missing.begin(), missing.end()};
}

Strategy best_strategy(const Matrix& matrix, const Wishes& wishes) {
  if (matrix.nonzeros() == 0 && wishes.device == "host")  // there is nothing to choose
    return one_kernel(matrix, std::string(formats::default_kernel().name), wishes.precision, 1);
  const std::shared_ptr<Machine> machine = machine_of(wishes);
  const std::vector<int> counts = machine->threads(wishes.precision, most_threads(wishes.threads));
  if (counts.empty())
    throw Error(ErrorCode::failed,
                "the profile of " + machine->profile().name + " has no times of at most " +
                    std::to_string(most_threads(wishes.threads)) + " threads",
                {}, "calibrate here, or name another profile");
  Strategy best;
  for (const int threads : counts) {
    Strategy one = machine->planner(wishes.precision, threads)->strategy(matrix, wishes.strategy);
    const bool first = best.blocks.empty();
    if (first || cost(one) < cost(best)) best = std::move(one);
    if (first && best.predicted_s > starting_threads_matters_s) break;
  }
  return best;
}

void use_one_thread() { omp_set_num_threads(1); }

}  // namespace sparsecast::python
