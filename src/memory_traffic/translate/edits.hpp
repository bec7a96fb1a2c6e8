#pragma once
// Insertions into a source text and replacements in it. Whatever they do not name stays as the user wrote it.

#include "memory_traffic/language/source_text.hpp"
#include "memory_traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
class Edits {
 public:
  explicit Edits(const SourceText& source) : source_(source) {}

  void replace(std::size_t begin, std::size_t end, std::string text);
  /// Code on lines of its own where the statement has its line to itself, else on the same line.
  void before(const Statement& statement, const std::vector<std::string>& code);
  void after(const Statement& statement, const std::vector<std::string>& code);
  /// Code at the beginning of a block, which may be empty.
  void at_begin(const Block& block, const std::vector<std::string>& code);
  /// An else branch before the end that closes an if.
  void add_else(const Block& last_branch, const std::vector<std::string>& code);

  struct Result {
    std::string text;
    std::vector<std::size_t> source_lines;  ///< of each line of the text, from 1
  };
  [[nodiscard]] Result apply() const;

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };

  const SourceText& source_;
  std::vector<Edit> edits_;
};
}  // namespace sparsecast::memory_traffic
