#include "fuzz_input.hpp"
#include "gpu_code/tuning_space.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const sparsecast::fuzz::FileInMemory file(text);
    (void)sparsecast::gpu_code::read_tuning_table(file.path());
  });
}
