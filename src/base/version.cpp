// Ties version.hpp to the version that CMake gives the project (SPARSECAST_VERSION, set for this file in room.cmake).

#include <sparsecast/version.hpp>

namespace sparsecast {
namespace {
// One of the numbers in "1.2.3", the first being number 0.
constexpr int number_in(std::string_view text, int which) {
  int value = 0;
  for (const char c : text) {
    if (c == '.') {
      if (which-- == 0) break;
    } else if (which == 0) {
      value = 10 * value + (c - '0');
    }
  }
  return value;
}

static_assert(version_text == SPARSECAST_VERSION, "version.hpp and CMakeLists.txt name different versions");
static_assert(version_major == number_in(version_text, 0));
static_assert(version_minor == number_in(version_text, 1));
static_assert(version_patch == number_in(version_text, 2));
}  // namespace

std::string_view library_version() noexcept { return version_text; }
}  // namespace sparsecast
