#pragma once
// Which Sparsecast this is. Versions are MAJOR.MINOR.PATCH; before 1.0 a new MINOR may change the interface.

#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Of these headers; the build refuses a library of another version.
inline constexpr int version_major = 0, version_minor = 2, version_patch = 0;
/// The same as text, "0.2.0".
inline constexpr std::string_view version_text = "0.2.0";

/// The version of the library that the program was linked with, as version_text. Thread safety: safe from several
/// threads at once.
[[nodiscard]] std::string_view library_version() noexcept;

}  // namespace sparsecast
#pragma GCC visibility pop
