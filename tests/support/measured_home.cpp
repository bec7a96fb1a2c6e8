#include "support/measured_home.hpp"

#include <cstdlib>
#include <stdexcept>

#include "calibration/rounds.hpp"
#include "calibration/store.hpp"
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
}  // namespace

std::string calibrated_home(const std::filesystem::path& home) {
  if (const char* const measured = std::getenv("SPARSECAST_MEASURED")) {
    const std::filesystem::path folder = measured;
    std::filesystem::copy(folder / "home", home, std::filesystem::copy_options::recursive);
    return read_text(folder / "calibrate.json");
  }
  const CommandResult calibrated = sparsecast({"calibrate", "--quick", "--json"}, {"SPARSECAST_HOME=" + home.string()});
  if (calibrated.exit_code != 0) throw std::runtime_error(calibrated.err);
  settle(home);
  return calibrated.out;
}

}  // namespace sparsecast::test
