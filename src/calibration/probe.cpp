#include "calibration/probe.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/temporary_folder.hpp"
#include "calibration/calibrate.hpp"
#include "fields/tier.hpp"
#include "hardware/description.hpp"

namespace sparsecast::calibration {
namespace {
DeviceProperties described_here(const hardware::Device& device) {
  const DeviceProperties& found = device.properties();
  if (found.kind != DeviceKind::host) return found;
  DeviceProperties host = with_threads(hardware::describe_host(), device.threads());
  for (CacheLevel& cache : host.caches) cache.shared_by = std::min(cache.shared_by, host.compute_units);
  return host;
}
}  // namespace

Profile probe_device(hardware::Device& device, const ProbeOptions& options) {
  const double start = base::now_s();
  if (options.progress) options.progress({0, -1, "bandwidth and launch"});
  const DeviceProperties described = described_here(device);
  hardware::require_description(described, described.name);
  const base::TemporaryFolder folder;
  Store store(folder.path() / "probe.sqlite");
  const int all = device.threads();
  for (int threads : described.kind == DeviceKind::host && all > 1 ? std::vector{1, all} : std::vector{all}) {
    const double left = std::max(1.0, start + options.max_s - base::now_s());
    calibrate(*hardware::open_device(described.name, threads), store,
              {.quick = true,
               .precision = options.precision,
               .max_s = threads == all ? left : left / 2,
               .progress = options.progress});
  }
  Profile profile = *store.profile(described.name);
  profile.properties = described;
  profile.tier = Tier::probe;
  return profile;
}
}  // namespace sparsecast::calibration
