#include "memory_traffic/run/octave.hpp"
#include "fields/wording.hpp"

#include <cstdlib>
#include <sparsecast/error.hpp>

#include "base/child_process.hpp"

namespace sparsecast::memory_traffic {
std::string find_octave() {
  const char* chosen = std::getenv("SPARSECAST_OCTAVE");
  if (chosen != nullptr && *chosen != '\0') {
    if (!base::find_program(chosen).empty()) return chosen;
    throw Error(ErrorCode::unavailable, std::string("SPARSECAST_OCTAVE does not name a program: ") + chosen);
  }
  for (const char* const name : {"octave-cli", "octave"})
    if (const auto found = base::find_program(name); !found.empty()) return found.string();
  throw Error(ErrorCode::unavailable, "GNU Octave, which runs the translated program, is not found", {},
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
