#include "gpu_code/sass/sass_machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "gpu_code/sass/sass_memory.hpp"
#include "gpu_code/sass/sass_moves.hpp"
#include "gpu_code/sass/sass_step.hpp"
#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code {
namespace {
/// Registers that hold the same for ever, put there before a warp's first step.
void put_constants(WarpState& warp) {
  if (warp.known[rz] != 0) return;
  for (const auto r : {rz, urz, predicate_base + 7, uniform_predicate_base + 7}) warp.known[r] = ~LaneMask{0};
  warp.registers[predicate_base + 7].fill(1);
  warp.registers[uniform_predicate_base + 7].fill(1);
}

/// Lanes in which a predicate, or its negation, holds, whether that is known or not.
LaneMask holding(const WarpState& warp, std::uint32_t predicate, std::uint32_t negated) {
  LaneMask yes = 0;
  for (std::size_t l = 0; l < 32; ++l) yes |= static_cast<LaneMask>((warp.registers[predicate][l] & 1) ^ negated) << l;
  return yes;
}

/// Lanes that an instruction's guard leaves on; those whose guard is not known count as on.
LaneMask guarded(const WarpState& warp, const SassWord& word, LaneMask mask, StepOutcome& outcome) {
  const auto guard = word.bits(12, 3), negated = word.bits(15, 1);
  if (guard == 7 && negated == 0) return mask;
  const auto p = (is_uniform(word) ? uniform_predicate_base : predicate_base) + guard;
  const LaneMask known = warp.known[p] & mask;
  outcome.unknown = mask & ~known;
  return (holding(warp, p, negated) & known) | outcome.unknown;
}

/// What an operation that is not computed leaves behind.
void forget_result(SassStep& s, const SassOperation& operation) {
  s.known = 0;
  const bool wide = operation.results == by_width ? s.word.bits(75, 2) == 3 : operation.results > 1;
  if (operation.results > 0) s.forget(s.result());
  if (wide) s.forget(SassStep::next(s.result()));
  if (operation.tells) s.write_predicate(81, [](std::size_t) { return false; });
}
}  // namespace

SassCode::SassCode(const CubinKernel& cubin, const PtxCode& ptx, const Launch& launch, int architecture)
    : cubin_(cubin), ptx_(ptx), launch_(launch), architecture_(architecture) {
  const auto put = [&](std::uint64_t at, std::int64_t value) {
    launch_constants_.write(at, 4, static_cast<std::uint64_t>(value), true);
  };
  for (std::size_t d = 0; d < 3; ++d) {
    put(4 * d, launch.block[d]);
    put(12 + 4 * d, launch.grid[d]);
  }
  put(0x28, 0xfffdc0);  // stack pointer: local addresses count from here
  own_constants_.add(0, {cubin.own_constants.begin(), cubin.own_constants.end()});
  find_returns();
  find_loops();
}

void SassCode::find_returns() {
  constexpr std::uint32_t always = 7;
  returns_.assign(static_cast<std::size_t>(size()) + 1, 0);
  for (auto pc = size() - 1; pc >= 0; --pc) {
    const auto i = static_cast<std::size_t>(pc);
    const auto what = operation(pc).effect;
    const bool unguarded = cubin_.code[i].bits(12, 4) == always;
    if (unguarded && (what == SassEffect::come_back || what == SassEffect::exit))
      returns_[i] = what == SassEffect::come_back;
    else
      returns_[i] = returns_[i + 1];
  }
}

SassEffect SassCode::effect(std::int32_t pc) const {
  const auto what = operation(pc).effect;
  if (what != SassEffect::call) return what;
  const std::int64_t target = pc + 1 + offset(pc) / 16;
  return target >= 0 && target < size() && returns_[static_cast<std::size_t>(target)] != 0 ? what : SassEffect::branch;
}

LaneMask SassCode::constant(std::uint32_t bank, std::uint64_t offset, int bytes, std::uint64_t& value) const {
  value = 0;
  if (bank == 3) return ptx_.memory().read(constant_window + offset, bytes, value) ? ~LaneMask{0} : 0;
  if (bank == 2) return own_constants_.read(offset, bytes, value) ? ~LaneMask{0} : 0;
  if (bank != 0) return 0;
  const auto parameters = static_cast<std::uint64_t>(std::clamp<std::int64_t>(cubin_.parameter_offset, 24, 65536));
  const bool known = offset < parameters ? launch_constants_.read(offset, bytes, value)
                                         : ptx_.parameters().read(offset - parameters, bytes, value);
  return known ? ~LaneMask{0} : 0;
}

std::int64_t SassCode::offset(std::int32_t pc) const {
  const auto& word = cubin_.code[static_cast<std::size_t>(pc)];
  // In bytes at bit 32; from 9.0 on in words of four bytes, the lowest eight bits at bit 16 and the rest at bit 34.
  return architecture_ >= 90
             ? sign_extend(word.bits(34, 30), 30) * 1024 + 4 * static_cast<std::int64_t>(word.bits(16, 8))
             : static_cast<std::int32_t>(word.bits(32, 32));
}

std::int32_t SassCode::branch_target(std::int32_t pc) const {
  if (effect(pc) != SassEffect::branch) return -1;
  const std::int64_t target = pc + 1 + offset(pc) / 16;
  return target >= 0 && target <= size() ? static_cast<std::int32_t>(target) : -1;
}

void SassCode::refuse(std::int32_t pc, const char* reason) const {
  throw Error(ErrorCode::failed, fmt::format("machine code at 0x{:x}: {}", 16 * pc, reason));
}

bool SassCode::rare(std::int32_t pc) const {
  for (std::int32_t i = pc; i < std::min(pc + 24, size()); ++i) {
    const auto what = effect(i);
    if (what == SassEffect::call || what == SassEffect::call_away) return true;
    if (what == SassEffect::branch || what == SassEffect::exit || what == SassEffect::barrier) return false;
  }
  return false;
}

std::optional<EqualityTest> SassCode::equality_test(std::int32_t pc) const {
  const auto& word = cubin_.code[static_cast<std::size_t>(pc)];
  constexpr std::uint32_t isetp = 0x00c, uisetp = 0x08c, equal = 2, unequal = 5;
  const auto relation = word.bits(76, 3);
  if ((word.operation() != isetp && word.operation() != uisetp) || (relation != equal && relation != unequal))
    return {};
  const bool uniform = is_uniform(word);
  const auto at = [&](int first, bool of_uniform) {
    return static_cast<std::int32_t>(of_uniform ? uniform_base + word.bits(first, 6) : word.bits(first, 8));
  };
  EqualityTest test;
  test.a = at(24, uniform);
  switch (word.form()) {
    case 1: test.b = at(32, uniform); return test;
    case 4: test.value = word.bits(32, 32); return test;
    case 5:
      if (constant(word.bits(54, 5), word.bits(40, 14) * 4u, 4, test.value) == 0) return {};
      return test;
    case 6: test.b = at(32, true); return test;
    default: return {};
  }
}

std::string SassCode::label(std::int32_t pc) const { return fmt::format("0x{:x}", 16 * pc); }

void SassCode::ask(std::int32_t pc, const std::string& loop_label) const {
  throw Error(ErrorCode::bad_input, fmt::format("machine code at 0x{:x}: the trip count of the loop at {} is not known",
                                                16 * pc, loop_label));
}

void SassCode::branch(const SassStep& s, std::int32_t pc, StepOutcome& outcome) const {
  const auto& word = s.word;
  outcome.kind = StepOutcome::Kind::branch;
  outcome.target = branch_target(pc);
  outcome.lanes = s.on;
  // A second predicate may take part: BRA P1, target. Uniform ones (UP) are marked by the form.
  if (word.bits(87, 3) != 7 || s.flag(90)) {
    const auto p = (word.form() == 6 ? uniform_predicate_base : predicate_base) + word.bits(87, 3);
    const LaneMask known = s.warp.known[p];
    outcome.unknown |= s.on & ~known;
    outcome.lanes &= (holding(s.warp, p, word.bits(90, 1)) & known) | ~known;
  }
  if (outcome.target < 0) refuse(pc, "a jump out of the kernel");
}

void SassCode::call(std::int32_t pc, StepOutcome& outcome) const {
  const std::int64_t target = pc + 1 + offset(pc) / 16;
  if (target < 0 || target >= size()) refuse(pc, "a call out of the kernel");
  outcome.kind = StepOutcome::Kind::call;
  outcome.target = static_cast<std::int32_t>(target);
}

void SassCode::come_back(SassStep& s, std::int32_t pc, StepOutcome& outcome) const {
  // The register holds the place after the call, from the kernel's start; the offset takes the place of the
  // instruction itself away.
  const auto& places = s.value(s.reg(24));
  if ((s.on & ~s.known) != 0) refuse(pc, "a return to a place that is not known");
  const auto place = places[static_cast<std::size_t>(std::countr_zero(s.on))];
  const std::int64_t target =
      16 * (static_cast<std::int64_t>(pc) + 1) + offset(pc) + static_cast<std::int32_t>(low32(place));
  if (target < 0 || target % 16 != 0 || target / 16 >= size()) refuse(pc, "a return out of the kernel");
  outcome.kind = StepOutcome::Kind::come_back;
  outcome.target = static_cast<std::int32_t>(target / 16);
  for (const std::size_t lane : LanesOf{s.on}) {
    if (low32(places[lane]) != low32(place)) outcome.again |= LaneMask{1} << lane;
  }
  outcome.lanes &= ~outcome.again;
}

void SassCode::execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const {
  const auto& word = cubin_.code[static_cast<std::size_t>(pc)];
  const auto& operation = sass_operation(word);
  put_constants(warp);
  const LaneMask on = guarded(warp, word, mask, outcome);
  // A result that may or may not be written is not known.
  SassStep s{warp, word, *this, on, is_uniform(word), ~outcome.unknown};
  outcome.lanes = on;
  const auto what = effect(pc);
  if (what == SassEffect::branch) return branch(s, pc, outcome);
  if (what == SassEffect::exit) {
    outcome.kind = StepOutcome::Kind::exit;
    return;
  }
  if (on == 0) return;
  switch (what) {
    case SassEffect::value: return operation.evaluate(s);
    case SassEffect::load:
    case SassEffect::store:
    case SassEffect::atomic:
    case SassEffect::reduce: return sass::access_memory(s, operation, {ptx_.memory(), architecture_}, outcome);
    case SassEffect::constant: return sass::load_constant(s, outcome);
    case SassEffect::barrier: outcome.kind = StepOutcome::Kind::barrier; return;
    case SassEffect::call: return call(pc, outcome);
    case SassEffect::come_back: return come_back(s, pc, outcome);
    case SassEffect::call_away:
    case SassEffect::jump: refuse(pc, "a jump to a place that only the loader or a register knows");
    case SassEffect::unknown:
    case SassEffect::exchange: return forget_result(s, operation);
    default: return;
  }
}
}  // namespace sparsecast::gpu_code
