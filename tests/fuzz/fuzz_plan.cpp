// A saved plan, for the matrix that the seeds were planned for.
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>

#include "fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const sparsecast::Matrix matrix = sparsecast::generate({"poisson2d", 0, 0, 0, 0, 0, {.size = 6}}, 1);
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const sparsecast::fuzz::FileInMemory file(text);
    (void)sparsecast::Plan::load(file.path(), matrix);
  });
}
