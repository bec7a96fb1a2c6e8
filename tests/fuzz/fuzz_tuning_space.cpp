// Tuning problems: read, walked for a while, and the launch of every configuration found, as a search does.
#include "fuzz_input.hpp"
#include "gpu_code/space/tuning_problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsecast::gpu_code;
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const TuningProblem problem(std::string(text), "input.json", {});
    int visited = 0;
    problem.walk(
        [&](std::span<const std::uint16_t> choice) {
          (void)problem.row(choice);
          return ++visited < 100;
        },
        10'000);
  });
}
