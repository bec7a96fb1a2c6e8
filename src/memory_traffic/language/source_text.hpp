#pragma once
// The text of a program and where its lines begin. The front end works with offsets; people read lines and columns.

#include <cstddef>
#include <sparsecast/error.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::memory_traffic {
class SourceText {
 public:
  SourceText(std::string file, std::string text);

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::string_view slice(std::size_t begin, std::size_t end) const {
    return text().substr(begin, end - begin);
  }
  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }

  /// 1-based line and column (in bytes) of an offset.
  [[nodiscard]] std::size_t line(std::size_t offset) const;
  [[nodiscard]] std::size_t column(std::size_t offset) const;
  /// A line without its line end; `line` counts from 1.
  [[nodiscard]] std::string_view line_text(std::size_t line) const;
  /// Offset of the line end (or of the end of the text) at or after an offset.
  [[nodiscard]] std::size_t line_end(std::size_t offset) const;
  /// Blanks with which the line of an offset begins.
  [[nodiscard]] std::string indentation(std::size_t offset) const;
  /// Nothing but blanks stand before it on its line.
  [[nodiscard]] bool starts_line(std::size_t offset) const;

  [[nodiscard]] Place place(std::size_t offset) const;
  /// Error bad_input at an offset.
  [[noreturn]] void refuse(std::size_t offset, const std::string& reason, const std::string& remedy = {}) const;

 private:
  std::string file_, text_;
  std::vector<std::size_t> starts_;
};
}  // namespace sparsecast::memory_traffic
