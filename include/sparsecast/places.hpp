#pragma once
// Where the threads of a processor that is not here lie.

#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

enum class Places {
  spread,  ///< as far apart as possible: over sockets first, then over groups of cores that share a cache
  close    ///< side by side: one socket is filled before the next
};
/// As documents write it: "spread", "close". Thread safety: safe from several threads at once.
[[nodiscard]] std::string_view to_string(Places places) noexcept;

}  // namespace sparsecast
#pragma GCC visibility pop
