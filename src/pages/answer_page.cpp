#include "pages/answer_page.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/markup.hpp"

namespace sparsecast::pages {
namespace {
using Json = nlohmann::ordered_json;

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k])) : 0U;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

// Empty where the member is missing or no text: documents may come from files of another make.
std::string text(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

using Subjects = std::set<std::pair<std::string, std::string>>;

// Which schema speaks of which matrix, in a document, in the documents of a page and in those within one document.
Subjects subjects_of(const Json& document, bool outermost = true) {
  static constexpr std::array with_times{"predict",         "measure",         "evaluate", "optimize", "compare",
                                         "cluster-predict", "cluster-measure", "traffic",  "kernel"};
  static constexpr std::array<std::array<const char*, 3>, 4> within{{{"predictions", "predictions", "predict"},
                                                                     {"measures", "measures", "measure"},
                                                                     {"compare", "matrices", "compare"},
                                                                     {"page", "documents", ""}}};
  const std::string schema = text(document, "schema");
  Subjects out;
  for (const auto& [outer, list, inner] : within) {
    if (schema != fmt::format("sparsecast/{}/1", outer)) continue;
    const bool page = *inner == '\0';
    if (!document.contains(list) || (page && !outermost)) return out;
    for (const Json& one : document[list])
      if (page)
        out.merge(subjects_of(one, false));
      else
        out.emplace(inner, text(one.is_object() && one.contains("matrix") ? one["matrix"] : one, "name"));
    return out;
  }
  for (const char* name : with_times)
    if (schema == fmt::format("sparsecast/{}/1", name)) {
      const Json* matrix = document.contains("matrix") ? &document["matrix"] : nullptr;
      // Two versions of a program have two names.
      out.emplace(name, matrix == nullptr || schema.find("/traffic/") != std::string::npos ? ""
                        : matrix->is_object()                                              ? text(*matrix, "name")
                                                                                           : text(document, "matrix"));
    }
  return out;
}

void check_comparison(const Json& before, const Json& after) {
  const Subjects old = subjects_of(before), now = subjects_of(after);
  if (std::ranges::none_of(now, [&](const auto& subject) { return old.contains(subject); }))
    throw Error(ErrorCode::bad_input, "the two documents have no times in common", {},
                "compare two documents of the same command about the same matrices");
}

std::string pictures_json(const Pictures& pictures) {
  Json spies = Json::object(), drawings = Json::array();
  for (const auto& [document, png] : pictures.spies) spies[std::to_string(document)] = base64(png);
  for (const auto& [title, svg] : pictures.drawings) drawings.push_back({{"title", title}, {"svg", base64(svg)}});
  return script_json({{"spies", spies}, {"drawings", drawings}});
}

std::string_view asset(std::string_view name) {
  for (const embedded::File& file : embedded::page_assets())
    if (file.name == name) return file.text;
  return {};
}
}  // namespace

std::string script_json(const Json& json) {
  const std::string plain = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size());
  for (const char c : plain)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

std::string page_html(const Json& page, const Pictures& pictures) {
  if (page.contains("before") && page.contains("after")) check_comparison(page["before"], page["after"]);
  const std::string title = text(page, "title").empty() ? "Sparsecast" : text(page, "title");
  // {{title}}, {{data}}, {{pictures}}; every other name in double braces is an embedded file's.
  std::string html;
  std::string_view rest = asset("page.html");
  for (std::size_t at = rest.find("{{"); at != std::string_view::npos; at = rest.find("{{")) {
    const std::size_t end = rest.find("}}", at);
    const std::string_view name = rest.substr(at + 2, end - at - 2);
    html += rest.substr(0, at);
    if (name == "title")
      html += base::markup_escaped(title);
    else if (name == "data")
      html += script_json(page);
    else if (name == "pictures")
      html += pictures_json(pictures);
    else
      html += asset(name);
    rest.remove_prefix(end + 2);
  }
  return html.append(rest);
}
}  // namespace sparsecast::pages
