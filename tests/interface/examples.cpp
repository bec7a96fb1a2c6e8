#include "interface/examples.hpp"

#include <algorithm>
#include <sstream>

namespace sparsecast::test {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_code(std::string_view line) { return line.starts_with("//   ") || line.starts_with("///   "); }
bool is_empty_comment(std::string_view line) { return line == "//" || line == "///"; }

}  // namespace

std::vector<Example> examples_in_header(const std::string& name, std::string_view text) {
  std::vector<Example> examples;
  std::string code, gap;
  bool after_empty = false;
  const auto finish = [&] {
    if (!code.empty()) examples.push_back({name + "_" + std::to_string(examples.size() + 1), code});
    code.clear();
    gap.clear();
  };
  for (std::string line : lines_of(text)) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    const bool empty = is_empty_comment(line);
    if (is_code(line) && (after_empty || !code.empty())) {
      code += gap + line.substr(line.find(' ') + 3) + "\n";
      gap.clear();
    } else if (empty && !code.empty()) {
      gap += "\n";
    } else {
      finish();
    }
    after_empty = empty;
  }
  finish();
  return examples;
}

std::vector<std::string> blocks_in_section(std::string_view text, std::string_view heading, std::string_view language) {
  std::vector<std::string> blocks;
  bool in_section = false, in_block = false;
  for (const std::string& line : lines_of(text)) {
    if (!in_block && line.starts_with("## ")) in_section = line == heading;
    if (!in_section) continue;
    if (in_block && line == "```") {
      in_block = false;
    } else if (in_block) {
      blocks.back() += line + "\n";
    } else if (line == "```" + std::string(language)) {
      in_block = true;
      blocks.emplace_back();
    }
  }
  return blocks;
}

std::vector<std::filesystem::path> public_headers() {
  std::vector<std::filesystem::path> headers;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SPARSECAST_SOURCE_DIR "/include"))
    if (entry.path().extension() == ".hpp") headers.push_back(entry.path());
  std::ranges::sort(headers);
  return headers;
}

}  // namespace sparsecast::test
