// What --version prints: the version and what was built in.

#include <fmt/format.h>

#include <sparsecast/version.hpp>

#include "app/commands.hpp"
#include "devices/device.hpp"
#include "gpu_code/graph/graphblas.hpp"

namespace sparsecast::app {

std::string version_text() {
  return fmt::format("sparsecast {}\ncompiler: {}\nbuilt in: {}\nGraphBLAS: {}", library_version(), __VERSION__,
                     fmt::join(devices::built_in_devices(), ", "),
                     gpu_code::graphblas::available() ? gpu_code::graphblas::version() : "not built in");
}

}  // namespace sparsecast::app
