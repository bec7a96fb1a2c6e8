#include "fuzz_input.hpp"
#include "gpu_code/times/kernel_times.hpp"

// A table of kernel times, or the profile of a GPU in its place.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const sparsecast::fuzz::FileInMemory file(text);
    (void)sparsecast::gpu_code::times_of_device(file.path());
  });
}
