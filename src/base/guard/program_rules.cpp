#include "base/guard/program_rules.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>

namespace sparsecast::base {
namespace {
thread_local ProgramRules rules;
}  // namespace

ProgramScope::ProgramScope(ProgramRules more) noexcept : before_(rules) {
  rules = {rules.forbidden || more.forbidden, rules.confined || more.confined};
}
ProgramScope::~ProgramScope() { rules = before_; }

ProgramRules program_rules() noexcept { return rules; }

void require_programs_allowed(std::string_view program) {
  if (rules.forbidden)
    throw Error(ErrorCode::usage, fmt::format("{} would have to be run, which --no-run forbids", program), {},
                "leave out --no-run where you trust what is given");
}
}  // namespace sparsecast::base
