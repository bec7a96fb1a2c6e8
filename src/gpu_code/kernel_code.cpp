#include "gpu_code/kernel_code.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "gpu_code/amd/amd_model.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/opencl_vectors.hpp"
#include "gpu_code/compile/source_parameters.hpp"

namespace sparsecast::gpu_code {
KernelCode load_code(const std::filesystem::path& file, const std::string& kernel,
                     const std::vector<std::string>& defines, const KernelTimes& times, bool line_info) {
  KernelCode code;
  code.kernel = kernel;
  code.file = file.string();
  if (file.extension() == ".ptx") {
    code.ptx = base::read_file(file);
    return code;
  }
  const auto source = base::read_file(file);
  CompileRequest request;
  request.source = file;
  request.defines = defines;
  for (const auto& type : opencl_vector_structures(source)) {
    request.defines.push_back(aligned_definition(type));
    code.notes.push_back(fmt::format("{} is assumed to be OpenCL's: aligned to its {} bytes", type.name, type.bytes));
  }
  request.architecture = times.architecture;
  request.processor = times.processor;
  request.line_info = line_info || !times.processor.empty();  // AMD: lines join assembly and trace
  code.ptx = compile_to_ptx(request).text;
  if (!times.processor.empty()) code.assembly = compile_for_amd(request);
  // Of k<float> the definition is looked for later, by the name that stands there.
  if (!kernel.empty() && kernel.find_first_of("<:") == std::string::npos)
    code.parameter_names = parameter_names(source, kernel);
  code.source = source;
  return code;
}
}  // namespace sparsecast::gpu_code
