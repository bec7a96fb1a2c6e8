#pragma once
// The tokens of a PTX text one after the other, with what every part of the parser asks of them: is this word next, a
// number, the end of the statement; and refusing with line and column.

#include <optional>
#include <sparsecast/error.hpp>
#include <unordered_map>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// The line to show beside an instruction: of the user's file as above; 0 where it comes from another file. For PTX
/// with .loc it is the line that .loc names, 0 where the compiler gives none.
[[nodiscard]] std::int32_t shown_line(const PtxModule& module, const PtxInstruction& in);

// PTX text in tokens, comments left out.

struct PtxToken {
  enum class Kind : std::uint8_t { end, word, number, punctuation, string } kind = Kind::end;
  std::string_view text;  ///< of a string with its quotes; a quote within is written \"
  std::int32_t line = 1, column = 1;
};

class PtxStream {
 public:
  /// `text` and `file` must outlive the stream and its tokens.
  PtxStream(std::string_view text, const std::string& file) : text_(text), file_(file) { advance(); }

  [[nodiscard]] const PtxToken& token() const { return token_; }
  [[nodiscard]] bool at_end() const { return token_.kind == PtxToken::Kind::end; }
  /// At a word that begins with a dot.
  [[nodiscard]] bool at_directive() const {
    return token_.kind == PtxToken::Kind::word && token_.text.starts_with(".");
  }
  void advance();
  const PtxToken& peek();
  [[nodiscard]] bool is(std::string_view text) const {
    return token_.kind != PtxToken::Kind::string && token_.text == text;
  }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string_view word();
  /// Bits of a number: decimal, hexadecimal, octal, binary, 0f… (single), 0d… (double) or a decimal fraction.
  std::int64_t number();
  /// To behind the next `;`, or behind the braces that begin before it.
  void skip_statement();
  void skip_line();
  void skip_parentheses();

  /// Error bad_input at the current token, or at another.
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy = "") const;
  [[noreturn]] void refuse_at(const PtxToken& where, const std::string& reason, const std::string& remedy = "") const;

 private:
  /// Error bad_input at a string that does not end on its line.
  PtxToken read();
  void skip_blanks();

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0;
  std::int32_t line_ = 1;
  PtxToken token_;
  std::optional<PtxToken> ahead_;
};

// From which source PTX was compiled: .file names the files, .loc the line that an instruction comes from.

/// .file index ["folder"] "name" [, time, bytes] [md5 number] [source "text"], from its word on: notes the name. The
/// folder and what is behind the name are clang's, time and bytes the PTX ISA's.
void read_file_directive(PtxStream& in, std::vector<std::string>& source_files);

/// Where the instruction stands in the file that the user gave (or in one that this file includes). Of PTX itself that
/// is its own line and column; of compiled code the line that .loc names, 0 where it names none.
[[nodiscard]] Place source_place(const PtxModule& module, const PtxInstruction& in);

// Reads one kernel of a PTX text: its parameters, then statement by statement its registers, variables, labels and
// instructions. Names are looked up as they are met; labels, which may come later, at the end.

// Declarations of PTX: variables and parameters, and where each lies in its space.

// The words of PTX: the parts of an opcode, types, special registers (PTX ISA 9.0). Not here: the operations
// (ptx.hpp) and the syntax around them.

/// What the parts of an opcode say; PtxOp::unknown for a name that is not known.
[[nodiscard]] PtxInstruction ptx_shape(const std::string& opcode);
[[nodiscard]] std::optional<PtxType> ptx_type(std::string_view name);
[[nodiscard]] PtxSpecial ptx_special(std::string_view name);

class PtxDeclarations {
 public:
  explicit PtxDeclarations(PtxStream& in) : in_(in) {}

  /// .space [.align n] .type name [dims] [= init]; the space is the current token.
  [[nodiscard]] PtxVariable variable(bool external);
  /// .param .type name [bytes], placed behind the parameters before it.
  [[nodiscard]] PtxParameter parameter(const std::vector<PtxParameter>& before);

  /// A kernel's shared variables follow the module's, its local ones have their own memory.
  void begin_kernel(const std::vector<PtxVariable>& of_module);
  [[nodiscard]] std::int64_t shared_bytes() const { return shared_bytes_; }

 private:
  [[nodiscard]] std::int64_t type_bytes(std::string_view name) const;
  void initializer(PtxVariable& v, std::int64_t element);

  PtxStream& in_;
  std::int64_t constant_bytes_ = 0, global_bytes_ = 0, shared_bytes_ = 0, local_bytes_ = 0;
};

/// Opcodes as written, numbered over the whole module, with what their parts say.
class PtxOpcodes {
 public:
  explicit PtxOpcodes(std::vector<std::string>& names) : names_(names) {}
  [[nodiscard]] std::int32_t number(std::string_view opcode) {
    const auto [found, fresh] = numbers_.emplace(opcode, static_cast<std::int32_t>(names_.size()));
    if (fresh) {
      names_.emplace_back(opcode);
      shapes_.push_back(ptx_shape(names_.back()));
    }
    return found->second;
  }
  [[nodiscard]] const PtxInstruction& shape(std::int32_t number) const {
    return shapes_[static_cast<std::size_t>(number)];
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<PtxInstruction> shapes_;
};

/// One kernel, from behind .entry to behind the closing brace; none for a prototype.
[[nodiscard]] std::optional<PtxKernel> read_kernel(PtxStream& in, PtxDeclarations& declarations, PtxOpcodes& opcodes,
                                                   PtxModule& module, const std::vector<PtxVariable>& module_variables);
}  // namespace sparsecast::gpu_code
