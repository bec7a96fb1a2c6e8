// What --version prints: the version and what was built in.

#include <sparsecast/answers/profiles.hpp>
#include <sparsecast/version.hpp>

#include "app/commands.hpp"
#include "base/guard/parse_json.hpp"
#include "fields/answers/profiles.hpp"
#include "fields/json.hpp"
#include "gpu_code/graph/graphblas.hpp"
#include "hardware/device.hpp"
#ifdef SPARSECAST_GPU_CODE
#endif

namespace sparsecast::app {
namespace {
std::string graphblas() {
#ifdef SPARSECAST_GPU_CODE
  if (gpu_code::graphblas::available()) return gpu_code::graphblas::version();
#endif
  return "not built in";
}
}  // namespace

std::string version_text(const std::vector<std::string>& words) {
  if (std::ranges::find(words, "--json") != words.end())
    return base::json_text(with_schema("version", fields::written(version_details())), 2);
  return fmt::format("sparsecast {}\ncompiler: {}\nbuilt in: {}\nGraphBLAS: {}", library_version(), __VERSION__,
                     fmt::join(hardware::built_in_devices(), ", "), graphblas());
}
}  // namespace sparsecast::app
