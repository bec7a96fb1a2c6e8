#include "pages/element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/markup.hpp"

namespace sparsecast::pages {

Element& Element::with(std::string_view attribute, std::string_view value) {
  attributes_ += fmt::format(" {}=\"{}\"", attribute, base::markup_escaped(value));
  return *this;
}

Element& Element::text(std::string_view text) {
  content_ += base::markup_escaped(text);
  return *this;
}

Element& Element::add(const Element& child) { return raw(child.html()); }

Element& Element::raw(std::string_view markup) {
  content_ += markup;
  return *this;
}

std::string Element::html() const {
  constexpr std::array<std::string_view, 4> without_end{"br", "img", "meta", "wbr"};
  if (std::ranges::find(without_end, name_) != without_end.end()) return fmt::format("<{}{}>", name_, attributes_);
  return fmt::format("<{0}{1}>{2}</{0}>", name_, attributes_, content_);
}

std::string percent(double share) { return fmt::format("{:.4g}%", 100 * std::clamp(share, -1.0, 2.0)); }

}  // namespace sparsecast::pages
