// PTX: parsed, and every kernel of it run for one small block, as the analyser does.
#include "fuzz_input.hpp"
#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/ptx/ptx_parser.hpp"
#include "gpu_code/trace/warp_run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsecast::gpu_code;
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const auto module = parse_ptx(std::string(text), "input.ptx");
    Launch launch;
    launch.grid = {4, 1, 1};
    launch.block = {33, 1, 1};
    TraceOptions options;
    options.most_steps = 4000;
    for (const auto& kernel : module.kernels) {
      if (kernel.registers.size() > 2000) continue;  // every warp holds them all
      const PtxCode code(module, kernel, launch);
      (void)run_block(code, launch, {1, 0, 0}, options);
    }
  });
}
