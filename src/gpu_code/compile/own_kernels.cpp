// See own_kernels.hpp.

#include "gpu_code/compile/own_kernels.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/home.hpp"

namespace sparsecast::embedded {
std::span<const File> own_gpu_kernels();  ///< benchmarks/gpu-kernels/*.cu
}

namespace sparsecast::gpu_code {

std::vector<std::string> own_kernels() {
  std::vector<std::string> names;
  for (const auto& file : embedded::own_gpu_kernels())
    for (auto at = file.text.find("__global__ void "); at != std::string_view::npos;
         at = file.text.find("__global__ void ", at + 1)) {
      const auto begin = at + 16, end = file.text.find('(', begin);
      if (end != std::string_view::npos) names.emplace_back(file.text.substr(begin, end - begin));
    }
  return names;
}

std::filesystem::path own_kernel_source(const std::string& name) {
  for (const auto& file : embedded::own_gpu_kernels()) {
    if (file.text.find("__global__ void " + name + "(") == std::string_view::npos) continue;
    const auto folder = base::home_folder() / "kernel-sources";
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    auto path = folder / std::string(file.name);
    base::write_file_atomically(path, file.text,
                                {"kernel's source", "set SPARSECAST_HOME to a folder that can be written"});
    return path;
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' is neither a file nor one of this product's own kernels", name), {},
              fmt::format("own kernels: {}", fmt::join(own_kernels(), ", ")));
}

}  // namespace sparsecast::gpu_code
