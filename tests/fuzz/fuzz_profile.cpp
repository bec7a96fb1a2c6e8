#include "fuzz_input.hpp"

#include "calibration/profile_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(
      data, size, [](std::string_view text) { (void)sparsecast::calibration::profile_from_text(text, "input"); });
}
