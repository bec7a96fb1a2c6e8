#include "fuzz_input.hpp"

#include "matrix/collection/archive_member.hpp"

// What a server of the collection sends: a compressed tar archive, of which one member is taken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const sparsecast::fuzz::FileInMemory file(text);
    sparsecast::matrix::read_member(file.path(), {"m/m.mtx", 1 << 16, 1 << 20}, [](std::string_view) {});
  });
}
