#include <fstream>

#include "base/temporary_folder.hpp"
#include "fuzz_input.hpp"
#include "gpu_code/tuning_space.hpp"

// A tuning table. It stands in a folder of its own: its buffers are files beside it, and beside a file in memory would
// be the descriptors of this process, its own output among them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const sparsecast::base::TemporaryFolder folder;
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const auto table = folder.path() / "table.tsv";
    std::ofstream(table, std::ios::binary) << text;
    (void)sparsecast::gpu_code::read_tuning_table(table);
  });
}
