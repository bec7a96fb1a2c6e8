#pragma once
// "Did you mean": which of the known names a misspelt one was meant to be.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::base {
/// Letters to put in, take out, replace or swap with their neighbour to make one of the other, capital or not.
int edit_distance(std::string_view a, std::string_view b);

/// The known names that are near enough to have been meant, the nearest first, `most` at most; also those that begin
/// with it. Empty where none is.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> known, std::size_t most = 3);

/// "did you mean csr, csr5?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);
}  // namespace sparsecast::base
