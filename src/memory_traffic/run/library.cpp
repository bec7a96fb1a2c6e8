#include "memory_traffic/run/library.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <map>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/home.hpp"
#include "base/number.hpp"
#include "memory_traffic/counters/counter_layout.hpp"
#include "memory_traffic/language/builtins.hpp"

namespace sparsecast::embedded {
std::span<const File> traffic_templates();  // src/memory_traffic/run/templates/*.m
std::span<const File> traffic_library();    // src/memory_traffic/run/matlab/*.m
}  // namespace sparsecast::embedded

namespace sparsecast::memory_traffic {
namespace {
// A profiled function: the original, then what it reads. Those with their own file (products) are not made here.
std::string profiled_function(const std::string& name, const Builtin& builtin) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  const std::string head = fmt::format(fmt::runtime(template_text("head.m")), upper, name);
  if (builtin.kind == BuiltinKind::elementwise)
    return fmt::format(fmt::runtime(template_text("elementwise.m")), name, head);
  return fmt::format(fmt::runtime(template_text("function.m")), name, head,
                     builtin.kind == BuiltinKind::factor  ? "SLMfactor"
                     : builtin.kind == BuiltinKind::whole ? "SLMwhole"
                                                          : "SLMreads");
}

// What the table knows of a function, for calls by handles and names that only the run knows.
std::string kinds_function() {
  std::string known;
  for (const auto& [name, builtin] : builtins()) {
    if (name.starts_with('_')) continue;  // Octave's internals, which MATLAB takes for no name
    known += fmt::format("{}'{}', '{}'", known.empty() ? "" : ", ", name,
                         builtin.profiled()                                                         ? "profiled"
                         : builtin.kind == BuiltinKind::silent || builtin.kind == BuiltinKind::call ? "silent"
                                                                                                    : "runs");
  }
  return fmt::format(fmt::runtime(template_text("kind.m")), known);
}

std::map<std::string, std::string> library_files() {
  std::map<std::string, std::string> files;
  for (const embedded::File& file : embedded::traffic_library())
    files[std::string(file.name)] = with_layout_numbers(file.text);
  files["SLMkind.m"] = kinds_function();
  for (const auto& [name, builtin] : builtins())
    if (builtin.profiled()) files.try_emplace("SLM" + name + ".m", profiled_function(name, builtin));
  return files;
}

// Names a version of the library, guards against nothing.
std::uint64_t fingerprint(const std::map<std::string, std::string>& files) {
  std::uint64_t hash = base::fnv1a({});
  for (const auto& [name, text] : files) hash = base::fnv1a(text, base::fnv1a(name, hash));
  return hash;
}
}  // namespace

std::string template_text(std::string_view name) {
  return std::string(std::ranges::find(embedded::traffic_templates(), name, &embedded::File::name)->text);
}

std::filesystem::path library_folder() {
  const auto files = library_files();
  const std::filesystem::path parent = base::home_folder() / "traffic";
  std::filesystem::path folder = parent / fmt::format("matlab-{:016x}", fingerprint(files));
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return folder;
  // Written beside its place and renamed, so that a half-written library is never found.
  const std::filesystem::path draft = parent / fmt::format(".{}-{}", folder.filename().string(), getpid());
  std::filesystem::create_directories(draft, error);
  std::error_code ignored;
  try {
    for (const auto& [name, text] : files) base::write_file_atomically(draft / name, text);
    std::filesystem::rename(draft, folder);
  } catch (const std::exception&) {
    std::filesystem::remove_all(draft, ignored);
  }
  // Another process may have been faster.
  if (!std::filesystem::is_directory(folder, ignored))
    throw Error(ErrorCode::failed, "cannot write the run-time library to " + parent.string(), {},
                "set SPARSECAST_HOME to a folder that you may write");
  return folder;
}
}  // namespace sparsecast::memory_traffic
