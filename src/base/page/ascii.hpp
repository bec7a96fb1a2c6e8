#pragma once
// Text for terminals that know nothing but ASCII: "12.3 µs" becomes "12.3 us".

#include <string>
#include <string_view>

namespace sparsecast::base {
/// The text (UTF-8) in ASCII. Letters with marks lose them; what has no likeness, and bytes that are no UTF-8, become a
/// question mark. Nearly everything becomes one character, so that columns stay in line.
std::string to_ascii(std::string_view text);
}  // namespace sparsecast::base
