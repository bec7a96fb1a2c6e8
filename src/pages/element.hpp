#pragma once
// A piece of a page as a tree of elements. Texts and attributes are escaped where they are put in, so that nothing a
// matrix, a kernel or a file is called can become markup.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparsecast::pages {

class Element {
 public:
  explicit Element(std::string name) : name_(std::move(name)) {}
  Element(std::string name, std::string_view classes) : Element(std::move(name)) { with("class", classes); }

  Element& with(std::string_view attribute, std::string_view value);
  /// Text inside, escaped.
  Element& text(std::string_view text);
  Element& add(const Element& child);
  /// An element with nothing but text in it.
  Element& add(std::string name, std::string_view text) { return add(Element(std::move(name)).text(text)); }
  /// Content as it is: only what this product made itself (a style sheet, a script, another picture).
  Element& raw(std::string_view markup);

  [[nodiscard]] bool empty() const { return content_.empty(); }
  [[nodiscard]] std::string html() const;

 private:
  std::string name_, attributes_, content_;
};

/// "12.5%": a share of a picture's width or height.
std::string percent(double share);

}  // namespace sparsecast::pages
