// Machine code: the ELF file of a compiled kernel, and what each of its words is.
#include "fuzz_input.hpp"
#include "gpu_code/sass/cubin.hpp"
#include "gpu_code/sass/sass_machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsecast::gpu_code;
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto kernel = read_cubin({bytes, text.size()}, "k", "input.cubin");
    for (const auto& word : kernel.code) {
      (void)sass_operation(word);
      for (int operand = 0; operand < 3; ++operand) (void)register_source(word, operand);
    }
  });
}
