#include "gpu_code/amd/amd_assembly.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <sparsecast/error.hpp>
#include <string_view>

#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/source_parameters.hpp"

namespace sparsecast::gpu_code {
namespace {
std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// The number behind the words: "; ScratchSize: 84".
bool number_behind(std::string_view line, std::string_view words, std::int64_t& value) {
  const auto at = line.find(words);
  if (at == std::string_view::npos) return false;
  auto rest = line.substr(at + words.size());
  rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
  return std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc();
}

/// 32-bit words of a lane, by the end of the instruction's name.
int dwords_of(std::string_view word) {
  int words = 1;
  const auto has = [&](const std::string& part) { return word.find(part) != std::string_view::npos; };
  for (const int n : {2, 3, 4})
    if (has(fmt::format("x{}", n)) || has(fmt::format("b{}", 32 * n))) words = n;
  return word.starts_with("ds_read2") || word.starts_with("ds_write2") ? 2 * words : words;
}

/// Transcendental functions, roots and reciprocals; and doubles.
AmdUnit unit_of(std::string_view word) {
  constexpr std::string_view functions[] = {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"};
  if (word.find("_f64") != std::string_view::npos) return AmdUnit::double_;
  const bool is_function = std::ranges::any_of(functions, [&](auto name) { return word.starts_with(name); });
  return is_function ? AmdUnit::function : AmdUnit::plain;
}

/// Registers of one operand: v1, v[2:3], s4, a[0:1], -v1, |v1|, vcc.
void add_registers(std::string_view operand, std::vector<std::int32_t>& to) {
  constexpr std::int32_t kind_size = 1024;
  if (operand.find("vcc") != std::string_view::npos) return to.push_back(3 * kind_size);
  const auto at = operand.find_first_of("vsa");
  if (at == std::string_view::npos || at + 1 >= operand.size()) return;
  const std::int32_t base = (operand[at] == 'v' ? 0 : operand[at] == 's' ? 1 : 2) * kind_size;
  auto rest = operand.substr(at + 1);
  const bool range = rest[0] == '[';
  if (range) rest.remove_prefix(1);
  std::int32_t first = 0, last = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), first);
  if (error != std::errc() || first < 0 || first >= kind_size) return;
  last = first;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (range && rest.starts_with(":")) std::from_chars(rest.data() + 1, rest.data() + rest.size(), last);
  for (auto r = first; r <= std::min(last, first + 31); ++r) to.push_back(base + r);
}

/// v_fma_f32 v1, v4, v5, v1: the first operand is the result, unless it stores or compares without one.
void read_operands(std::string_view line, std::string_view word, AmdInstruction& in) {
  auto rest = line.substr(std::min(word.size(), line.size()));
  rest = rest.substr(0, rest.find(';'));
  const bool no_result = in.store || word.starts_with("s_cmp") || word.starts_with("s_waitcnt") ||
                         word.starts_with("s_cbranch") || word.starts_with("s_branch");
  for (bool first = true; !rest.empty(); first = false) {
    const auto comma = rest.find(',');
    const auto operand = rest.substr(0, comma);
    add_registers(operand, first && !no_result ? in.writes : in.reads);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  // Products that are added to what stands in their result.
  if (word.starts_with("v_fmac") || word.starts_with("v_mac") || word.starts_with("v_dot") ||
      word.starts_with("v_pk_fmac"))
    in.reads.insert(in.reads.end(), in.writes.begin(), in.writes.end());
}

/// `line` begins with the instruction's name.
bool read_instruction(std::string_view line, AmdInstruction& in) {
  const auto word = line.substr(0, line.find_first_of(" \t"));
  const auto is = [&](std::string_view begin) { return word.starts_with(begin); };
  if (is("v_")) {
    in.kind = AmdKind::vector;
    in.unit = unit_of(word);
  } else if (is("ds_")) {
    in.kind = AmdKind::lds;
    in.dwords = static_cast<std::int8_t>(dwords_of(word));
    in.wide = word.find("b64") != std::string_view::npos || word.find("b96") != std::string_view::npos ||
              word.find("b128") != std::string_view::npos;
  } else if (is("global_") || is("flat_") || is("buffer_") || is("scratch_")) {
    // Kernels of HIP and OpenCL reach buffers by global instructions; buffer instructions are the stack's.
    in.kind = is("buffer_") || is("scratch_") ? AmdKind::scratch : AmdKind::global;
    in.dwords = static_cast<std::int8_t>(dwords_of(word));
  } else if (is("s_waitcnt")) {
    in.kind = line.find("vmcnt") != std::string_view::npos ? AmdKind::wait_for_loads : AmdKind::wait;
  } else {
    if (!is("s_")) return false;
  }
  in.store = in.kind != AmdKind::vector &&
             (word.find("store") != std::string_view::npos || word.find("write") != std::string_view::npos);
  read_operands(line, word, in);
  return true;
}

/// .loc 1 5 10: the third number, behind the second, which begins at or behind `blank`.
std::int32_t column_behind(std::string_view rest, std::size_t blank) {
  const auto line = rest.find_first_of("0123456789", blank);
  const auto after = line == std::string_view::npos ? line : rest.find_first_of(" \t", line);
  std::int64_t column = 0;
  if (after == std::string_view::npos || !number_behind(rest.substr(after), "", column)) return 0;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(column, 0, 1'000'000'000));
}

class AssemblyReader {
 public:
  AssemblyReader(const std::string& text, const std::string& source)
      : left_(text), source_(std::filesystem::path(source).filename().string()) {}

  AmdKernel find(const std::string& name) {
    std::string names;
    while (!left_.empty()) {
      const auto line = next_line(left_);
      if (starts_function(line)) continue;
      if (line.starts_with(".Lfunc_end")) inside_ = false;
      if (line.find(".amdhsa_kernel ") != std::string_view::npos) {
        described_ = true;
        names += (names.empty() ? "" : ", ") + source_name(current_.name);
      }
      if (line.find(".file") != std::string_view::npos) file(line);
      if (inside_) statement(line);
      if (described_ && remark(line) && (name.empty() || current_.name == name || source_name(current_.name) == name))
        return current_;
    }
    throw Error(ErrorCode::bad_input,
                name.empty() ? "it contains no kernel" : fmt::format("there is no kernel '{}' in the assembly", name),
                {}, names.empty() ? "check that a function is marked __global__ or __kernel" : "it has: " + names);
  }

 private:
  bool starts_function(std::string_view line) {
    if (line.empty() || line[0] == ' ' || line[0] == '\t' || line[0] == '.' || line[0] == ';') return false;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    current_ = {};
    current_.name = line.substr(0, colon);
    inside_ = true;
    described_ = false;
    loop_ = line_ = column_ = 0;
    return true;
  }

  /// .file 1 "folder" "name": which number the user's file has.
  void file(std::string_view line) {
    std::int64_t number = 0;
    if (line.find(source_) == std::string_view::npos && line.find(unrolled_copy) == std::string_view::npos) return;
    if (number_behind(line, ".file", number)) file_ = number;
  }

  void statement(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return;
    const auto block = line.starts_with(".LBB") || line.starts_with("; %bb.");
    if (block) {
      loop_ = 0;
      this_block_ = 0;
      std::int64_t number = 0;
      if (line.starts_with(".LBB") && number_behind(line.substr(line.find('_')), "_", number))
        this_block_ = static_cast<std::int32_t>(number) + 1;
    }
    loop_remark(line);
    if (block || line[begin] == ';') return;
    if (line.substr(begin).starts_with(".loc")) {
      std::int64_t file = 0, number = 0;
      const auto rest = line.substr(begin + 4);
      if (!number_behind(rest, "", file)) return;
      const auto digit = rest.find_first_of("0123456789");
      const auto blank = rest.find_first_of(" \t", digit);
      if (blank == std::string_view::npos || !number_behind(rest.substr(blank), "", number) || number <= 0) return;
      line_ = file == file_ ? static_cast<std::int32_t>(number) : 0;
      column_ = column_behind(rest, blank);
      return;
    }
    AmdInstruction in;
    if (!read_instruction(line.substr(begin), in)) return;
    in.line = line_;
    in.column = column_;
    in.loop = loop_;
    current_.instructions.push_back(in);
  }

  /// "; =>This Inner Loop Header: Depth=1" opens the loop of this block, ";   in Loop: Header=BB0_3 Depth=1" is in one.
  void loop_remark(std::string_view line) {
    const auto comment = line.find(';');
    if (comment == std::string_view::npos) return;
    const auto text = line.substr(comment);
    if (text.find("Loop Header: Depth") != std::string_view::npos && text.find("=>") != std::string_view::npos) {
      loop_ = this_block_;
      return;
    }
    const auto header = text.find("in Loop: Header=BB");
    if (header == std::string_view::npos) return;
    std::int64_t number = 0;
    const auto rest = text.substr(header);
    if (const auto bar = rest.find('_'); bar != std::string_view::npos && number_behind(rest.substr(bar), "_", number))
      loop_ = static_cast<std::int32_t>(number) + 1;
  }

  /// What stands behind a kernel's code; true at the last of it.
  bool remark(std::string_view line) {
    if (line.empty() || line[0] != ';') return false;
    std::int64_t value = 0;
    // Last of all that of both files (TotalNumVgprs), where a target has two.
    if (number_behind(line, "NumVgprs", value)) current_.vector_registers = static_cast<int>(value);
    if (number_behind(line, "ScratchSize", value)) current_.scratch_bytes = value;
    if (!number_behind(line, "LDSByteSize", value)) return false;
    current_.lds_bytes = value;
    return true;
  }

  std::string_view left_;
  std::string source_;
  AmdKernel current_;
  bool inside_ = false, described_ = false;
  std::int64_t file_ = -1;
  std::int32_t loop_ = 0, line_ = 0, column_ = 0, this_block_ = 0;
};
}  // namespace

AmdKernel read_amd_assembly(const std::string& text, const std::string& name, const std::string& source) {
  return AssemblyReader(text, source).find(name);
}
}  // namespace sparsecast::gpu_code
