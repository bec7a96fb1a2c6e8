#include "memory_traffic/run/program_translator.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <utility>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/language/lexicon.hpp"
#include "memory_traffic/run/octave.hpp"

namespace sparsecast::memory_traffic {
namespace {
constexpr std::string_view private_folder = "private";

// Where a call from a file finds a function of the user's: in the private folder first. Empty where there is none.
std::filesystem::path file_of_function(const std::filesystem::path& caller, const std::string& name) {
  if (name.empty() || !std::ranges::all_of(name, [](char c) { return is_name(c); })) return {};
  const std::filesystem::path folder = caller.parent_path();
  // A private function sees what is beside its folder.
  const bool beneath = folder.filename() == private_folder;
  const std::filesystem::path nearest = beneath ? folder : folder / private_folder;
  std::error_code ignored;
  for (const std::filesystem::path& place : {nearest, beneath ? folder.parent_path() : folder})
    if (std::filesystem::path found = place / (name + ".m"); std::filesystem::is_regular_file(found, ignored))
      return found;
  return {};
}

bool has_directives(const std::filesystem::path& file) {
  return read_program(file).text().find("%SLM") != std::string_view::npos;
}

Neighbour kind_of(const std::filesystem::path& file) {
  if (!has_directives(file)) return Neighbour::plain;
  try {
    return counts_its_function(read_program(file)) ? Neighbour::counted : Neighbour::annotated;
  } catch (const Error&) {
    return Neighbour::annotated;  // what is wrong with it is told when it is translated
  }
}

// Octave's own programs among the functions of the table (pcg), by name.
const std::map<std::string, std::filesystem::path>& octave_programs() {
  static const auto programs = [] {
    std::map<std::string, std::filesystem::path> found;
    const base::TemporaryFolder workshop(
        base::TemporaryPlace{.purpose = "Octave's answer", .prefix = "sparsecast-traffic"});
    const std::filesystem::path answer = workshop.path() / "answer";
    OctaveJob job;
    job.code = "slm_out = fopen(" + matlab_text(answer) + ", 'w');";
    for (const auto& [name, builtin] : builtins())
      if (builtin.kind == BuiltinKind::code)
        job.code += fmt::format(" fprintf(slm_out, '{0}\\t%s\\n', which('{0}'));", name);
    job.code += " fclose(slm_out);";
    job.folder = workshop.path();
    job.writes_beneath = {workshop.path()};
    job.time_limit_s = 60;
    (void)run_octave(job);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(answer, ignored)) return found;
    const std::string text = base::read_file(answer);
    for (const std::string_view line : base::split(text, '\n')) {
      const auto columns = base::split(line, '\t');
      if (columns.size() == 2 && std::filesystem::is_regular_file(columns[1], ignored))
        found.emplace(columns[0], columns[1]);
    }
    return found;
  }();
  return programs;
}

// Where Octave has a function of the table that is a program; empty for all other names, and without Octave.
std::filesystem::path octave_program(const std::string& name) {
  const Builtin* known = find_builtin(name);
  if (known == nullptr || known->kind != BuiltinKind::code) return {};
  try {
    const auto found = octave_programs().find(name);
    return found == octave_programs().end() ? std::filesystem::path() : found->second;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    return {};
  }
}

}  // namespace

const TranslatedFile& ProgramTranslator::add(const std::filesystem::path& file) {
  Surroundings first;
  first.scopes = options_.scopes;
  first.main = true;
  add(file, first);
  if (!caught_ || files_.size() < 2) return files_.at(keys_.at(file));
  // Some file goes on behind errors: those of the others count what they moved before one.
  files_.clear();
  keys_.clear();
  regions_.clear();
  first.caught = true;
  add(file, first);
  return files_.at(keys_.at(file));
}
void ProgramTranslator::add(const std::filesystem::path& file, Surroundings around) {
  around.neighbour = surroundings_of(file, true).neighbour;
  translate_file_into(file, std::filesystem::absolute(file).lexically_relative(folder_.own()), around);
}

// Octave's programs call what stands in a private folder of theirs.
void ProgramTranslator::add_octave(const std::filesystem::path& file, Surroundings around) {
  around.whole = true;
  around.caught = false;  // they call what is the user's, seldom the other way round
  around.scopes = false;  // the branches that were asked for are the user's
  const std::filesystem::path own = std::filesystem::path("octave") / file.parent_path().filename();
  octave_.insert(folder_.path().parent_path() / own);
  std::filesystem::create_directories(folder_.path().parent_path() / own);
  translate_file_into(file, ".." / own / file.filename(), around);
  std::error_code there;
  std::filesystem::create_directory_symlink(file.parent_path() / private_folder,
                                            folder_.path().parent_path() / own / private_folder, there);
}

void ProgramTranslator::translate_file_into(const std::filesystem::path& file, const std::filesystem::path& name,
                                            const Surroundings& around) {
  SourceText source = read_program(file);
  const std::string key = free_key((name.parent_path() / name.stem()).relative_path().string());
  keys_.emplace(file, key);
  Translation made = translate(source, key, options_.trace, around);
  for (const Region& region : made.regions) {
    const auto [first, fresh] = regions_.emplace(region.name, file.string());
    if (!fresh)
      source.refuse(region.begin,
                    fmt::format("a second region with the name '{}': the first is in {}", region.name, first->second),
                    "give it another name");
  }
  const std::filesystem::path written = folder_.write(name, made.text);
  const std::filesystem::path functions = define_first(folder_, file.filename(), made.functions);
  const std::vector<std::string> called = made.called;
  if (*name.begin() != "..") caught_ = caught_ || may_catch_errors(source);
  Surroundings further;
  further.scopes = options_.scopes;
  further.caught = around.caught;
  further.included = made.included;
  further.silent = made.silent;
  further.variables = made.variables;
  files_.insert_or_assign(key, TranslatedFile{file.string(), written, functions, std::move(made), std::move(source)});
  for (const std::string& function : called) {
    const std::filesystem::path neighbour = file_of_function(file, function);
    if (const auto program = neighbour.empty() ? octave_program(function) : std::filesystem::path();
        !program.empty() && !keys_.contains(program) && !further.silent.contains(function)) {
      add_octave(program, with_regions(further));
      continue;
    }
    if (neighbour.empty() || keys_.contains(neighbour)) continue;
    // What is beside a private folder whose program was named is not beside the program.
    const auto relative = std::filesystem::absolute(neighbour).lexically_relative(folder_.own());
    if (relative.empty() || *relative.begin() == "..") continue;
    further.whole = further.included.contains(function);
    if (further.whole || has_directives(neighbour))
      add(neighbour, with_regions(further));
    else
      caught_ = caught_ || may_catch_errors(read_program(neighbour));
  }
}

Surroundings ProgramTranslator::with_regions(Surroundings around) const {
  for (const auto& [name, file] : regions_) around.regions.insert(name);
  return around;
}

// Names of counters are cut: two of them may be the same.
std::string ProgramTranslator::free_key(const std::string& stem) const {
  std::string key = counter_name(stem);
  for (int number = 2; files_.contains(key); ++number)
    key = fmt::format("{}_{}", counter_name(stem).substr(0, counter_name(stem).size() - 3), number);
  return key;
}

std::string analysed_names(const TranslatedFiles& files) {
  std::set<std::string> names;
  for (const auto& [key, file] : files)
    names.insert(file.translation.analysed.begin(), file.translation.analysed.end());
  return fmt::format("SLMown({{{}}});", names.empty() ? "" : fmt::format("'{}'", fmt::join(names, "', '")));
}

std::string definitions_of(const TranslatedFiles& files) {
  std::string code;
  for (const auto& [key, file] : files)
    if (!file.functions.empty()) code += "source(" + matlab_text(file.functions) + "); ";
  return code;
}

Surroundings surroundings_of(const std::filesystem::path& file, bool runs) {
  Surroundings around;
  // A function is asked for as often as it is called.
  const auto known = std::make_shared<std::map<std::string, Neighbour>>();
  around.neighbour = [file, known, runs](const std::string& name) {
    const auto found = known->find(name);
    if (found != known->end()) return found->second;
    const std::filesystem::path beside = file_of_function(file, name);
    const Neighbour kind = beside.empty()
                               ? (!runs || octave_program(name).empty() ? Neighbour::none : Neighbour::annotated)
                               : kind_of(beside);
    return known->emplace(name, kind).first->second;
  };
  return around;
}

}  // namespace sparsecast::memory_traffic
