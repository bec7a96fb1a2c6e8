// The command line: a word a line. It is understood or refused; nothing is run.
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size() && words.size() < 100;) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      words.emplace_back(text.substr(at, end - at));
      at = end + 1;
    }
    sparsecast::app::check_line(words);
  });
}
