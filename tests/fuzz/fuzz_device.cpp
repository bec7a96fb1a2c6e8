#include "base/guard/parse_json.hpp"
#include "fuzz_input.hpp"
#include "hardware/description.hpp"

#include <nlohmann/json.hpp>

// The description of a machine.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    (void)sparsecast::hardware::described_device(sparsecast::base::parse_json(text, {"input", {}}), "input");
  });
}
