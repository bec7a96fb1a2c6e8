#include "fuzz_input.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/times/measured_times.hpp"
#include "gpu_code/times/time_belief.hpp"

// A table of kernel times, or the profile of a GPU in its place; or what the command line says of one time.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    if (text.starts_with("=")) {
      (void)sparsecast::gpu_code::parse_anchor(std::string(text.substr(1)));
      return;
    }
    const sparsecast::fuzz::FileInMemory file(text);
    (void)sparsecast::gpu_code::times_of_device(file.path());
  });
}
