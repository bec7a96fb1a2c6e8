#include "cluster/cluster_profile.hpp"
#include "fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(
      data, size, [](std::string_view text) { (void)sparsecast::cluster::cluster_profile_from_text(text, "input"); });
}
