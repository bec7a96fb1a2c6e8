#include "base/guard/program_rules.hpp"
#include "fields/wording.hpp"

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
    throw Error(ErrorCode::usage,
                wording::format("{} would have to be run, and {} forbids that", program, wording::option("no_run")), {},
                wording::format("omit {} if you trust the input", wording::option("no_run")));
}
}  // namespace sparsecast::base
