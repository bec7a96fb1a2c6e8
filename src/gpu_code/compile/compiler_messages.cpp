#include "gpu_code/compile/compiler_messages.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text.hpp"
#include "fields/wording.hpp"
#include "gpu_code/compile/compiler.hpp"

namespace sparsecast::gpu_code {
namespace {
namespace fs = std::filesystem;

/// "FILE(3)", "FILE:3:5", "FILE:3".
Place parse_place(std::string_view text) {
  auto end = text.size();
  if (end > 0 && text[end - 1] == ')') {
    const auto line = number_before(text, --end);
    if (line > 0 && end > 0 && text[end - 1] == '(') return {std::string(text.substr(0, end - 1)), line};
    return {};
  }
  const auto last = number_before(text, end);
  if (last == 0 || end == 0 || text[end - 1] != ':') return {};
  auto before = end - 1;
  const auto line = number_before(text, before);
  if (line > 0 && before > 0 && text[before - 1] == ':') return {std::string(text.substr(0, before - 1)), line, last};
  return {std::string(text.substr(0, end - 1)), last};
}

/// The first line with an error; without one the first line.
std::string first_error(const std::string& log, const std::string& folder) {
  std::string first, error;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(folder + "/")) line.erase(0, folder.size() + 1);
    if (line.starts_with("./")) line.erase(0, 2);
    if (first.empty()) first = line;
    if (line.find("error: ") != std::string::npos) return line;
    // Not what tells of a file by that name.
    if (error.empty() && line.find("error") != std::string::npos && line.find("include") == std::string::npos)
      error = line;
  }
  return error.empty() ? first : error;
}
}  // namespace

std::int64_t number_before(std::string_view text, std::size_t& end) {
  auto begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
  std::int64_t number = 0;
  if (begin == end || std::from_chars(text.data() + begin, text.data() + end, number).ec != std::errc()) return 0;
  end = begin;
  return number;
}

CompilerMessage parse_message(const std::string& line) {
  for (auto colon = line.find(": "); colon != std::string::npos; colon = line.find(": ", colon + 1))
    if (auto place = parse_place(std::string_view(line).substr(0, colon)); place.line > 0)
      return {std::move(place), line.substr(colon + 2)};
  return {{}, line};
}

void refuse_source(const fs::path& source, const std::vector<std::string>& defines, const std::string& compiler,
                   const ToolFolder& folder) {
  const auto line = first_error(folder.log(), folder.path().string());
  auto message = parse_message(line);
  const std::string beside = fmt::format("{}/", linked_folder);
  const wording::Text remedy =
      wording::format("check that it compiles on its own with the same {}", wording::option("kernel.defines"));
  if (message.place.file.starts_with(beside)) {
    message.place.file = (source.parent_path() / message.place.file.substr(beside.size())).string();
    throw Error(ErrorCode::bad_input, fmt::format("{} refuses the source: {}", compiler, message.text), message.place,
                remedy);
  }
  const auto number = static_cast<std::size_t>(message.place.line);
  if (message.place.file == "defines.h" && number <= defines.size())
    throw Error(ErrorCode::bad_input,
                fmt::format("{} refuses the define {}: {}", compiler, defines[number - 1], message.text),
                {source.string()}, remedy);
  throw Error(ErrorCode::bad_input, fmt::format("{} refuses the source: {}", compiler, line), {source.string()},
              remedy);
}
}  // namespace sparsecast::gpu_code
