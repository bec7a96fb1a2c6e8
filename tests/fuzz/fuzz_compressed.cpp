#include "fuzz_input.hpp"
#include "matrix/io/packed/decompressor.hpp"

#include "matrix/io/packed/compressed_text.hpp"

// Text by way of each decompressor, in pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view bytes) {
    if (sparsecast::matrix::compression_of(bytes).empty()) return;
    sparsecast::matrix::CompressedText text(bytes, "input");
    while (text.text_bytes() < 1 << 20 && !text.next(1 << 14).empty()) {
    }
  });
}
