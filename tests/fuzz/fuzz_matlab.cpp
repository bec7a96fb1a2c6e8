#include "../support/matlab_printer.hpp"
#include "fuzz_input.hpp"
#include "memory_traffic/language/parser.hpp"
#include "memory_traffic/translate/translate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    using namespace sparsecast::memory_traffic;
    const SourceText source("input.m", std::string(text));
    (void)print(parse(source));
    (void)translate(source, "input");
  });
}
