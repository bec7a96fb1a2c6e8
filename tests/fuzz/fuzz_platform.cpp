#include "cluster/launch/job.hpp"
#include "cluster/launch/platform.hpp"
#include "fuzz_input.hpp"

// A platform file of a simulated cluster, or the job of a rank.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    if (text.starts_with("{")) {
      (void)sparsecast::cluster::parse_job(std::string(text), "input");
      return;
    }
    const sparsecast::fuzz::FileInMemory file(text);
    (void)sparsecast::cluster::read_platform(file.path());
  });
}
