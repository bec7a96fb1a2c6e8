#pragma once
// Text inside of HTML, XML and SVG.

#include <string>
#include <string_view>

namespace sparsecast::base {
/// `text` with the characters that markup reserves as entities; control characters, which XML forbids, are left out
/// (line ends and tabs stay).
[[nodiscard]] std::string markup_escaped(std::string_view text);
}  // namespace sparsecast::base
