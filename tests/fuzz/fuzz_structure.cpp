#include <sparsecast/structure.hpp>

#include "fuzz_input.hpp"

// The JSON of a structure, and back: what was read is written and read again alike.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const auto structure = sparsecast::structure_from_json(text, "input");
    const std::string written = sparsecast::to_json(structure);
    if (sparsecast::to_json(sparsecast::structure_from_json(written, "again")) != written) __builtin_trap();
  });
}
