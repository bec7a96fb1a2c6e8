#include "base/guard/parse_json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace sparsecast::base {
namespace {
constexpr int most_nesting = 200;

// `byte` counts from 1, as the parser's do.
Place place_of_byte(std::string_view text, std::size_t byte, const std::string& file) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const std::size_t end = before.rfind('\n');
  return {file, 1 + std::ranges::count(before, '\n'),
          static_cast<std::int64_t>(before.size() - (end == std::string_view::npos ? 0 : end + 1)) + 1};
}

// The byte (from 1) of the first bracket that opens one level too many; 0 where there is none.
std::size_t too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c == '\\') ++k;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_nesting) return k + 1;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return 0;
}

// What stands between the last two quotes of the parser's message: the number.
std::string_view last_quoted(std::string_view message) {
  const std::size_t end = message.rfind('\'');
  if (end == std::string_view::npos || end == 0) return {};
  const std::size_t begin = message.rfind('\'', end - 1);
  return begin == std::string_view::npos ? std::string_view() : message.substr(begin + 1, end - begin - 1);
}

template <class Json>
Json parse_as(std::string_view text, const JsonSource& source) {
  const auto refuse = [&](std::string reason, std::size_t byte) {
    return Error(source.code, std::move(reason), place_of_byte(text, byte, source.file), source.remedy);
  };
  if (const std::size_t byte = too_deep(text); byte > 0)
    throw refuse(fmt::format("nested deeper than {} levels", most_nesting), byte);
  try {
    return Json::parse(text);
  } catch (const typename Json::parse_error& wrong) {
    const bool letters = std::string_view(wrong.what()).find("UTF-8") != std::string_view::npos;
    throw refuse(fmt::format("not valid JSON at byte {}{}", wrong.byte, letters ? ": not UTF-8" : ""), wrong.byte);
  } catch (const typename Json::out_of_range& wrong) {
    const std::string_view number = last_quoted(wrong.what());
    const std::size_t at = number.empty() ? std::string_view::npos : text.find(number);
    throw refuse(fmt::format("{}{} is too large a number", number.substr(0, 20), number.size() > 20 ? "…" : ""),
                 at == std::string_view::npos ? 0 : at + 1);
  }
}
}  // namespace

nlohmann::ordered_json parse_json(std::string_view text, const JsonSource& source) {
  return parse_as<nlohmann::ordered_json>(text, source);
}

nlohmann::json parse_sorted_json(std::string_view text, const JsonSource& source) {
  return parse_as<nlohmann::json>(text, source);
}

std::string json_reason(const std::exception& wrong) {
  const std::string_view words = wrong.what();
  const std::size_t number = words.starts_with("[json.exception.") ? words.find("] ") : std::string_view::npos;
  return std::string(words.substr(number == std::string_view::npos ? 0 : number + 2));
}

std::string json_text(const nlohmann::ordered_json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}
}  // namespace sparsecast::base
