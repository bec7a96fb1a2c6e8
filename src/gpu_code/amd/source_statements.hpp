#pragma once
// The statements of a source by their order: a key for what two compilers made of one place that does not depend on
// where its author broke lines.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast::gpu_code {
class SourceStatements {
 public:
  /// Of C: a statement ends at `;`, at a brace, and behind the parentheses of if, for, while and switch.
  explicit SourceStatements(const std::string& text);

  /// The number of the statement that stands at a line and column (both from 1, a column of 0 is the line's first),
  /// from 1; 0 for line 0.
  [[nodiscard]] std::int32_t at(std::int32_t line, std::int32_t column) const;

 private:
  using Position = std::pair<std::int32_t, std::int32_t>;  ///< line and column
  std::vector<Position> begins_;                           ///< ascending
};
}  // namespace sparsecast::gpu_code
