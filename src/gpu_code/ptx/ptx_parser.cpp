// One pass over the text: the statements of the module are here, those of a kernel in
// ptx_kernel_parser.cpp.

#include <fmt/format.h>
#include <bit>
#include <cctype>

#include "base/number.hpp"
#include "fields/wording.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/ptx/ptx_kernel_parser.hpp"

namespace sparsecast::gpu_code {
namespace {
class ModuleParser {
 public:
  ModuleParser(std::string_view text, PtxModule& module)
      : module_(module), in_(text, module.file), declarations_(in_), opcodes_(module.opcodes) {}

  void read() {
    while (!in_.at_end()) statement();
    if (module_.version.empty() && module_.kernels.empty())
      in_.refuse("this is not PTX: neither .version nor a kernel");
  }

 private:
  void statement() {
    if (in_.accept(".version")) {
      module_.version = in_.token().text;
      in_.advance();
    } else if (in_.accept(".target")) {
      in_.word();
      while (in_.accept(",")) in_.word();
    } else if (in_.accept(".address_size")) {
      if (in_.number() != 64) in_.refuse("only PTX with 64-bit addresses is read", "compile for 64 bits");
    } else if (in_.is(".file")) {
      read_file_directive(in_, module_.source_files);
    } else if (in_.accept(".section")) {
      while (!in_.at_end() && !in_.is("{")) in_.advance();
      in_.skip_statement();
    } else if (in_.is(".visible") || in_.is(".weak") || in_.is(".common")) {
      in_.advance();
    } else if (in_.accept(".extern")) {
      external_ = true;
    } else if (in_.accept(".entry")) {
      external_ = false;
      if (auto kernel = read_kernel(in_, declarations_, opcodes_, module_, variables_))
        module_.kernels.push_back(*std::move(kernel));
    } else if (in_.is(".func")) {
      function();
    } else if (in_.is(".global") || in_.is(".const") || in_.is(".shared")) {
      variables_.push_back(declarations_.variable(std::exchange(external_, false)));
    } else if (in_.is(".pragma") || in_.is(".alias") || in_.is(".loc")) {
      in_.skip_line();
    } else if (!in_.accept(";")) {
      in_.refuse(fmt::format("'{}' is not understood here", in_.token().text),
                 "the analyser reads PTX as nvcc and clang write it");
    }
  }

  /// .func: kept out, but a call of it is named when it is met. Prototype or body.
  void function() {
    external_ = false;
    while (!in_.at_end() && !in_.is("{") && !in_.is(";")) in_.advance();
    in_.skip_statement();
  }

  PtxModule& module_;
  PtxStream in_;
  PtxDeclarations declarations_;
  PtxOpcodes opcodes_;
  std::vector<PtxVariable> variables_;
  bool external_ = false;
};

constexpr PtxOperation table[] = {
#define PTX_OPERATION(operation, name, fewest_operands, effect, cost) \
  {name, PtxOp::operation, fewest_operands, PtxEffect::effect, PtxCost::cost},
#include "gpu_code/ptx/ptx_operations.def"
};

/// Other spellings of what counts as one operation.
constexpr std::pair<std::string_view, PtxOp> spellings[] = {
    {"prefetchu", PtxOp::prefetch},
    {"wmma", PtxOp::mma},
    {"ldmatrix", PtxOp::mma},
};

namespace fs = std::filesystem;

/// Of a string in quotes: `\"` and `\\` are a quote and a backslash.
std::string unquoted(std::string_view text) {
  std::string result;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
    result += text[i];
  }
  return result;
}

/// Whether the user gave a source and a compiler made the PTX of it.
bool is_compiled(const PtxModule& module) {
  const auto extension = fs::path(module.file).extension();
  return extension == ".cl" || extension == ".cu" || extension == ".hip";
}

/// The source file of an instruction; empty where it is not known.
std::string source_name(const PtxModule& module, const PtxInstruction& in) {
  const auto place = static_cast<std::size_t>(in.source_file);
  return in.source_file >= 0 && place < module.source_files.size() ? module.source_files[place] : std::string();
}

/// The compilers write the path whole; the user's file is known by its last part.
bool is_users_file(const PtxModule& module, const std::string& name) {
  const auto file = fs::path(name).filename();
  return file == fs::path(module.file).filename() || file == unrolled_copy;
}

bool word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool word_rest(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
}  // namespace

PtxModule parse_ptx(std::string_view text, const std::string& file) {
  PtxModule module;
  module.file = file;
  ModuleParser(text, module).read();
  return module;
}

const PtxKernel& find_kernel(const PtxModule& module, const std::string& name) {
  std::string names;
  for (const auto& kernel : module.kernels) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + source_name(kernel.name);
  }
  // By the source's name, where that means one.
  std::vector<const PtxKernel*> found;
  for (const auto& kernel : module.kernels)
    if (!name.empty() && source_name(kernel.name) == name) found.push_back(&kernel);
  if (found.size() == 1) return *found.front();
  if (found.size() > 1) {
    std::string symbols;
    for (const auto* kernel : found) symbols += (symbols.empty() ? "" : ", ") + kernel->name;
    throw Error(
        ErrorCode::usage, fmt::format("there is more than one kernel '{}'", name), {module.file},
        wording::format("choose with {} by the compiler's name: {}", wording::option("kernel.kernel"), symbols));
  }
  if (module.kernels.empty())
    throw Error(ErrorCode::bad_input, "there is no kernel in it", {module.file},
                "is a function marked __global__ or __kernel?");
  if (!name.empty())
    throw Error(ErrorCode::usage, fmt::format("there is no kernel '{}'", name), {module.file}, "it has: " + names);
  if (module.kernels.size() > 1)
    throw Error(ErrorCode::usage, "there is more than one kernel", {module.file},
                wording::format("choose with {}: {}", wording::option("kernel.kernel"), names));
  return module.kernels.front();
}

const PtxOperation& ptx_operation(PtxOp operation) { return table[static_cast<std::size_t>(operation)]; }

const PtxOperation& ptx_operation(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const PtxOperation*> names;
    for (const auto& row : table)
      if (!row.name.empty()) names.emplace(row.name, &row);
    for (const auto& [other, meant] : spellings) names.emplace(other, &ptx_operation(meant));
    return names;
  }();
  const auto found = by_name.find(name);
  return found != by_name.end() ? *found->second : ptx_operation(PtxOp::unknown);
}

bool writes_first_operand(const PtxInstruction& in) {
  const auto& operation = ptx_operation(in.op);
  switch (operation.effect) {
    case PtxEffect::store:
    case PtxEffect::branch: return false;
    case PtxEffect::atomic: return in.op != PtxOp::red;
    case PtxEffect::barrier: return in.type.kind != PtxType::Kind::none;  // bar.red
    default: return true;
  }
}

void read_file_directive(PtxStream& in, std::vector<std::string>& source_files) {
  in.advance();
  const auto index = in.number();
  std::vector<std::string> parts;
  while (in.token().kind == PtxToken::Kind::string && parts.size() < 2) {
    parts.push_back(unquoted(in.token().text));
    in.advance();
  }
  if (parts.empty()) in.refuse("a .file without a name");
  if (index >= 0 && index < 65536) {
    const auto place = static_cast<std::size_t>(index);
    if (source_files.size() <= place) source_files.resize(place + 1);
    // An absolute name stands for itself whatever the folder says; so does `/` of paths.
    source_files[place] = parts.size() == 2 ? (fs::path(parts[0]) / parts[1]).string() : parts[0];
  }
  while (in.accept(",")) in.number();
  if (in.accept("md5")) in.advance();
  if (in.accept("source") && in.token().kind == PtxToken::Kind::string) in.advance();
}

Place source_place(const PtxModule& module, const PtxInstruction& in) {
  if (!is_compiled(module)) return {module.file, in.line, in.column};
  const auto name = source_name(module, in);
  if (name.empty() || in.source_line <= 0) return {module.file};
  return {is_users_file(module, name) ? module.file : name, in.source_line};
}

std::int32_t shown_line(const PtxModule& module, const PtxInstruction& in) {
  if (is_compiled(module)) return is_users_file(module, source_name(module, in)) ? in.source_line : 0;
  return in.source_file > 0 ? in.source_line : in.line;
}

PtxToken PtxStream::read() {
  skip_blanks();
  PtxToken token{PtxToken::Kind::end, {}, line_, static_cast<std::int32_t>(at_ - line_start_) + 1};
  if (at_ >= text_.size()) return token;
  const std::size_t begin = at_;
  const char c = text_[at_];
  if (word_start(c)) {
    while (at_ < text_.size() && (word_rest(text_[at_]) || (text_[at_] == ':' && text_.substr(at_, 2) == "::")))
      at_ += text_[at_] == ':' ? 2 : 1;
    token.kind = PtxToken::Kind::word;
  } else if (std::isdigit(static_cast<unsigned char>(c))) {
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) ++at_;
    token.kind = PtxToken::Kind::number;
  } else if (c == '"') {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\') ? 2 : 1;
    if (at_ >= text_.size() || text_[at_] != '"')
      throw Error(ErrorCode::bad_input, "unterminated string", {file_, token.line, token.column}, "");
    ++at_;
    token.kind = PtxToken::Kind::string;
  } else {
    ++at_;
    token.kind = PtxToken::Kind::punctuation;
  }
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

void PtxStream::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (text_.substr(at_, 2) == "/*") {
      const auto end = text_.find("*/", at_ + 2);
      const auto stop = end == std::string_view::npos ? text_.size() : end + 2;
      for (; at_ < stop; ++at_)
        if (text_[at_] == '\n') {
          ++line_;
          line_start_ = at_ + 1;
        }
    } else {
      return;
    }
  }
}

void PtxStream::refuse(const std::string& reason, const std::string& remedy) const {
  refuse_at(token_, reason, remedy);
}

void PtxStream::refuse_at(const PtxToken& where, const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, reason, {file_, where.line, where.column}, remedy);
}

void PtxStream::advance() {
  token_ = ahead_ ? *ahead_ : read();
  ahead_.reset();
}

const PtxToken& PtxStream::peek() {
  if (!ahead_) ahead_ = read();
  return *ahead_;
}

bool PtxStream::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

void PtxStream::expect(std::string_view text) {
  if (!accept(text)) refuse(fmt::format("expected '{}' before '{}'", text, token_.text));
}

std::string_view PtxStream::word() {
  if (token_.kind != PtxToken::Kind::word) refuse(fmt::format("expected a name before '{}'", token_.text));
  const auto text = token_.text;
  advance();
  return text;
}

std::int64_t PtxStream::number() {
  bool minus = false;
  while (is("-") || is("+")) {
    minus ^= is("-");
    advance();
  }
  if (token_.kind != PtxToken::Kind::number) refuse(fmt::format("expected a number before '{}'", token_.text));
  const auto text = token_.text;
  const PtxToken where = token_;
  advance();
  std::uint64_t value = 0;
  const auto digits = [&](std::string_view t, int base) {
    if (!t.empty() && (t.back() == 'U' || t.back() == 'u')) t.remove_suffix(1);
    const auto found = base::number_in<std::uint64_t>(t, base);
    if (!found) refuse_at(where, fmt::format("bad number '{}'", text));
    value = *found;
  };
  const char kind = text.size() > 2 && text[0] == '0' ? static_cast<char>(std::tolower(text[1])) : '\0';
  if (kind == 'f' || kind == 'd') {
    digits(text.substr(2), 16);
    if (minus) value ^= kind == 'f' ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    return static_cast<std::int64_t>(value);
  }
  if (kind == 'x' || kind == 'b') {
    digits(text.substr(2), kind == 'x' ? 16 : 2);
  } else if (text.find('.') != std::string_view::npos) {
    const auto fraction = base::number_in<double>(text);
    if (!fraction) refuse_at(where, fmt::format("bad number '{}'", text));
    return std::bit_cast<std::int64_t>(minus ? -*fraction : *fraction);
  } else {
    digits(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
  }
  return static_cast<std::int64_t>(minus ? 0 - value : value);
}

void PtxStream::skip_statement() {
  int depth = 0;
  while (token_.kind != PtxToken::Kind::end) {
    if (is("{")) ++depth;
    if ((is("}") && --depth <= 0) || (is(";") && depth == 0)) return advance();
    advance();
  }
}

void PtxStream::skip_line() {
  const auto line = token_.line;
  while (token_.kind != PtxToken::Kind::end && token_.line == line) advance();
}

void PtxStream::skip_parentheses() {
  expect("(");
  for (int depth = 1; depth > 0 && token_.kind != PtxToken::Kind::end; advance())
    depth += is("(") ? 1 : is(")") ? -1 : 0;
}
}  // namespace sparsecast::gpu_code
