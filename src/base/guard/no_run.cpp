#include "base/guard/no_run.hpp"

#include <fmt/format.h>

#include <atomic>
#include <sparsecast/error.hpp>

namespace sparsecast::base {
namespace {
std::atomic<bool> programs_forbidden{false};
}  // namespace

void forbid_programs(bool forbidden) noexcept { programs_forbidden = forbidden; }

bool programs_are_forbidden() noexcept { return programs_forbidden; }

void require_programs_allowed(std::string_view program) {
  if (programs_forbidden)
    throw Error(ErrorCode::usage, fmt::format("{} would have to be run, which --no-run forbids", program), {},
                "leave out --no-run where you trust what is given");
}

}  // namespace sparsecast::base
