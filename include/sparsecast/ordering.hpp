#pragma once
// Orders of the rows and columns of a square matrix, by name. What they do to a product is in reorder.hpp.

#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

enum class Ordering {
  none,  ///< as it is
  rcm,   ///< Reverse Cuthill–McKee: a narrow band
};
/// As documents write it: "none", "rcm". Thread safety: safe from several threads at once.
[[nodiscard]] std::string_view to_string(Ordering ordering);
/// Error usage for another name. Thread safety: safe from several threads at once.
[[nodiscard]] Ordering ordering_from(std::string_view name);

}  // namespace sparsecast
#pragma GCC visibility pop
