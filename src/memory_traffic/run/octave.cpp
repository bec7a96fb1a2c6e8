#include "base/wording.hpp"
#include "memory_traffic/run/traffic.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <cstdlib>

#include "base/child_process.hpp"
#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/number.hpp"

namespace sparsecast::memory_traffic {
std::string find_octave() {
  const char* chosen = std::getenv("SPARSECAST_OCTAVE");
  if (chosen != nullptr && *chosen != '\0') {
    if (!base::find_program(chosen).empty()) return chosen;
    throw Error(ErrorCode::unavailable, std::string("SPARSECAST_OCTAVE names no program: ") + chosen);
  }
  for (const char* const name : {"octave-cli", "octave"})
    if (const auto found = base::find_program(name); !found.empty()) return found.string();
  throw Error(ErrorCode::unavailable, "GNU Octave is not here, which runs the translated program", {},
              wording::format("install the package octave, or translate with {} and run the result in MATLAB",
                              wording::command("traffic", {{"translate_only", true}})));
}

OctaveEnd run_octave(const OctaveJob& job) {
  base::ChildJob child;
  child.program = find_octave();
  child.arguments = {"--norc", "--quiet", "--no-history", "--eval", job.code};
  if (child.program.ends_with("/octave")) child.arguments.insert(child.arguments.begin(), "--no-gui");
  for (const auto& [name, value] : job.environment) child.environment.set(name, value);
  child.folder = job.folder;
  child.writes_beneath = job.writes_beneath;
  if (!job.writes_beneath.empty()) child.environment.set("TMPDIR", job.writes_beneath.front().string());
  if (job.output == ProgramOutput::standard_error) child.output = {base::ChildOutput::To::our_errors};
  if (job.output == ProgramOutput::nowhere) child.output = child.errors = {base::ChildOutput::To::file, "/dev/null"};
  if (!job.messages.empty()) child.errors = {base::ChildOutput::To::file, job.messages};
  child.time_limit_s = job.time_limit_s;
  child.leaves_nothing = true;
  const base::ChildEnd end = base::run_child(child);
  return {end.exit_status, end.timed_out, end.seconds};
}
}  // namespace sparsecast::memory_traffic

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
                     builtin.kind == BuiltinKind::whole ? "SLMwhole" : "SLMreads");
}

std::map<std::string, std::string> library_files() {
  std::map<std::string, std::string> files;
  for (const embedded::File& file : embedded::traffic_library()) files[std::string(file.name)] = std::string(file.text);
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
                "set SPARSECAST_HOME to a folder that can be written");
  return folder;
}
}  // namespace sparsecast::memory_traffic
