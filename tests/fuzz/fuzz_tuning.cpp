#include "fuzz_input.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/tuning_table.hpp"

#include "base/temporary_folder.hpp"

// A tuning table. Its buffers are files beside it: there is an empty folder for them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const sparsecast::base::TemporaryFolder folder;
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    (void)sparsecast::gpu_code::parse_tuning_table(std::string(text), folder.path() / "table.tsv");
  });
}
