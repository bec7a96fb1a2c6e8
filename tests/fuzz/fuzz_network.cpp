#include "cluster/described/network.hpp"
#include "fuzz_input.hpp"

// The description of a network between nodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(
      data, size, [](std::string_view text) { (void)sparsecast::cluster::network_from_text(text, "input"); });
}
