#include "support/measured_home.hpp"

#include <cstdlib>
#include <stdexcept>

#include "calibration/rounds.hpp"
#include "calibration/store.hpp"
#include "hardware/description.hpp"
#include "support/command.hpp"

namespace sparsecast::test {
namespace {
// Tests run beside each other: what the calibration waited for them is not to be told by each command.
void settle(const std::filesystem::path& home) {
  calibration::Store store(home / "store.sqlite");
  const std::optional<Profile> profile = store.profile("host");
  if (!profile) throw std::runtime_error("calibrated, and there is no profile of the host");
  for (const Curve& curve : profile->curves) store.add_curves("host", {calibration::wait_curve(0, curve.threads)});
}
// Another build may have calibrated, as the release build does for those of the sanitizers: its compiler is not to make
// the profile stale.
void take_over(const std::filesystem::path& home) {
  calibration::Store store(home / "store.sqlite");
  std::optional<DeviceProperties> host = store.properties("host");
  if (!host) throw std::runtime_error("calibrated, and there is no description of the host");
  const std::string mine = hardware::describe_host().driver;
  if (host->driver == mine) return;
  host->driver = mine;
  store.begin_profile(*host, "tests");
}
}  // namespace

std::string calibrated_home(const std::filesystem::path& home) {
  if (const char* const measured = std::getenv("SPARSECAST_MEASURED")) {
    const std::filesystem::path folder = measured;
    std::filesystem::copy(folder / "home", home, std::filesystem::copy_options::recursive);
    take_over(home);
    return read_text(folder / "calibrate.json");
  }
  const CommandResult calibrated = sparsecast({"calibrate", "--quick", "--json"}, {"SPARSECAST_HOME=" + home.string()});
  if (calibrated.exit_code != 0) throw std::runtime_error(calibrated.err);
  settle(home);
  return calibrated.out;
}

}  // namespace sparsecast::test
