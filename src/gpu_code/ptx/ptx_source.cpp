#include "gpu_code/ptx/ptx_source.hpp"

#include <cstddef>
#include <filesystem>

#include "gpu_code/compile/compiler.hpp"

namespace sparsecast::gpu_code {
namespace {
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
}  // namespace

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
}  // namespace sparsecast::gpu_code
