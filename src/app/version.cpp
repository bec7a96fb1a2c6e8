// What --version prints: the version and what was built in.

#include <fmt/format.h>

#include "app/commands.hpp"
#include "devices/device.hpp"

namespace sparsecast::app {

std::string version_text() {
  return fmt::format("sparsecast {}\ncompiler: {}\nbuilt in: {}", SPARSECAST_VERSION, __VERSION__,
                     fmt::join(built_in_devices(), ", "));
}

}  // namespace sparsecast::app
