// Reads PTX for scripts/compare-ptx: from stdin the length (32 bits) and the bytes of each text; to stdout a line:
// empty where it was taken and every kernel of it made ready to run, else why not.

#include <cstdio>
#include <sparsecast/error.hpp>
#include <string>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/ptx/ptx_parser.hpp"
#include "next_text.hpp"

int main() {
  using namespace sparsecast;
  while (const auto text = next_text()) {
    std::string why;
    try {
      const auto module = gpu_code::parse_ptx(*text, "input.ptx");
      gpu_code::Launch launch;
      launch.grid = {1, 1, 1};
      launch.block = {32, 1, 1};
      for (const auto& kernel : module.kernels) (void)gpu_code::PtxCode(module, kernel, launch);
    } catch (const Error& refused) {
      why = refused.what();
    }
    std::puts(why.c_str());
    std::fflush(stdout);
  }
  return 0;
}
