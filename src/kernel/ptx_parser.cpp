// Reads PTX: one pass over the text, statement by statement.

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <charconv>
#include <deque>
#include <fstream>
#include <sparsecast/error.hpp>
#include <sstream>
#include <unordered_map>

#include "kernel/ptx.hpp"
#include "kernel/ptx_lexer.hpp"
#include "kernel/ptx_words.hpp"

namespace sparsecast::kernel {
namespace {

constexpr std::int64_t most_bytes_of_a_variable = std::int64_t{1} << 32;
constexpr std::int64_t most_registers = 1 << 17;
constexpr std::int64_t most_parameter_bytes = 65536;  // the PTX ISA allows 32764
constexpr int most_nesting = 8;

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : lexer_(text, file) {
    module_.file = file;
    advance();
  }

  PtxModule module() {
    while (token_.kind != PtxToken::Kind::end) module_statement();
    if (module_.version.empty() && module_.kernels.empty()) refuse("this is not PTX: neither .version nor a kernel");
    return std::move(module_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy = "") const {
    refuse_at(token_, reason, remedy);
  }
  [[noreturn]] void refuse_at(const PtxToken& where, const std::string& reason, const std::string& remedy = "") const {
    throw Error(ErrorCode::bad_input, reason, {module_.file, where.line, where.column}, remedy);
  }
  void advance() {
    if (!pending_.empty()) {
      token_ = pending_.front();
      pending_.pop_front();
    } else {
      token_ = lexer_.next();
    }
  }
  const PtxToken& peek() {
    if (pending_.empty()) pending_.push_back(lexer_.next());
    return pending_.front();
  }
  [[nodiscard]] bool is(std::string_view text) const {
    return token_.kind != PtxToken::Kind::string && token_.text == text;
  }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    advance();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) refuse(fmt::format("expected '{}' before '{}'", text, token_.text));
  }
  std::string_view word() {
    if (token_.kind != PtxToken::Kind::word) refuse(fmt::format("expected a name before '{}'", token_.text));
    const auto text = token_.text;
    advance();
    return text;
  }

  /// Bits of a number: decimal, hexadecimal, octal, binary, 0f… (single), 0d… (double) or a decimal fraction.
  std::int64_t number() {
    bool minus = false;
    while (is("-") || is("+")) {
      minus ^= is("-");
      advance();
    }
    if (token_.kind != PtxToken::Kind::number) refuse(fmt::format("expected a number before '{}'", token_.text));
    auto text = token_.text;
    const PtxToken where = token_;
    advance();
    std::uint64_t value = 0;
    const auto digits = [&](std::string_view t, int base) {
      if (!t.empty() && (t.back() == 'U' || t.back() == 'u')) t.remove_suffix(1);
      const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value, base);
      if (error != std::errc() || end != t.data() + t.size()) refuse_at(where, fmt::format("bad number '{}'", text));
    };
    if (text.size() > 2 && text[0] == '0') {
      const char kind = static_cast<char>(std::tolower(text[1]));
      if (kind == 'f' || kind == 'd') {
        digits(text.substr(2), 16);
        if (minus) value ^= kind == 'f' ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
        return static_cast<std::int64_t>(value);
      }
      if (kind == 'x') {
        digits(text.substr(2), 16);
        return minus ? static_cast<std::int64_t>(0 - value) : static_cast<std::int64_t>(value);
      }
      if (kind == 'b') {
        digits(text.substr(2), 2);
        return minus ? static_cast<std::int64_t>(0 - value) : static_cast<std::int64_t>(value);
      }
    }
    if (text.find('.') != std::string_view::npos) {
      double fraction = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fraction);
      if (error != std::errc() || end != text.data() + text.size())
        refuse_at(where, fmt::format("bad number '{}'", text));
      return std::bit_cast<std::int64_t>(minus ? -fraction : fraction);
    }
    digits(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
    return minus ? static_cast<std::int64_t>(0 - value) : static_cast<std::int64_t>(value);
  }

  void skip_statement() {
    int depth = 0;
    while (token_.kind != PtxToken::Kind::end) {
      if (is("{")) ++depth;
      if (is("}") && --depth <= 0) {
        advance();
        return;
      }
      if (is(";") && depth == 0) {
        advance();
        return;
      }
      advance();
    }
  }

  void module_statement() {
    if (accept(".version")) {
      module_.version = token_.text;
      advance();
    } else if (accept(".target")) {
      module_.target = word();
      while (accept(",")) word();
    } else if (accept(".address_size")) {
      if (number() != 64) refuse("only PTX with 64-bit addresses is read", "compile for 64 bits");
    } else if (is(".file")) {
      file_directive();
    } else if (accept(".section")) {
      while (token_.kind != PtxToken::Kind::end && !is("{")) advance();
      skip_statement();
    } else if (is(".visible") || is(".weak") || is(".common")) {
      advance();
    } else if (accept(".extern")) {
      external_ = true;
    } else if (accept(".entry")) {
      kernel();
    } else if (is(".func")) {
      function();
    } else if (is(".global") || is(".const") || is(".shared")) {
      module_variables_.push_back(variable());
    } else if (is(".pragma") || is(".alias") || is(".loc")) {
      skip_line();
    } else if (!accept(";")) {
      refuse(fmt::format("'{}' is not understood here", token_.text),
             "the analyser reads PTX as nvcc and clang write it");
    }
  }

  void skip_line() {
    const auto line = token_.line;
    while (token_.kind != PtxToken::Kind::end && token_.line == line) advance();
  }

  void file_directive() {
    advance();
    const auto index = number();
    if (token_.kind == PtxToken::Kind::string && index >= 0 && index < 65536) {
      if (module_.source_files.size() <= static_cast<std::size_t>(index))
        module_.source_files.resize(static_cast<std::size_t>(index) + 1);
      module_.source_files[static_cast<std::size_t>(index)] = token_.text.substr(1, token_.text.size() - 2);
      advance();
    }
    while (accept(",")) number();
  }

  /// .func: kept out, but a call of it is named when it is met. Prototype or body.
  void function() {
    external_ = false;
    while (token_.kind != PtxToken::Kind::end && !is("{") && !is(";")) advance();
    skip_statement();
  }

  std::int64_t type_bytes(std::string_view name) const {
    const auto type = ptx_type(name.substr(1));
    if (!type) refuse(fmt::format("unknown type '{}'", name));
    return type->bytes;
  }

  /// [.align n] .type name [dims] [= init]; the space has been seen as token_.
  PtxVariable variable() {
    PtxVariable v;
    v.external = external_;
    external_ = false;
    const auto space = word();
    v.space = space.starts_with(".const") ? PtxSpace::constant
              : space == ".shared"        ? PtxSpace::shared
              : space == ".local"         ? PtxSpace::local
                                          : PtxSpace::global;
    std::int64_t element = 1;
    bool typed = false;
    while (token_.kind == PtxToken::Kind::word && token_.text.starts_with(".")) {
      const auto directive = word();
      if (directive == ".align")
        v.align = number();
      else if (directive == ".v2" || directive == ".v4")
        element = std::min<std::int64_t>(element * (directive == ".v2" ? 2 : 4), 4096);
      else if (directive == ".attribute")
        skip_parentheses();
      else if (directive == ".managed")
        continue;
      else if (directive == ".texref" || directive == ".samplerref" || directive == ".surfref")
        element = 8, typed = true;
      else {
        element = std::min<std::int64_t>(element * type_bytes(directive), 4096);
        typed = true;
      }
    }
    if (!typed) refuse("a variable without a type");
    if (element > 64) refuse("a variable with several types");
    if (v.align < 1 || v.align > 65536) refuse("bad alignment");
    v.name = word();
    v.bytes = element;
    while (accept("[")) {
      std::int64_t extent = 0;
      if (!is("]")) extent = number();
      expect("]");
      if (extent < 0 || (extent > 0 && v.bytes > most_bytes_of_a_variable / extent)) refuse("a variable too large");
      v.bytes *= extent;
    }
    if (accept("=")) initializer(v, element);
    expect(";");
    auto& offset = v.space == PtxSpace::constant ? constant_bytes_
                   : v.space == PtxSpace::global ? global_bytes_
                   : v.space == PtxSpace::shared ? shared_bytes_
                                                 : local_bytes_;
    offset = (offset + v.align - 1) / v.align * v.align;
    v.address = offset;
    offset += v.bytes;
    return v;
  }

  void skip_parentheses() {
    expect("(");
    for (int depth = 1; depth > 0 && token_.kind != PtxToken::Kind::end; advance())
      depth += is("(") ? 1 : is(")") ? -1 : 0;
  }

  void initializer(PtxVariable& v, std::int64_t element) {
    int depth = 0;
    do {
      if (accept("{")) {
        ++depth;
      } else if (accept("}")) {
        --depth;
      } else if (accept(",")) {
      } else if (token_.kind == PtxToken::Kind::number || is("-")) {
        const auto bits = static_cast<std::uint64_t>(number());
        for (std::int64_t b = 0; b < element; ++b)
          v.init.push_back(b < 8 ? static_cast<std::uint8_t>(bits >> (8 * b)) : 0);
      } else if (token_.kind == PtxToken::Kind::end || is(";")) {
        break;
      } else {  // an address: not evaluated
        v.init.clear();
        while (token_.kind != PtxToken::Kind::end && !is(";")) advance();
        return;
      }
    } while (depth > 0);
  }

  void kernel() {
    external_ = false;
    PtxKernel k;
    k.line = token_.line;
    k.name = word();
    shared_bytes_ = local_bytes_ = 0;
    for (const auto& v : module_variables_)
      if (v.space == PtxSpace::shared) shared_bytes_ = std::max(shared_bytes_, v.address + v.bytes);
    k.variables = module_variables_;
    scopes_.assign(1, {});
    symbols_.clear();
    labels_.clear();
    jumps_.clear();
    loc_file_ = loc_line_ = 0;
    for (std::size_t i = 0; i < k.variables.size(); ++i) symbols_[k.variables[i].name] = static_cast<std::int32_t>(i);
    if (accept("(")) {
      while (!accept(")")) {
        parameter(k);
        if (!is(")")) expect(",");
      }
    }
    while (token_.kind == PtxToken::Kind::word && token_.text.starts_with("."))
      skip_line();            // .maxntid, .minnctapersm, …
    if (accept(";")) return;  // a prototype
    expect("{");
    for (int depth = 1; depth > 0;) {
      if (token_.kind == PtxToken::Kind::end)
        refuse(fmt::format("the file ends inside kernel {}", k.name), "is the file whole?");
      if (accept("{")) {
        ++depth;
        scopes_.emplace_back();
      } else if (accept("}")) {
        --depth;
        scopes_.pop_back();
      } else {
        statement(k);
      }
    }
    for (const auto& [instruction, operand, where] : jumps_) {
      auto& target = k.body[static_cast<std::size_t>(instruction)].operands[operand];
      const auto found = labels_.find(where.text);
      if (found == labels_.end())
        refuse_at(where, fmt::format("'{}' is neither a register nor a variable nor a label", where.text));
      target.kind = PtxOperand::Kind::label;
      target.index = k.labels[static_cast<std::size_t>(found->second)].instruction;
    }
    k.shared_bytes = shared_bytes_;
    k.local_bytes = local_bytes_;
    module_.kernels.push_back(std::move(k));
  }

  void parameter(PtxKernel& k) {
    PtxParameter p;
    if (!accept(".param")) refuse(fmt::format("expected .param before '{}'", token_.text));
    std::int64_t align = 0;
    while (token_.kind == PtxToken::Kind::word && token_.text.starts_with(".")) {
      const auto directive = word();
      if (directive == ".align") {
        align = number();
      } else if (directive == ".ptr") {
        p.pointer = true;
      } else if (const auto type = ptx_type(directive.substr(1))) {
        p.type = *type;
      }  // .global, .shared, … after .ptr
    }
    p.name = word();
    p.bytes = p.type.bytes;
    if (accept("[")) {
      const auto extent = number();
      expect("]");
      if (extent < 0 || extent > 65536) refuse("a parameter too large");
      p.bytes *= extent;
    }
    if (p.bytes <= 0) refuse("a parameter without a type");
    if (align <= 0) align = p.type.bytes;
    if (align > 4096) refuse("bad alignment");
    std::int64_t offset = k.parameters.empty() ? 0 : k.parameters.back().offset + k.parameters.back().bytes;
    p.offset = (offset + align - 1) / align * align;
    if (p.offset + p.bytes > most_parameter_bytes) refuse("the parameters are too large");
    k.parameters.push_back(std::move(p));
  }

  void statement(PtxKernel& k) {
    if (is(".reg")) return registers(k);
    if (is(".shared") || is(".local") || is(".global") || is(".const")) {
      auto v = variable();
      symbols_[v.name] = static_cast<std::int32_t>(k.variables.size());
      k.variables.push_back(std::move(v));
      return;
    }
    if (accept(".loc")) {
      loc_file_ = static_cast<std::int32_t>(number());
      loc_line_ = static_cast<std::int32_t>(number());
      skip_line();  // column, function_name …, inlined_at …
      return;
    }
    if (is(".file")) return file_directive();
    if (is(".pragma") || is(".branchtargets") || is(".calltargets") || is(".callprototype") || is(".param") ||
        is(".extern"))
      return skip_statement();
    if (accept(";")) return;
    if (token_.kind == PtxToken::Kind::word && peek().text == ":") {
      const auto name = token_;
      advance();
      advance();
      if (is(".branchtargets") || is(".callprototype")) return skip_statement();
      if (!labels_.emplace(name.text, static_cast<std::int32_t>(k.labels.size())).second)
        refuse_at(name, fmt::format("label '{}' stands twice", name.text));
      k.labels.push_back({std::string(name.text), static_cast<std::int32_t>(k.body.size()), name.line});
      return;
    }
    instruction(k);
  }

  void registers(PtxKernel& k) {
    advance();
    std::optional<PtxType> type;
    while (token_.kind == PtxToken::Kind::word && token_.text.starts_with(".")) {
      const auto directive = word();
      if (const auto found = ptx_type(directive.substr(1))) type = found;
    }
    if (!type) refuse("registers without a type");
    const auto declare = [&](std::string name) {
      scopes_.back()[name] = static_cast<std::int32_t>(k.registers.size());
      k.registers.push_back(std::move(name));
      k.register_types.push_back(*type);
    };
    do {
      const std::string name(word());
      if (accept("<")) {
        const auto count = number();
        expect(">");
        if (count < 0 || count + static_cast<std::int64_t>(k.registers.size()) > most_registers)
          refuse("too many registers");
        for (std::int64_t i = 0; i < count; ++i) declare(name + std::to_string(i));
      } else {
        declare(name);
      }
    } while (accept(","));
    expect(";");
  }

  std::int32_t find_register(std::string_view name) {
    key_.assign(name);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(key_); found != scope->end()) return found->second;
    return -1;
  }

  PtxOperand operand(PtxKernel& k, std::size_t position, int depth = 0) {
    PtxOperand o;
    if (depth > most_nesting) refuse("brackets nested too deep");
    if (accept("!")) o.negated = true;
    if (accept("[")) {
      if (!is("]")) o = operand(k, position, depth + 1);
      o.memory = true;
      while (is("+") || is("-")) {
        if (is("+") && peek().kind == PtxToken::Kind::word) refuse("an address with two registers");
        o.value += number();
      }
      while (accept(",")) (void)operand(k, position, depth + 1);  // texture coordinates, cluster barriers
      expect("]");
      return o;
    }
    if (accept("{")) {
      o.kind = PtxOperand::Kind::vector;
      do {
        const auto element = operand(k, position, depth + 1);
        o.elements.push_back(element.kind == PtxOperand::Kind::reg ? element.index : -1);
      } while (accept(","));
      expect("}");
      return o;
    }
    if (accept("(")) {  // call: return values or arguments
      o.kind = PtxOperand::Kind::vector;
      while (!is(")") && token_.kind != PtxToken::Kind::end) {
        if (token_.kind == PtxToken::Kind::word) o.elements.push_back(find_register(token_.text));
        advance();
      }
      expect(")");
      return o;
    }
    if (token_.kind == PtxToken::Kind::number || is("-") || is("+")) {
      o.kind = PtxOperand::Kind::immediate;
      o.value = number();
      return o;
    }
    const PtxToken where = token_;
    const auto name = word();
    if (name == "_") {
      o.kind = PtxOperand::Kind::sink;
      return o;
    }
    if (const auto found = find_register(name); found >= 0) {
      o.kind = PtxOperand::Kind::reg;
      o.index = found;
      if (accept("|")) {
        if (is("_"))
          advance();
        else
          o.second = find_register(word());
      }
      return o;
    }
    if (name.starts_with("%")) {
      o.kind = PtxOperand::Kind::special;
      o.index = static_cast<std::int32_t>(ptx_special(name));
      if (o.index == static_cast<std::int32_t>(PtxSpecial::other) && !name.starts_with("%envreg") &&
          !name.starts_with("%cluster") && !name.starts_with("%ncluster") && !name.starts_with("%nwarpid") &&
          !name.starts_with("%pm") && !name.starts_with("%reserved") && !name.starts_with("%is_"))
        refuse_at(where, fmt::format("register '{}' is not declared", name));
      return o;
    }
    if (name == "WARP_SZ") {
      o.kind = PtxOperand::Kind::immediate;
      o.value = 32;
      return o;
    }
    for (std::size_t p = 0; p < k.parameters.size(); ++p)
      if (k.parameters[p].name == name) {
        o.kind = PtxOperand::Kind::symbol;
        o.index = -2 - static_cast<std::int32_t>(p);  // parameters count down from −2
        if (is("+") || is("-")) o.value = number();
        return o;
      }
    key_.assign(name);
    if (const auto found = symbols_.find(key_); found != symbols_.end()) {
      o.kind = PtxOperand::Kind::symbol;
      o.index = found->second;
      if (is("+") || is("-")) o.value = number();
      return o;
    }
    o.kind = PtxOperand::Kind::label;
    jumps_.push_back({static_cast<std::int32_t>(k.body.size()), position, where});
    return o;
  }

  void instruction(PtxKernel& k) {
    PtxInstruction in;
    in.line = token_.line;
    in.column = token_.column;
    in.source_file = loc_file_;
    in.source_line = loc_line_;
    if (accept("@")) {
      in.guard_negated = accept("!");
      const auto where = token_;
      in.guard = find_register(word());
      if (in.guard < 0) refuse_at(where, fmt::format("predicate '{}' is not declared", where.text));
    }
    if (token_.kind != PtxToken::Kind::word) refuse(fmt::format("expected an instruction before '{}'", token_.text));
    const auto opcode = word();
    in.name = intern(opcode);
    decode(in, shapes_[static_cast<std::size_t>(in.name)]);
    while (!accept(";")) {
      if (token_.kind == PtxToken::Kind::end) refuse("the file ends inside an instruction", "is the file whole?");
      if (in.op == PtxOp::call && token_.kind == PtxToken::Kind::word && find_register(token_.text) < 0) {
        advance();  // the function's name
      } else {
        in.operands.push_back(operand(k, in.operands.size()));
      }
      if (!is(";")) expect(",");
    }
    check_operands(k, in, opcode);
    k.body.push_back(std::move(in));
  }

  /// What runs the code relies on these counts and kinds.
  void check_operands(const PtxKernel& k, const PtxInstruction& in, std::string_view opcode) const {
    const std::size_t least = fewest_operands(in.op);
    if (in.operands.size() < least)
      refuse(fmt::format("'{}' needs {} operands and has {}", opcode, least, in.operands.size()));
    if (in.op != PtxOp::bra) return;
    const bool jumps = !jumps_.empty() && jumps_.back().instruction == static_cast<std::int32_t>(k.body.size());
    if (in.operands.size() != 1 || !jumps || in.operands[0].kind != PtxOperand::Kind::label || in.operands[0].memory)
      refuse("bra needs one label");
  }

  std::int32_t intern(std::string_view opcode) {
    key_.assign(opcode);
    const auto [found, fresh] = opcode_index_.emplace(key_, static_cast<std::int32_t>(module_.opcodes.size()));
    if (fresh) {
      module_.opcodes.push_back(key_);
      shapes_.push_back(ptx_shape(key_));
    }
    return found->second;
  }

  void decode(PtxInstruction& in, const PtxInstruction& shape) const {
    in.op = shape.op;
    in.space = shape.space;
    in.type = shape.type;
    in.source_type = shape.source_type;
    in.vector = shape.vector;
    in.non_coherent = shape.non_coherent;
    in.high = shape.high;
    in.low = shape.low;
    in.wide = shape.wide;
    in.carry_out = shape.carry_out;
    in.uniform = shape.uniform;
    in.approximate = shape.approximate;
    in.saturate = shape.saturate;
    in.cache_global = shape.cache_global;
  }

  struct Jump {
    std::int32_t instruction;
    std::size_t operand;
    PtxToken where;
  };
  PtxLexer lexer_;
  PtxModule module_;
  PtxToken token_;
  std::deque<PtxToken> pending_;
  std::vector<PtxVariable> module_variables_;
  std::int64_t constant_bytes_ = 0, global_bytes_ = 0, shared_bytes_ = 0, local_bytes_ = 0;
  std::vector<std::unordered_map<std::string, std::int32_t>> scopes_;
  std::unordered_map<std::string, std::int32_t> symbols_, opcode_index_;
  std::unordered_map<std::string_view, std::int32_t> labels_;
  std::vector<PtxInstruction> shapes_;  ///< per opcode
  std::vector<Jump> jumps_;
  std::string key_;
  std::int32_t loc_file_ = 0, loc_line_ = 0;
  bool external_ = false;
};

}  // namespace

const PtxLabel* PtxKernel::label_at(std::int32_t instruction) const {
  for (const auto& label : labels)
    if (label.instruction == instruction) return &label;
  return nullptr;
}

PtxModule parse_ptx(std::string_view text, const std::string& file) { return Parser(text, file).module(); }

PtxModule read_ptx(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorCode::bad_input, "cannot open the file", {file.string()}, "is the path right?");
  std::ostringstream text;
  text << in.rdbuf();
  return parse_ptx(text.str(), file.string());
}

const PtxKernel& find_kernel(const PtxModule& module, const std::string& name) {
  std::string names;
  for (const auto& kernel : module.kernels) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  if (module.kernels.empty())
    throw Error(ErrorCode::bad_input, "there is no kernel in it", {module.file},
                "is a function marked __global__ or __kernel?");
  if (!name.empty())
    throw Error(ErrorCode::usage, fmt::format("there is no kernel '{}'", name), {module.file}, "it has: " + names);
  if (module.kernels.size() > 1)
    throw Error(ErrorCode::usage, "there is more than one kernel", {module.file}, "choose with --kernel: " + names);
  return module.kernels.front();
}

}  // namespace sparsecast::kernel
