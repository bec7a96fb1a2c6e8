#include "memory_traffic/run/run_program.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <tuple>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "memory_traffic/counters/counter_file.hpp"
#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/language/lexicon.hpp"
#include "memory_traffic/run/iterations.hpp"
#include "memory_traffic/run/library.hpp"
#include "memory_traffic/run/octave.hpp"
#include "memory_traffic/run/operands.hpp"
#include "memory_traffic/run/program_folder.hpp"

namespace sparsecast::memory_traffic {
namespace {
// No prototype is larger, and the front end holds everything in memory.
constexpr std::int64_t size_limit = 16 << 20;

struct TranslatedFile {
  std::string shown;                         ///< as the user knows it
  std::filesystem::path written, functions;  ///< of a script: its functions alone
  Translation translation;
  SourceText source;
};
// By the name that the counters carry.
using TranslatedFiles = std::map<std::string, TranslatedFile>;

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

// The functions of the program whose calls by handle need no further counting.
std::string analysed_names(const TranslatedFiles& files) {
  std::set<std::string> names;
  for (const auto& [key, file] : files)
    names.insert(file.translation.analysed.begin(), file.translation.analysed.end());
  return fmt::format("SLMown({{{}}});", names.empty() ? "" : fmt::format("'{}'", fmt::join(names, "', '")));
}

// Functions of the scripts among them, which their first lines may call.
std::string definitions_of(const TranslatedFiles& files) {
  std::string code;
  for (const auto& [key, file] : files)
    if (!file.functions.empty()) code += "source(" + matlab_text(file.functions) + "); ";
  return code;
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

// A program's files, translated into the folder in which it runs: the one that was named, the functions that it calls
// and that are annotated, those without annotations that IncFunc names, and Octave's own solvers.
class ProgramTranslator {
 public:
  ProgramTranslator(ProgramFolder& folder, const RunOptions& options) : folder_(folder), options_(options) {}

  const TranslatedFile& add(const std::filesystem::path& file) {
    Surroundings first;
    first.scopes = options_.scopes;
    add(file, first);
    return files_.at(keys_.at(file));
  }
  /// Folders of translations of Octave's own programs.
  [[nodiscard]] const std::set<std::filesystem::path>& octave() const { return octave_; }
  [[nodiscard]] TranslatedFiles take() { return std::move(files_); }

 private:
  void add(const std::filesystem::path& file, Surroundings around) {
    around.neighbour = surroundings_of(file, true).neighbour;
    translate_file_into(file, std::filesystem::absolute(file).lexically_relative(folder_.own()), around);
  }

  // Octave's programs call what stands in a private folder of theirs.
  void add_octave(const std::filesystem::path& file, Surroundings around) {
    around.whole = true;
    const std::filesystem::path own = std::filesystem::path("octave") / file.parent_path().filename();
    octave_.insert(folder_.path().parent_path() / own);
    std::filesystem::create_directories(folder_.path().parent_path() / own);
    translate_file_into(file, ".." / own / file.filename(), around);
    std::error_code there;
    std::filesystem::create_directory_symlink(file.parent_path() / private_folder,
                                              folder_.path().parent_path() / own / private_folder, there);
  }

  void translate_file_into(const std::filesystem::path& file, const std::filesystem::path& name,
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
    Surroundings further;
    further.scopes = options_.scopes;
    further.included = made.included;
    further.silent = made.silent;
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
      if (further.whole || has_directives(neighbour)) add(neighbour, with_regions(further));
    }
  }

  [[nodiscard]] Surroundings with_regions(Surroundings around) const {
    for (const auto& [name, file] : regions_) around.regions.insert(name);
    return around;
  }

  // Names of counters are cut: two of them may be the same.
  std::string free_key(const std::string& stem) const {
    std::string key = counter_name(stem);
    for (int number = 2; files_.contains(key); ++number)
      key = fmt::format("{}_{}", counter_name(stem).substr(0, counter_name(stem).size() - 3), number);
    return key;
  }

  ProgramFolder& folder_;
  const RunOptions& options_;
  TranslatedFiles files_;
  std::map<std::filesystem::path, std::string> keys_;
  std::map<std::string, std::string> regions_;
  std::set<std::filesystem::path> octave_;
};

// Octave tells places of the translation within its message: the place that counts is the user's own.
std::string without_places(const std::string& message) {
  static const std::regex places(R"( near line [0-9]+,? column:? ?[0-9]+| near line [0-9]+| (of|in) file \S+)");
  std::string text = std::regex_replace(message, places, "");
  while (!text.empty() && (text.back() == ' ' || text.back() == ':')) text.pop_back();
  return text;
}

// What the driver wrote about the error that ended the program: the message, then one line per stack frame.
[[noreturn]] void report_failure(const std::filesystem::path& error_file, const TranslatedFiles& files,
                                 const std::string& program, int exit_code) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(error_file, ignored))
    throw Error(ErrorCode::failed, fmt::format("the program ended before its last line (exit status {})", exit_code),
                {program, 0, 0}, "remove exit and quit from it");
  const std::string text = base::read_file(error_file);
  std::string message;
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.starts_with("message\t")) message = without_places(std::string(line.substr(8)));
    if (!line.starts_with("frame\t")) continue;
    const auto columns = base::split(line, '\t');
    if (columns.size() < 4) continue;
    for (const auto& [name, file] : files) {
      const bool same = columns[1] == file.written.string() ||
                        (!file.functions.empty() && columns[1] == file.functions.string()) ||
                        columns[2] == file.written.stem().string();
      const std::size_t translated_line = base::number_in<std::size_t>(columns[3]).value_or(0);
      if (!same || translated_line == 0 || translated_line > file.translation.source_lines.size()) continue;
      const std::size_t source_line = file.translation.source_lines[translated_line - 1];
      throw Error(ErrorCode::failed, message, {file.shown, static_cast<std::int64_t>(source_line), 0});
    }
  }
  throw Error(ErrorCode::failed, message, {program, 0, 0});
}

// A region's figures.
RegionTraffic traffic_of(const RegionCounts& region) {
  RegionTraffic traffic;
  traffic.calls = region.calls;
  traffic.load_bytes = region.counted[Counter::loads];
  traffic.store_bytes = region.counted[Counter::stores];
  traffic.dense_bytes = region.counted[Counter::dense];
  traffic.sparse_bytes = region.counted[Counter::sparse];
  traffic.sparse_uncertainty = region.counted[Counter::sparse_doubt];
  traffic.dense_uncertainty = region.counted[Counter::dense_doubt];
  traffic.load_uncertainty =
      traffic.sparse_uncertainty + traffic.dense_uncertainty + region.counted[Counter::block_doubt];
  traffic.storage_bytes = region.storage_bytes;
  traffic.load_reach = region.load_reach;
  traffic.store_reach = region.store_reach;
  traffic.products = region.products;
  traffic.product_bytes = region.product_bytes;
  return traffic;
}

// By file and counter: turns of the loop.
using Turns = std::map<std::pair<std::string, std::size_t>, double>;

std::vector<LineTraffic> lines_of(const std::vector<SlotCounts>& slots, const TranslatedFiles& files,
                                  const std::filesystem::path& counters, Turns& turns) {
  std::map<std::pair<std::string, std::size_t>, LineTraffic> lines;
  for (const SlotCounts& row : slots) {
    const auto file = files.find(row.file);
    if (file == files.end() || row.slot == 0 || row.slot > file->second.translation.slot_lines.size())
      throw Error(
          ErrorCode::failed,
          fmt::format("the counters tell of '{}', counter {}, which the program does not have", row.file, row.slot),
          {counters.string()});
    turns[{row.file, row.slot}] += row.counted[Counter::turns];
    const double loads = row.counted[Counter::loads], stores = row.counted[Counter::stores];
    if (loads + stores <= 0) continue;  // nothing moved: a loop's turns alone
    const std::size_t at = file->second.translation.slot_lines[row.slot - 1];
    LineTraffic& moved = lines[{file->second.shown, at}];
    moved.file = file->second.shown;
    moved.line = at;
    moved.text = std::string(file->second.source.line_text(at));
    moved.load_bytes += loads;
    moved.store_bytes += stores;
  }
  std::vector<LineTraffic> list;
  for (auto& [key, moved] : lines) list.push_back(std::move(moved));
  return list;
}

bool has_region(const TranslatedFiles& files, const std::string& name) {
  return std::ranges::any_of(files, [&](const auto& file) {
    const std::vector<Region>& regions = file.second.translation.regions;
    return std::ranges::find(regions, name, &Region::name) != regions.end();
  });
}

// What was counted, by the regions and lines of the user's own files.
ProgramTraffic attributed(RunCounts counts, const TranslatedFiles& files, const std::filesystem::path& counters,
                          const std::string& program, bool scopes) {
  ProgramTraffic traffic;
  traffic.program = program;
  Turns turns;
  traffic.lines = lines_of(counts.slots, files, counters, turns);
  traffic.unanalysed = unanalysed_of(counts.slots, files, turns);
  if (scopes) traffic.scopes = scopes_of(counts.slots, files);
  traffic.remarks = open_ended_lines(counts.slots, files);
  for (const auto& [name, counted] : counts.regions)
    if (!has_region(files, name))
      throw Error(ErrorCode::failed,
                  fmt::format("the counters tell of a region '{}', which the program does not have", name),
                  {counters.string()});
  for (const auto& [name, file] : files) {
    std::vector<std::size_t> around;
    for (const Region& region : file.translation.regions) {
      RegionTraffic found = traffic_of(counts.regions[region.name]);
      found.name = region.name;
      found.file = file.shown;
      found.first_line = region.first_line;
      found.last_line = region.last_line;
      found.function = region.function;
      const auto of_region = [&](const OuterLoop& loop) { return loop.region == region.begin; };
      if (const auto& loops = file.translation.outer_loops; std::ranges::count_if(loops, of_region) == 1) {
        const std::size_t slot = std::ranges::find_if(loops, of_region)->slot;
        found.loop_line = file.translation.slot_lines[slot - 1];
        found.turns = turns[{name, slot}];
      }
      // Octave's own functions are named where they ran.
      if (found.calls == 0 && region.whole) continue;
      while (!around.empty() && around.back() < region.begin) around.pop_back();
      found.depth = static_cast<int>(around.size());
      around.push_back(region.end);
      traffic.regions.push_back(std::move(found));
    }
  }
  std::stable_sort(traffic.regions.begin(), traffic.regions.end(), [&](const RegionTraffic& a, const RegionTraffic& b) {
    return std::tuple(a.file != program, a.file) < std::tuple(b.file != program, b.file);
  });
  return traffic;
}

// Calls that nothing counts, by name and line.
std::vector<UnanalysedTraffic> unanalysed_of(const std::vector<SlotCounts>& slots, const TranslatedFiles& files,
                                             const Turns& turns) {
  std::map<std::tuple<std::string, std::size_t, std::string>, double> calls;
  for (const auto& [key, file] : files)
    for (const UnanalysedCall& call : file.translation.unanalysed)
      if (const auto due = turns.find({key, call.slot}); due != turns.end() && due->second > 0)
        calls[{file.shown, file.translation.slot_lines[call.slot - 1], call.name}] += due->second;
  for (const SlotCounts& row : slots)
    if (const TranslatedFile& file = files.at(row.file); row.counted[Counter::unanalysed] > 0)
      calls[{file.shown, file.translation.slot_lines[row.slot - 1], "function handle"}] +=
          row.counted[Counter::unanalysed];
  std::vector<UnanalysedTraffic> list;
  for (const auto& [at, count] : calls) list.push_back({std::get<2>(at), std::get<0>(at), std::get<1>(at), count});
  return list;
}

// What stands in each branch and loop, and in none within it.
std::vector<ScopeTraffic> scopes_of(const std::vector<SlotCounts>& slots, const TranslatedFiles& files) {
  std::vector<ScopeTraffic> all;
  for (const auto& [key, file] : files) {
    const Translation& translation = file.translation;
    const std::size_t begin = all.size();
    for (const Scope& scope : translation.scopes)
      all.push_back({scope.name, file.shown, scope.region, translation.slot_lines[scope.slot - 1]});
    for (const SlotCounts& row : slots) {
      if (row.file != key || row.slot > translation.slot_scopes.size()) continue;
      const std::size_t number = translation.slot_scopes[row.slot - 1];
      if (number == 0) continue;
      ScopeTraffic& scope = all[begin + number - 1];
      scope.load_bytes += row.counted[Counter::loads];
      scope.store_bytes += row.counted[Counter::stores];
      if (translation.scopes[number - 1].slot != row.slot) continue;
      scope.runs = row.counted[Counter::turns];
      scope.storage_bytes = row.counted[Counter::scope_storage];
    }
  }
  return all;
}

// Lines with operations that move at least what is counted.
std::vector<std::string> open_ended_lines(const std::vector<SlotCounts>& slots, const TranslatedFiles& files) {
  std::map<std::pair<std::string, std::size_t>, double> operations;
  for (const SlotCounts& row : slots)
    if (const TranslatedFile& file = files.at(row.file); row.counted[Counter::open_ended] > 0)
      operations[{file.shown, file.translation.slot_lines[row.slot - 1]}] += row.counted[Counter::open_ended];
  std::vector<std::string> remarks;
  for (const auto& [at, count] : operations)
    remarks.push_back(
        fmt::format("{}:{}: what is counted of {} is the least: how far sparse factors fill up, and how a "
                    "matrix is raised to a power, is not known",
                    at.first, at.second, count == 1 ? "1 operation" : fmt::format("{:.0f} operations", count)));
  return remarks;
}

// What the figures do not say by themselves.
void add_remarks(ProgramTraffic& traffic) {
  std::vector<std::string>& remarks = traffic.remarks;
  for (const RegionTraffic& region : traffic.regions)
    if (region.calls == 0)
      remarks.push_back(fmt::format("the region '{}' ({}:{}) never ran: what it would move is not known", region.name,
                                    region.file, region.first_line));
  for (const UnanalysedTraffic& call : traffic.unanalysed)
    remarks.push_back(fmt::format("'{}' ({}:{}) is not analysed: what {} of it moved inside is not counted", call.name,
                                  call.file, call.line,
                                  call.calls == 1 ? "1 call" : fmt::format("{:.0f} calls", call.calls)));
}

// How many sparse matrices were multiplied with vectors, in any region.
std::size_t operands_of(const ProgramTraffic& traffic) {
  std::size_t count = 0;
  for (const RegionTraffic& region : traffic.regions)
    for (std::size_t k = count; k < region.products.size(); ++k)
      if (region.products[k] > 0) count = k + 1;
  return count;
}
}  // namespace

std::string call_of(const Translation& translation, const std::filesystem::path& written, const RunOptions& options,
                    const std::string& program) {
  if (!options.call.empty()) return options.call;
  if (!translation.function_file) return "source(" + matlab_text(written) + ")";
  if (!translation.first_inputs.empty())
    throw Error(ErrorCode::usage, fmt::format("{} is a function with parameters", translation.first_function),
                {program, 0, 0}, "say how to call it: " + wording::option("call", translation.first_function + "(…)"));
  return translation.first_function;
}

std::string matlab_text(const std::filesystem::path& path) {
  return fmt::format("'{}'", base::replaced(path.string(), "'", "''"));
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
                           : has_directives(beside) ? Neighbour::annotated
                                                    : Neighbour::plain;
    return known->emplace(name, kind).first->second;
  };
  return around;
}

SourceText read_program(const std::filesystem::path& file) {
  std::string text =
      base::read_file(file, {.what = "program", .remedy = "name a file of MATLAB text", .most_bytes = size_limit});
  if (const std::size_t at = text.find('\0'); at != std::string::npos) {
    const SourceText source(file.string(), text.substr(0, at));
    source.refuse(at, "a zero byte: this is no text");
  }
  return {file.string(), std::move(text)};
}

Translation translate_file(const std::filesystem::path& file) {
  return translate(read_program(file), file.stem().string(), false, surroundings_of(file));
}

ProgramTraffic run_program(const std::filesystem::path& file, const RunOptions& options) {
  const base::TemporaryFolder workshop(
      base::TemporaryPlace{.purpose = "the run of the program", .prefix = "sparsecast-traffic"});
  const std::string program = file.string();
  ProgramFolder folder(std::filesystem::absolute(file).parent_path(), workshop.path());
  ProgramTranslator translator(folder, options);
  const TranslatedFile& main = translator.add(file);
  std::string call = call_of(main.translation, main.written, options, program);
  const TranslatedFiles files = translator.take();
  call = definitions_of(files) + call;
  std::string begin = analysed_names(files);
  if (options.trace) begin += " SLMfollow(" + matlab_text(workshop.path()) + ");";
  // They stand in front of Octave's own on purpose, and are no news to the user.
  if (!translator.octave().empty()) {
    begin += " slm_error = warning('off', 'Octave:shadowed-function');";
    for (const std::filesystem::path& own : translator.octave()) begin += " addpath(" + matlab_text(own) + ");";
    begin += " warning(slm_error);";
  }
  folder.link();
  const std::filesystem::path counters = workshop.path() / "counters", error_file = workshop.path() / "error";
  // Stopped at its time limit, Octave would leave its workspace in the user's folder. The driver's only variable is the
  // error; the program's own variables live beside it.
  const std::string driver =
      fmt::format(fmt::runtime(base::replaced(template_text("driver.m"), "\n", " ")), matlab_text(library_folder()),
                  matlab_text(folder.path()), begin, call, matlab_text(error_file), matlab_text(counters));
  OctaveJob job;
  job.code = driver;
  job.time_limit_s = options.time_limit_s;
  job.output = options.output;
  job.environment = {{"SPARSECAST_TRAFFIC_REPORT", "1"}};
  job.writes_beneath = {workshop.path(), folder.own()};
  const OctaveEnd end = run_within(folder, job);
  if (end.timed_out)
    throw Error(ErrorCode::failed, fmt::format("the program did not end within {:g} s", options.time_limit_s),
                {program, 0, 0},
                wording::format("give it more time with {}, or a smaller problem",
                                wording::option("time_limit_s", wording::placeholder("SECONDS"))));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(counters, ignored)) report_failure(error_file, files, program, end.exit_code);
  ProgramTraffic traffic = attributed(read_counters(counters), files, counters, program, options.scopes);
  traffic.seconds = end.seconds;
  add_remarks(traffic);
  put_iterations(traffic);
  if (options.trace) traffic.operands = read_operands(workshop.path(), operands_of(traffic));
  return traffic;
}
}  // namespace sparsecast::memory_traffic
