#pragma once
// --no-run: this process starts no other program, whatever it is asked to do.

#include <string_view>

namespace sparsecast::base {

void forbid_programs(bool forbidden) noexcept;
[[nodiscard]] bool programs_are_forbidden() noexcept;
/// Error usage that names the program where they are forbidden.
void require_programs_allowed(std::string_view program);

}  // namespace sparsecast::base
