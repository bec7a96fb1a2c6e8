#include "base/guard/parse_json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

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

// What the parser passes over: nesting to any depth, and a key that stands twice in one object, of which it takes the
// last. Found in the text alone: keys are compared as they are spelled, and what is found means nothing before the text
// is known to be JSON.
class Overlooked {
 public:
  explicit Overlooked(std::string_view text) {
    for (std::size_t k = 0; k < text.size() && too_deep == 0; ++k) look_at(text, k);
  }
  std::size_t too_deep = 0;  ///< byte, from 1, of the first bracket that opens one level too many; 0: none
  std::size_t again_at = 0;  ///< byte, from 1, of a key that its object has already; 0: none
  std::string_view again;    ///< that key

 private:
  struct Level {
    bool object = false;
    std::vector<std::string_view> keys;
  };
  std::vector<Level> levels_ = std::vector<Level>(most_nesting + 1);  // from object to object they keep their memory
  int depth_ = 0;
  bool key_is_next_ = false;

  void look_at(std::string_view text, std::size_t& k) {
    const char c = text[k];
    if (c == '"') {
      const std::size_t begin = k + 1;
      for (k = begin; k < text.size() && text[k] != '"'; ++k)
        if (text[k] == '\\') ++k;
      if (key_is_next_) levels_[depth_].keys.push_back(text.substr(begin, k - begin));
      key_is_next_ = false;
    } else if (c == '[' || c == '{') {
      if (depth_ == most_nesting) {
        too_deep = k + 1;
        return;
      }
      Level& level = levels_[++depth_];
      level.keys.clear();
      key_is_next_ = level.object = c == '{';
    } else if (c == ',') {
      key_is_next_ = levels_[depth_].object;
    } else if ((c == ']' || c == '}') && depth_ > 0) {
      if (again_at == 0) find_again(text, levels_[depth_].keys);
      --depth_;
      key_is_next_ = false;
    }
  }

  void find_again(std::string_view text, std::vector<std::string_view>& keys) {
    std::ranges::sort(keys,
                      [](std::string_view a, std::string_view b) { return a != b ? a < b : a.data() < b.data(); });
    const auto found = std::ranges::adjacent_find(keys);
    if (found == keys.end()) return;
    again = *found;
    again_at = static_cast<std::size_t>(found[1].data() - text.data());
  }
};

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
  const Overlooked overlooked(text);
  if (overlooked.too_deep > 0)
    throw refuse(fmt::format("nested deeper than {} levels", most_nesting), overlooked.too_deep);
  try {
    Json document = Json::parse(text);
    if (overlooked.again_at > 0)
      throw refuse(fmt::format("'{}' stands twice in one object", overlooked.again), overlooked.again_at);
    return document;
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
