#include "gpu_code/ptx/ptx_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

namespace sparsecast::gpu_code {
namespace {
using OperandKind = PtxOperand::Kind;
/// Of all functions that are put in the place of calls: what a text may ask for by calls within calls.
constexpr std::size_t most_spliced = 1 << 18;
constexpr int most_calls_within = 64;

/// Variables of functions among those of their caller: each once, wherever the function is called.
class Adoption {
 public:
  explicit Adoption(PtxRoutine& caller) : caller_(caller) {
    std::int32_t number = 0;
    for (const auto& v : caller.code.variables) {
      numbers_.emplace(v.name, number++);
      if (v.space == PtxSpace::local) local_ = std::max(local_, v.address + v.bytes);
    }
  }

  /// The number of a function's variable for the caller.
  std::int32_t of(const PtxRoutine& function, std::size_t variable) {
    // The module's come first, in the order of the text, as far as each has seen it.
    const bool of_module = variable < function.of_module;
    if (of_module && variable < caller_.of_module) return static_cast<std::int32_t>(variable);
    PtxVariable v = function.code.variables[variable];
    const bool adopted = v.name.find(':') != std::string::npos;  // no name of PTX's has one
    if (!of_module && !adopted) v.name = function.code.name + ":" + v.name;
    const auto next = static_cast<std::int32_t>(caller_.code.variables.size());
    const auto [found, fresh] = numbers_.emplace(v.name, next);
    if (!fresh) return found->second;
    if (!v.external && v.space == PtxSpace::shared) put_behind(v, caller_.code.shared_bytes);
    if (!v.external && v.space == PtxSpace::local) put_behind(v, local_);
    caller_.code.variables.push_back(std::move(v));
    return next;
  }

 private:
  static void put_behind(PtxVariable& v, std::int64_t& end) {
    v.address = (end + v.align - 1) / v.align * v.align;
    end = v.address + v.bytes;
  }

  PtxRoutine& caller_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::int64_t local_ = 0;
};

/// Puts one function in the place of one call.
class Splice {
 public:
  Splice(PtxRoutine& caller, std::vector<PtxInstruction>& body, Adoption& adoption, PtxOpcodes& opcodes)
      : caller_(caller), body_(body), adoption_(adoption), branch_(opcodes.shape(opcodes.number("bra"))) {
    branch_.name = opcodes.number("bra");
  }

  /// False, and nothing is done, where the call does not fit the function.
  bool run(const PtxInstruction& call, const PtxCall& what, const PtxRoutine& function) {
    const auto& code = function.code;
    if (what.results.size() != function.results || what.arguments.size() != function.arguments ||
        caller_.code.registers.size() + code.registers.size() > static_cast<std::size_t>(most_ptx_registers))
      return false;
    name_registers(what, function);
    for (std::size_t k = 0; k < code.variables.size(); ++k) variables_.push_back(adoption_.of(function, k));
    base_ = static_cast<std::int32_t>(body_.size()) + (call.guard >= 0 ? 1 : 0);
    const auto end = base_ + static_cast<std::int32_t>(code.body.size());
    if (call.guard >= 0) body_.push_back(branch(call, end, !call.guard_negated));
    for (const auto& label : code.labels) caller_.code.labels.push_back({label.name, label.instruction + base_});
    for (const auto& in : code.body) body_.push_back(moved(in, end));
    return true;
  }

 private:
  void name_registers(const PtxCall& what, const PtxRoutine& function) {
    registers_.assign(function.code.registers.size(), -1);
    for (std::size_t k = 0; k < function.results + function.arguments; ++k) {
      const std::size_t slot = k < function.results ? what.results[k] : what.arguments[k - function.results];
      for (const auto& [part, number] : function.slots[k].registers)
        registers_[at(number)] = caller_.slot_register(slot, part.first, function.code.register_types[at(number)]);
    }
    for (std::size_t k = 0; k < registers_.size(); ++k) {
      if (registers_[k] >= 0) continue;
      registers_[k] = static_cast<std::int32_t>(caller_.code.registers.size());
      caller_.code.registers.push_back(function.code.registers[k]);
      caller_.code.register_types.push_back(function.code.register_types[k]);
    }
  }

  [[nodiscard]] PtxInstruction branch(const PtxInstruction& of, std::int32_t target, bool guard_negated) const {
    PtxInstruction in = branch_;
    in.guard = of.guard;
    in.guard_negated = guard_negated;
    in.operands = {{.kind = OperandKind::label, .index = target}};
    in.line = of.line, in.column = of.column;
    in.source_file = of.source_file, in.source_line = of.source_line, in.source_column = of.source_column;
    return in;
  }

  /// For the caller; what returns goes on behind the call.
  [[nodiscard]] PtxInstruction moved(PtxInstruction in, std::int32_t end) const {
    if (in.guard >= 0) in.guard = registers_[at(in.guard)];
    if (in.op == PtxOp::ret) return branch(in, end, in.guard_negated);
    for (auto& o : in.operands) {
      if (o.kind == OperandKind::reg) o.index = registers_[at(o.index)];
      if (o.kind == OperandKind::symbol) o.index = variables_[at(o.index)];
      if (o.kind == OperandKind::label) o.index += base_;
      if (o.second >= 0) o.second = registers_[at(o.second)];
      for (auto& e : o.elements)
        if (e >= 0) e = registers_[at(e)];
    }
    return in;
  }

  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  PtxRoutine& caller_;
  std::vector<PtxInstruction>& body_;
  Adoption& adoption_;
  PtxInstruction branch_;
  std::vector<std::int32_t> registers_, variables_;  ///< of the caller, by those of the function
  std::int32_t base_ = 0;
};

class Inliner {
 public:
  Inliner(const FindPtxFunction& find, PtxOpcodes& opcodes) : find_(find), opcodes_(opcodes) {}

  PtxRoutine whole(PtxRoutine routine) {
    if (routine.calls.empty()) return routine;
    const auto written = std::exchange(routine.code.body, {});
    auto& labels = routine.code.labels;
    const std::size_t own_labels = labels.size();
    Adoption adoption(routine);
    std::vector<PtxInstruction> body;
    std::vector<std::int32_t> places;  // in the new body, by those in the old one
    std::vector<std::int32_t> own;     // instructions of the routine, in the new body
    auto call = routine.calls.begin();
    for (std::size_t k = 0; k < written.size(); ++k) {
      places.push_back(static_cast<std::int32_t>(body.size()));
      if (call != routine.calls.end() && call->instruction == static_cast<std::int32_t>(k)) {
        const PtxCall what = *call++;
        if (spliced(routine, body, adoption, written[k], what)) continue;
      }
      own.push_back(static_cast<std::int32_t>(body.size()));
      body.push_back(written[k]);
    }
    places.push_back(static_cast<std::int32_t>(body.size()));
    const auto place = [&](std::int32_t& index) { index = places[static_cast<std::size_t>(index)]; };
    for (const std::int32_t k : own)
      for (auto& o : body[static_cast<std::size_t>(k)].operands)
        if (o.kind == OperandKind::label) place(o.index);
    for (std::size_t k = 0; k < own_labels; ++k) place(labels[k].instruction);
    routine.code.body = std::move(body);
    routine.calls.clear();
    return routine;
  }

 private:
  /// With the functions that it calls itself; null while it is made: it calls itself.
  const PtxRoutine* known(const std::string& name) {
    const auto [found, fresh] = functions_.try_emplace(name);
    if (!fresh) return found->second ? &*found->second : nullptr;
    const PtxRoutine* const written = find_(name);
    if (written == nullptr || nesting_ == most_calls_within) return nullptr;
    ++nesting_;
    PtxRoutine made = whole(*written);
    --nesting_;
    return &functions_[name].emplace(std::move(made));
  }

  bool spliced(PtxRoutine& routine, std::vector<PtxInstruction>& body, Adoption& adoption, const PtxInstruction& call,
               const PtxCall& what) {
    const PtxRoutine* const function = known(what.function);
    if (function == nullptr) return false;
    const auto& code = function->code;
    const std::size_t size = code.body.size() + code.registers.size() + code.variables.size() + code.labels.size();
    if (size > most_spliced - spliced_ || !Splice(routine, body, adoption, opcodes_).run(call, what, *function))
      return false;
    spliced_ += size;
    return true;
  }

  const FindPtxFunction& find_;
  PtxOpcodes& opcodes_;
  std::size_t spliced_ = 0;  ///< instructions, registers, variables and labels
  int nesting_ = 0;
  std::map<std::string, std::optional<PtxRoutine>> functions_;
};
}  // namespace

std::int32_t PtxRoutine::slot_register(std::size_t slot, std::int64_t offset, const PtxType& type) {
  const auto next = static_cast<std::int32_t>(code.registers.size());
  const auto [found, fresh] = slots[slot].registers.try_emplace({offset, type.bytes}, next);
  if (fresh) {
    code.registers.push_back(slots[slot].name + "+" + std::to_string(offset));
    code.register_types.push_back(type);
  }
  return found->second;
}

std::vector<PtxKernel> with_functions(std::vector<PtxRoutine> kernels, const FindPtxFunction& find,
                                      PtxOpcodes& opcodes) {
  Inliner inliner(find, opcodes);
  std::vector<PtxKernel> whole;
  whole.reserve(kernels.size());
  for (auto& kernel : kernels) whole.push_back(inliner.whole(std::move(kernel)).code);
  return whole;
}
}  // namespace sparsecast::gpu_code
