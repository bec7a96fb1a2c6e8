#include "gpu_code/ptx/ptx_kernel_parser.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <unordered_map>

#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/ptx/ptx_source.hpp"
#include "gpu_code/ptx/ptx_words.hpp"

namespace sparsecast::gpu_code {
namespace {
constexpr int most_nesting = 8;
constexpr std::int64_t most_threads = 65'536;  // in one dimension of a block, beyond any device's

/// Special registers that are read as unknown numbers.
bool is_other_special(std::string_view name) {
  constexpr std::string_view families[] = {"%envreg",   "%cluster", "%ncluster",    "%pm",
                                           "%reserved", "%is_",     "%smid",        "%nsmid",
                                           "%gridid",   "%clock",   "%globaltimer", "%total_smem_size"};
  return std::ranges::any_of(families, [&](std::string_view family) { return name.starts_with(family); });
}

class PtxKernelParser {
 public:
  PtxKernelParser(PtxStream& in, PtxDeclarations& declarations, PtxOpcodes& opcodes, PtxModule& module,
                  const std::vector<PtxVariable>& module_variables)
      : in_(in), declarations_(declarations), opcodes_(opcodes), module_(module), scopes_(1), slot_scopes_(1) {
    routine_.of_module = module_variables.size();
    kernel_.variables = module_variables;
    for (std::size_t i = 0; i < kernel_.variables.size(); ++i)
      symbols_[kernel_.variables[i].name] = static_cast<std::int32_t>(i);
    declarations_.begin_kernel(module_variables);
  }

  std::optional<PtxRoutine> kernel() {
    kernel_.name = in_.word();
    if (in_.accept("(")) {
      while (!in_.accept(")")) {
        kernel_.parameters.push_back(declarations_.parameter(kernel_.parameters));
        if (!in_.is(")")) in_.expect(",");
      }
    }
    return with_body();
  }

  std::optional<PtxRoutine> function() {
    if (in_.accept("(")) routine_.results = slots_in_parentheses();
    kernel_.name = in_.word();
    if (in_.accept("(")) routine_.arguments = slots_in_parentheses();
    return with_body();
  }

 private:
  std::optional<PtxRoutine> with_body() {
    while (in_.at_directive()) launch_bound();
    if (in_.accept(";")) return std::nullopt;
    in_.expect("{");
    for (int depth = 1; depth > 0;) {
      if (in_.at_end())
        in_.refuse(fmt::format("the file ends inside kernel {}", kernel_.name), "check that the file is complete");
      if (in_.accept("{")) {
        ++depth;
        scopes_.emplace_back();
        slot_scopes_.emplace_back();
      } else if (in_.accept("}")) {
        --depth;
        scopes_.pop_back();
        slot_scopes_.pop_back();
      } else {
        statement();
      }
    }
    resolve_jumps();
    kernel_.shared_bytes = declarations_.shared_bytes();
    return std::move(routine_);
  }

  /// A .param variable that a call is given or gives back; the current token is .param.
  void slot() {
    const PtxParameter declared = declarations_.parameter({});
    slot_scopes_.back()[declared.name] = routine_.slots.size();
    routine_.slots.push_back({declared.name});
  }

  /// The results or the arguments of a function; their number.
  std::size_t slots_in_parentheses() {
    const std::size_t before = routine_.slots.size();
    while (!in_.accept(")")) {
      slot();
      if (!in_.is(")")) in_.expect(",");
    }
    return routine_.slots.size() - before;
  }

  [[nodiscard]] std::optional<std::size_t> find_slot(std::string_view name) {
    key_.assign(name);
    for (auto scope = slot_scopes_.rbegin(); scope != slot_scopes_.rend(); ++scope)
      if (const auto found = scope->find(key_); found != scope->end()) return found->second;
    return std::nullopt;
  }

  /// .maxntid 256, 1, 1 and .reqntid; the others (.minnctapersm, .maxnreg, …) are orders to ptxas.
  void launch_bound() {
    auto& block = in_.is(".reqntid") ? kernel_.required_block : kernel_.most_block;
    if (!in_.is(".reqntid") && !in_.is(".maxntid")) return in_.skip_line();
    in_.advance();
    block = {1, 1, 1};
    for (std::size_t d = 0; d < 3; ++d) {
      block[d] = in_.number();
      if (block[d] < 1 || block[d] > most_threads) in_.refuse("a bound of the block that no device has");
      if (!in_.accept(",")) break;
    }
  }

  void statement() {
    if (in_.is(".reg")) return registers();
    if (in_.is(".shared") || in_.is(".local") || in_.is(".global") || in_.is(".const")) {
      auto v = declarations_.variable(false);
      symbols_[v.name] = static_cast<std::int32_t>(kernel_.variables.size());
      kernel_.variables.push_back(std::move(v));
      return;
    }
    if (in_.accept(".loc")) {
      const auto line = in_.token().line;
      loc_file_ = static_cast<std::int32_t>(in_.number());
      loc_line_ = static_cast<std::int32_t>(in_.number());
      const bool has_column = in_.token().line == line && in_.token().kind == PtxToken::Kind::number;
      loc_column_ = has_column ? static_cast<std::int32_t>(in_.number()) : 0;
      if (in_.token().line == line) in_.skip_line();  // function_name …, inlined_at …
      return;
    }
    if (in_.is(".file")) return read_file_directive(in_, module_.source_files);
    if (in_.is(".param")) {
      slot();
      return in_.expect(";");
    }
    for (const auto* ignored : {".pragma", ".branchtargets", ".calltargets", ".callprototype", ".extern"})
      if (in_.is(ignored)) return in_.skip_statement();
    if (in_.accept(";")) return;
    if (in_.token().kind == PtxToken::Kind::word && in_.peek().text == ":") return label();
    instruction();
  }

  void registers() {
    in_.advance();
    std::optional<PtxType> type;
    while (in_.at_directive()) {
      const auto directive = in_.word();
      if (const auto found = ptx_type(directive.substr(1))) type = found;
    }
    if (!type) in_.refuse("registers without a type");
    const auto declare = [&](std::string name) {
      scopes_.back()[name] = static_cast<std::int32_t>(kernel_.registers.size());
      kernel_.registers.push_back(std::move(name));
      kernel_.register_types.push_back(*type);
    };
    do {
      const std::string name(in_.word());
      if (in_.accept("<")) {
        const auto count = in_.number();
        in_.expect(">");
        if (count < 0 || count > most_ptx_registers ||
            count + static_cast<std::int64_t>(kernel_.registers.size()) > most_ptx_registers)
          in_.refuse("too many registers");
        for (std::int64_t i = 0; i < count; ++i) declare(name + std::to_string(i));
      } else {
        declare(name);
      }
    } while (in_.accept(","));
    in_.expect(";");
  }

  void label() {
    const auto name = in_.token();
    in_.advance();
    in_.advance();
    if (in_.is(".branchtargets") || in_.is(".callprototype")) return in_.skip_statement();
    if (!labels_.emplace(name.text, static_cast<std::int32_t>(kernel_.labels.size())).second)
      in_.refuse_at(name, fmt::format("label '{}' occurs twice", name.text));
    kernel_.labels.push_back({std::string(name.text), static_cast<std::int32_t>(kernel_.body.size())});
  }

  void instruction() {
    const PtxToken begin = in_.token();
    std::int32_t guard = -1;
    bool guard_negated = false;
    if (in_.accept("@")) {
      guard_negated = in_.accept("!");
      const auto where = in_.token();
      guard = find_register(in_.word());
      if (guard < 0) in_.refuse_at(where, fmt::format("predicate '{}' is not declared", where.text));
    }
    if (in_.token().kind != PtxToken::Kind::word)
      in_.refuse(fmt::format("expected an instruction before '{}'", in_.token().text));
    const auto opcode = in_.word();
    const std::int32_t number = opcodes_.number(opcode);
    PtxInstruction in = opcodes_.shape(number);
    in.name = number;
    in.guard = guard;
    in.guard_negated = guard_negated;
    in.line = begin.line;
    in.column = begin.column;
    in.source_file = loc_file_;
    in.source_line = loc_line_;
    in.source_column = loc_column_;
    if (in.op == PtxOp::call) return call(std::move(in));
    slot_.reset();
    while (!in_.accept(";")) {
      if (in_.at_end()) in_.refuse("the file ends inside an instruction", "check that the file is complete");
      in.operands.push_back(operand(in.operands.size()));
      if (!in_.is(";")) in_.expect(",");
    }
    check_operands(in, opcode);
    if (slot_) return slot_access(in, opcode);
    kernel_.body.push_back(std::move(in));
  }

  /// (results), function, (arguments), of which the outer two may be missing. What calls a register's function is kept
  /// as it is, as what is given in registers: neither is followed.
  void call(PtxInstruction in) {
    PtxCall made{.instruction = static_cast<std::int32_t>(kernel_.body.size())};
    bool follows = true;
    const auto names = [&](std::vector<std::size_t>& slots) {
      while (!in_.accept(")")) {
        if (in_.at_end() || in_.is(";")) in_.refuse("a parenthesis is not closed", "check that the file is complete");
        const auto found = find_slot(in_.token().text);
        if (found) slots.push_back(*found);
        follows = follows && found;
        in_.advance();
        (void)in_.accept(",");
      }
    };
    if (in_.accept("(")) {
      names(made.results);
      in_.expect(",");
    }
    follows = follows && find_register(in_.token().text) < 0;
    made.function = in_.word();
    if (in_.accept(",") && in_.accept("(")) names(made.arguments);
    while (!in_.accept(";")) {  // a prototype or a list of targets
      if (in_.at_end()) in_.refuse("the file ends inside an instruction", "check that the file is complete");
      in_.advance();
    }
    if (follows) routine_.calls.push_back(std::move(made));
    kernel_.body.push_back(std::move(in));
  }

  /// Of ld.param and st.param on what a call is given or gives back: moves from and to registers, one an element.
  void slot_access(const PtxInstruction& in, std::string_view opcode) {
    const bool loads = in.op == PtxOp::ld;
    const auto& where = in.operands[loads ? 1 : 0];
    const auto& what = in.operands[loads ? 0 : 1];
    if ((!loads && in.op != PtxOp::st) || in.space != PtxSpace::param || !where.memory || what.memory)
      in_.refuse(fmt::format("'{}' of an argument or a result of a function is not followed", opcode));
    const std::string mov = "mov" + std::string(opcode.substr(opcode.rfind('.')));
    std::vector<PtxOperand> elements{what};
    if (what.kind == PtxOperand::Kind::vector) {
      elements.clear();
      for (const auto e : what.elements)
        elements.push_back({.kind = e >= 0 ? PtxOperand::Kind::reg : PtxOperand::Kind::none, .index = e});
    }
    std::int64_t offset = where.value;
    for (const auto& element : elements) {
      const std::int32_t held = routine_.slot_register(*slot_, offset, in.type);
      offset += in.type.bytes;
      if (loads && element.kind != PtxOperand::Kind::reg) continue;
      const std::int32_t number = opcodes_.number(mov);
      PtxInstruction move = opcodes_.shape(number);
      move.name = number;
      move.guard = in.guard, move.guard_negated = in.guard_negated;
      move.line = in.line, move.column = in.column;
      move.source_file = in.source_file, move.source_line = in.source_line, move.source_column = in.source_column;
      const PtxOperand reg{.kind = PtxOperand::Kind::reg, .index = held};
      move.operands = loads ? std::vector{element, reg} : std::vector{reg, element};
      kernel_.body.push_back(std::move(move));
    }
  }

  PtxOperand operand(std::size_t position, int depth = 0) {
    if (depth > most_nesting) in_.refuse("brackets nested too deep");
    const bool negated = in_.accept("!");
    if (in_.accept("[")) return in_brackets(position, depth);
    PtxOperand o;
    if (in_.accept("{")) {
      o = in_braces(position, depth);
    } else if (in_.token().kind == PtxToken::Kind::number || in_.is("-") || in_.is("+")) {
      o = {.kind = PtxOperand::Kind::immediate, .value = in_.number()};
    } else {
      o = named(position);
    }
    o.negated = negated;
    return o;
  }

  /// [ address + offset ], and further coordinates that are read past.
  PtxOperand in_brackets(std::size_t position, int depth) {
    PtxOperand o;
    if (!in_.is("]")) o = operand(position, depth + 1);
    o.memory = true;
    while (in_.is("+") || in_.is("-")) {
      if (in_.is("+") && in_.peek().kind == PtxToken::Kind::word) in_.refuse("an address with two registers");
      o.value += in_.number();
    }
    while (in_.accept(",")) (void)operand(position, depth + 1);  // texture coordinates, cluster barriers
    in_.expect("]");
    return o;
  }

  PtxOperand in_braces(std::size_t position, int depth) {
    PtxOperand o{.kind = PtxOperand::Kind::vector};
    do {
      const auto element = operand(position, depth + 1);
      o.elements.push_back(element.kind == PtxOperand::Kind::reg ? element.index : -1);
    } while (in_.accept(","));
    in_.expect("}");
    return o;
  }

  /// A register, a special register, a constant, a parameter, a variable; a label where it is none of these.
  PtxOperand named(std::size_t position) {
    PtxOperand o;
    const PtxToken where = in_.token();
    const auto name = in_.word();
    if (name == "_") return {.kind = PtxOperand::Kind::sink};
    if (const auto found = find_register(name); found >= 0) {
      o.kind = PtxOperand::Kind::reg;
      o.index = found;
      if (in_.accept("|") && !in_.accept("_")) o.second = find_register(in_.word());
      return o;
    }
    if (name.starts_with("%")) {
      o.kind = PtxOperand::Kind::special;
      o.index = static_cast<std::int32_t>(ptx_special(name));
      if (o.index == static_cast<std::int32_t>(PtxSpecial::other) && !is_other_special(name))
        in_.refuse_at(where, fmt::format("register '{}' is not declared", name));
      return o;
    }
    if (name == "WARP_SZ") return {.kind = PtxOperand::Kind::immediate, .value = 32};
    if (const auto found = find_slot(name)) {
      slot_ = found;
      return {.kind = PtxOperand::Kind::immediate};
    }
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
      if (kernel_.parameters[p].name == name)
        return symbol(-2 - static_cast<std::int32_t>(p));  // parameters count down from −2
    key_.assign(name);
    if (const auto found = symbols_.find(key_); found != symbols_.end()) return symbol(found->second);
    jumps_.push_back({static_cast<std::int32_t>(kernel_.body.size()), position, where});
    return {.kind = PtxOperand::Kind::label};
  }

  [[nodiscard]] PtxOperand symbol(std::int32_t index) {
    PtxOperand o{.kind = PtxOperand::Kind::symbol, .index = index};
    if (in_.is("+") || in_.is("-")) o.value = in_.number();
    return o;
  }

  /// What runs the code relies on these counts and kinds.
  void check_operands(const PtxInstruction& in, std::string_view opcode) const {
    const std::size_t least = ptx_operation(in.op).fewest_operands;
    if (in.operands.size() < least)
      in_.refuse(fmt::format("'{}' needs {} operands and has {}", opcode, least, in.operands.size()));
    if (in.op != PtxOp::bra) return;
    const bool jumps = !jumps_.empty() && jumps_.back().instruction == static_cast<std::int32_t>(kernel_.body.size());
    if (in.operands.size() != 1 || !jumps || in.operands[0].kind != PtxOperand::Kind::label || in.operands[0].memory)
      in_.refuse("bra needs one label");
  }

  void resolve_jumps() {
    for (const auto& [instruction, operand, where] : jumps_) {
      auto& target = kernel_.body[static_cast<std::size_t>(instruction)].operands[operand];
      const auto found = labels_.find(where.text);
      if (found == labels_.end())
        in_.refuse_at(where, fmt::format("'{}' is neither a register nor a variable nor a label", where.text));
      target.kind = PtxOperand::Kind::label;
      target.index = kernel_.labels[static_cast<std::size_t>(found->second)].instruction;
    }
  }

  [[nodiscard]] std::int32_t find_register(std::string_view name) {
    key_.assign(name);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(key_); found != scope->end()) return found->second;
    return -1;
  }

  struct Jump {
    std::int32_t instruction;
    std::size_t operand;
    PtxToken where;
  };
  PtxStream& in_;
  PtxDeclarations& declarations_;
  PtxOpcodes& opcodes_;
  PtxModule& module_;
  PtxRoutine routine_;
  PtxKernel& kernel_ = routine_.code;
  std::vector<std::unordered_map<std::string, std::int32_t>> scopes_;  ///< registers by name, per pair of braces
  std::vector<std::unordered_map<std::string, std::size_t>> slot_scopes_;
  std::optional<std::size_t> slot_;  ///< that the current instruction names
  std::unordered_map<std::string, std::int32_t> symbols_;
  std::unordered_map<std::string_view, std::int32_t> labels_;
  std::vector<Jump> jumps_;
  std::string key_;
  std::int32_t loc_file_ = 0, loc_line_ = 0, loc_column_ = 0;
};
}  // namespace

std::optional<PtxRoutine> read_kernel(PtxStream& in, PtxDeclarations& declarations, PtxOpcodes& opcodes,
                                      PtxModule& module, const std::vector<PtxVariable>& module_variables) {
  return PtxKernelParser(in, declarations, opcodes, module, module_variables).kernel();
}

std::optional<PtxRoutine> read_function(PtxStream& in, PtxDeclarations& declarations, PtxOpcodes& opcodes,
                                        PtxModule& module, const std::vector<PtxVariable>& module_variables) {
  return PtxKernelParser(in, declarations, opcodes, module, module_variables).function();
}
}  // namespace sparsecast::gpu_code
