#include "fuzz_input.hpp"

#include "matrix/collection/collection_query.hpp"

// The first line is a query, the rest an index.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    const std::size_t end = text.find('\n');
    const std::string_view query = text.substr(0, end);
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
    (void)sparsecast::matrix::search(sparsecast::matrix::parse_collection_index(text, "input"), query);
  });
}
