#include "calibration/feature_table.hpp"
#include "fuzz_input.hpp"

// A table of features and times, plain or compressed, and the profile that is made of it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const sparsecast::fuzz::FileInMemory file(text);
    const auto records = sparsecast::calibration::read_feature_table(file.path(), true);
    (void)sparsecast::calibration::profile_from_records(records, "input", {}, sparsecast::Precision::double_);
  });
}
