#include "fuzz_input.hpp"

#include "matrix/io/read_bytes.hpp"

// Whatever a file may be: archives, compressed text, text of other systems, each of the formats.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view bytes) {
    (void)sparsecast::matrix::read_bytes(bytes, "input", 16 << 20, {.threads = 1, .memory_bytes = 16 << 20});
  });
}
