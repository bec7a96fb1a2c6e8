// See amd_assembly.hpp.

#include "gpu_code/amd/amd_assembly.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sparsecast/error.hpp>
#include <string_view>

#include "gpu_code/compile/source_parameters.hpp"

namespace sparsecast::gpu_code {
namespace {

std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// "; NumVgprs: 84": the number behind the words.
bool remark(std::string_view line, std::string_view words, std::int64_t& value) {
  const auto at = line.find(words);
  if (line.empty() || line[0] != ';' || at == std::string_view::npos) return false;
  auto rest = line.substr(at + words.size());
  rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
  return std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc();
}

void count(std::string_view line, AmdKernel& k) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || begin == 0) return;
  const auto word = line.substr(begin, line.find_first_of(" \t", begin) - begin);
  if (word.starts_with("v_"))
    ++k.vector;
  else if (word.starts_with("ds_"))
    ++k.lds;
  else if (word.starts_with("global_") || word.starts_with("flat_"))
    ++k.global;
  else if (word.starts_with("buffer_") || word.starts_with("scratch_"))
    ++k.scratch;
  else if (word.starts_with("s_load") || word.starts_with("s_buffer"))
    ++k.scalar_loads;
  else if (word.starts_with("s_waitcnt"))
    ++k.waits;
  else if (word.starts_with("s_cbranch") || word.starts_with("s_branch"))
    ++k.branches;
  else if (word.starts_with("s_"))
    ++k.scalar;
}

}  // namespace

AmdKernel read_amd_assembly(const std::string& text, const std::string& name) {
  // Kernels are the functions with an .amdhsa_kernel; their code stands before it, remarks behind.
  AmdKernel current;
  bool inside = false, described = false;
  std::string names, label;
  std::string_view left(text);
  while (!left.empty()) {
    const auto line = next_line(left);
    if (!line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '.' && line[0] != ';') {
      const auto colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      current = {};
      current.name = line.substr(0, colon);
      inside = true;
      described = false;
      continue;
    }
    if (line.starts_with(".Lfunc_end")) inside = false;
    if (inside) count(line, current);
    if (line.find(".amdhsa_kernel ") != std::string_view::npos) {
      described = true;
      names += (names.empty() ? "" : ", ") + current.name;
    }
    if (!described) continue;
    std::int64_t value = 0;
    if (remark(line, "codeLenInByte", value)) current.code_bytes = value;
    if (remark(line, "TotalNumSgprs", value) || remark(line, "NumSgprs", value))
      current.scalar_registers = static_cast<int>(value);
    if (remark(line, "TotalNumVgprs", value)) current.vector_registers = static_cast<int>(value);
    if (remark(line, "ScratchSize", value)) current.scratch_bytes = value;
    if (remark(line, "LDSByteSize", value)) {
      current.lds_bytes = value;
      if (name.empty() || same_function(current.name, name)) return current;
    }
  }
  throw Error(ErrorCode::bad_input,
              name.empty() ? "there is no kernel in it" : fmt::format("there is no kernel '{}' in the assembly", name),
              {}, names.empty() ? "is a function marked __global__ or __kernel?" : "it has: " + names);
}

}  // namespace sparsecast::gpu_code
