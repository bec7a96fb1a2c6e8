#include "calibration/device_curves.hpp"

#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>

#include "base/curve.hpp"
#include "base/machine/fork_join.hpp"
#include "calibration/rounds.hpp"
#include "hardware/host/host_curves.hpp"

namespace sparsecast::calibration {
namespace {
// Measures the curves that are not among those `kept`.
void measure_curves(hardware::Device& device, Store& store, std::vector<Curve> kept, bool quick,
                    const CalibrateOptions& options) {
  try {
    device.measure_curves(kept, quick, options.progress);
  } catch (const Error&) {
    store.add_curves(device.properties().name, kept);
    throw;
  }
  store.add_curves(device.properties().name, kept);
}

// A quick calibration's footprints are four times apart, a full one's two.
bool is_fine(const Profile& profile, int threads) {
  const Curve* curve = profile.curve("read_bandwidth", threads);
  return curve != nullptr && curve->x.size() > 1 && curve->x[1] < 3 * curve->x[0];
}
// Those of so many threads, but for what says how the records were taken.
void drop_measured(std::vector<Curve>& curves, int threads) {
  const Curve repeats = repeat_curve(0, threads), waits = wait_curve(0, threads);
  std::erase_if(curves, [&](const Curve& curve) {
    return curve.threads == threads && curve.name != repeats.name && curve.name != waits.name;
  });
}
}  // namespace

bool waited_for_cores(const Profile& profile, int threads) {
  constexpr double far_more = 10;
  const Curve* launch = profile.curve("launch", threads);
  if (threads <= 1 || launch == nullptr || launch->y.empty()) return false;
  constexpr std::array curves{"read_bandwidth", "dot_bandwidth", "update_bandwidth", "gather_rate"};
  return std::ranges::any_of(curves, [&](std::string_view name) {
    const Curve *several = profile.curve(name, threads), *one = profile.curve(name, 1);
    if (several == nullptr || one == nullptr || !base::usable(*several) || !base::usable(*one)) return false;
    for (std::size_t i = 0; i < several->x.size(); ++i) {
      const double bytes = several->x[i];
      const double work = name == "gather_rate" ? hardware::gathers_of_a_pass(bytes) : bytes;
      if (work / several->y[i] > far_more * (launch->y[0] + work / base::value_at(*one, bytes))) return true;
    }
    return false;
  });
}

void complete_curves(hardware::Device& device, Store& store, const CalibrateOptions& options) {
  const DeviceProperties& properties = device.properties();
  const int threads = device.threads();
  const std::optional<Profile> profile = store.profile(properties.name);
  std::vector<Curve> kept = profile ? profile->curves : std::vector<Curve>();
  // The host's profile may be older than the curves of solvers' passes and of fresh memory.
  const auto there = [&](const char* name) { return profile->curve(name, threads) != nullptr; };
  const bool host = properties.kind == DeviceKind::host;
  bool complete = profile && there("launch") && (!host || there("update_bandwidth")) &&
                  (!host || threads > 1 || there("fresh_bandwidth")) && (!host || threads <= 1 || there("handover"));
  bool quick = options.quick;
  if (complete && waited_for_cores(*profile, threads)) {
    drop_measured(kept, threads);
    quick = quick && !is_fine(*profile, threads);
    complete = false;
  }
  if (!complete) measure_curves(device, store, std::move(kept), quick, options);
}

void renew_curves(hardware::Device& device, Store& store, const CalibrateOptions& options) {
  std::optional<Profile> profile = store.profile(device.properties().name);
  if (!profile) return;
  const bool quick = options.quick && !is_fine(*profile, device.threads());
  drop_measured(profile->curves, device.threads());
  measure_curves(device, store, std::move(profile->curves), quick, options);
}

void match_curves(hardware::Device& device, Store& store, const CalibrateOptions& options) {
  const std::optional<Profile> measured = store.profile(device.properties().name);
  if (!measured) return;
  const int threads = device.threads();
  const Curve* launch = measured->curve("launch", threads);
  const double usual = usual_of_records(measured->records, &Record::launch_s, threads);
  if (launch != nullptr && !launch->y.empty() && !same_fork_join(launch->y[0], usual) &&
      same_fork_join(base::fork_join_seconds(threads), usual))
    measure_curves(device, store, {}, options.quick && !is_fine(*measured, threads), options);
}
}  // namespace sparsecast::calibration
