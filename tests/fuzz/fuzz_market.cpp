#include "fuzz_input.hpp"

#include "matrix/io/read_market.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    (void)sparsecast::matrix::read_market(text, "input", {.threads = 1, .memory_bytes = 64 << 20});
  });
}
