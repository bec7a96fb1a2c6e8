#include "gpu_code/ptx/ptx.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>

#include "fields/wording.hpp"
#include "gpu_code/compile/source_parameters.hpp"

namespace sparsecast::gpu_code {
namespace {
/// k, space::k, k<float> or space::k<float>, as far as the name goes.
bool is_called(const PtxKernel& kernel, const std::string& name) {
  const std::string whole = qualified_name(kernel.name), asked = without_blanks(name);
  return whole == asked || whole.ends_with("::" + asked) || source_name(kernel.name) == asked;
}
}  // namespace

const PtxKernel& find_kernel(const PtxModule& module, const std::string& name) {
  std::string names;
  for (const auto& kernel : module.kernels) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + qualified_name(kernel.name);
  }
  // By the source's name, where that means one.
  std::vector<const PtxKernel*> found;
  for (const auto& kernel : module.kernels)
    if (!name.empty() && is_called(kernel, name)) found.push_back(&kernel);
  if (found.size() == 1) return *found.front();
  if (found.size() > 1) {
    std::string symbols;
    for (const auto* kernel : found) symbols += (symbols.empty() ? "" : ", ") + kernel->name;
    throw Error(
        ErrorCode::usage, fmt::format("there is more than one kernel '{}'", name), {module.file},
        wording::format("choose with {} by the compiler's name: {}", wording::option("kernel.kernel"), symbols));
  }
  if (module.kernels.empty())
    throw Error(ErrorCode::bad_input, "it contains no kernel", {module.file},
                "check that a function is marked __global__ or __kernel");
  if (!name.empty())
    throw Error(ErrorCode::usage, fmt::format("there is no kernel '{}'", name), {module.file}, "it has: " + names);
  if (module.kernels.size() > 1)
    throw Error(ErrorCode::usage, "there is more than one kernel", {module.file},
                wording::format("choose with {}: {}", wording::option("kernel.kernel"), names));
  return module.kernels.front();
}
}  // namespace sparsecast::gpu_code
