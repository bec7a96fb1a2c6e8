// PTX: whatever stands in the file, parsing and a bounded run end in a trace or an Error.

#include <cstddef>
#include <cstdint>
#include <sparsecast/error.hpp>

#include "kernel/ptx_machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsecast;
  try {
    const auto module = kernel::parse_ptx(std::string(reinterpret_cast<const char*>(data), size), "input");
    for (const auto& code : module.kernels) {
      kernel::Launch launch;
      launch.block = {48, 1, 1};
      kernel::TraceOptions options;
      options.most_steps = 2000;
      if (code.registers.size() > 4096) continue;
      (void)run_block(kernel::PtxCode(module, code, launch), launch, {0, 0, 0}, options);
    }
  } catch (const Error&) {
  }
  return 0;
}
