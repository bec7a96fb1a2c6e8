#include "cluster/launch/job.hpp"
#include "fuzz_input.hpp"

// A platform file of a simulated cluster.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const sparsecast::fuzz::FileInMemory file(text);
    (void)sparsecast::cluster::read_platform(file.path());
  });
}
