#include "calibration/feature_table.hpp"
#include "fuzz_input.hpp"

#include "calibration/ginkgo_results.hpp"

// What Ginkgo's benchmark writes, and the profile that is made of it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const sparsecast::fuzz::FileInMemory file(text);
    const auto records = sparsecast::calibration::read_ginkgo_results(file.path());
    (void)sparsecast::calibration::profile_from_records(records, "input", {}, sparsecast::Precision::double_);
  });
}
