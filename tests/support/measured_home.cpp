#include "support/measured_home.hpp"

#include <cstdlib>
#include <stdexcept>

#include "support/command.hpp"

namespace sparsecast::test {

std::string calibrated_home(const std::filesystem::path& home) {
  if (const char* const measured = std::getenv("SPARSECAST_MEASURED")) {
    const std::filesystem::path folder = measured;
    std::filesystem::copy(folder / "home", home, std::filesystem::copy_options::recursive);
    return read_text(folder / "calibrate.json");
  }
  const CommandResult calibrated = sparsecast({"calibrate", "--quick", "--json"}, {"SPARSECAST_HOME=" + home.string()});
  if (calibrated.exit_code != 0) throw std::runtime_error(calibrated.err);
  return calibrated.out;
}

}  // namespace sparsecast::test
