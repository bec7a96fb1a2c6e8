#include "memory_traffic/run/run_program.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <regex>
#include <tuple>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "memory_traffic/counters/counter_file.hpp"
#include "memory_traffic/run/iterations.hpp"
#include "memory_traffic/run/library.hpp"
#include "memory_traffic/run/octave.hpp"
#include "memory_traffic/run/operands.hpp"

namespace sparsecast::memory_traffic {
namespace {
// No prototype is larger, and the front end holds everything in memory.
constexpr std::int64_t size_limit = 16 << 20;

struct TranslatedFile {
  std::string shown;  ///< as the user knows it
  std::filesystem::path written;
  Translation translation;
  SourceText source;
};
// By the name that the counters carry.
using TranslatedFiles = std::map<std::string, TranslatedFile>;

// The annotated functions beside a program are part of it.
void translate_with_neighbours(const std::filesystem::path& file, const std::filesystem::path& into, bool trace,
                               TranslatedFiles& files) {
  SourceText source = read_program(file);
  Translation made = translate(source, file.stem().string(), trace);
  const std::filesystem::path written = into / (file.stem().string() + ".m");
  base::write_file_atomically(written, made.text, {"translated program", "is the disk full?"});
  const std::vector<std::string> called = made.called;
  files.insert_or_assign(counter_name(file.stem().string()),
                         TranslatedFile{file.string(), written, std::move(made), std::move(source)});
  for (const std::string& name : called) {
    const std::filesystem::path neighbour = file.parent_path() / (name + ".m");
    std::error_code ignored;
    if (files.contains(counter_name(name)) || !std::filesystem::is_regular_file(neighbour, ignored)) continue;
    if (read_program(neighbour).text().find("%SLM") == std::string_view::npos) continue;
    translate_with_neighbours(neighbour, into, trace, files);
  }
}

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
      const bool same = columns[1] == file.written.string() || columns[2] == file.written.stem().string();
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
                          const std::string& program) {
  ProgramTraffic traffic;
  traffic.program = program;
  Turns turns;
  traffic.lines = lines_of(counts.slots, files, counters, turns);
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
  return translate(read_program(file), file.stem().string());
}

ProgramTraffic run_program(const std::filesystem::path& file, const RunOptions& options) {
  const base::TemporaryFolder workshop(
      base::TemporaryPlace{.purpose = "the run of the program", .prefix = "sparsecast-traffic"});
  const std::string program = file.string();
  TranslatedFiles files;
  const std::filesystem::path code = workshop.path() / "program";
  std::filesystem::create_directory(code);
  translate_with_neighbours(file, code, options.trace, files);
  const TranslatedFile& main = files.at(counter_name(file.stem().string()));
  const std::string call = call_of(main.translation, main.written, options, program);
  const std::filesystem::path counters = workshop.path() / "counters", error_file = workshop.path() / "error";
  const std::filesystem::path beside = std::filesystem::absolute(file).parent_path();
  // Stopped at its time limit, Octave would leave its workspace in the user's folder. The driver's only variable is the
  // error; the program's own variables live beside it.
  const std::string driver = fmt::format(fmt::runtime(base::replaced(template_text("driver.m"), "\n", " ")),
                                         matlab_text(beside), matlab_text(library_folder()), matlab_text(code),
                                         options.trace ? "SLMfollow(" + matlab_text(workshop.path()) + "); " : "", call,
                                         matlab_text(error_file), matlab_text(counters));
  OctaveJob job;
  job.code = driver;
  job.time_limit_s = options.time_limit_s;
  job.output = options.output;
  job.environment = {{"SPARSECAST_TRAFFIC_REPORT", "1"}};
  job.writes_beneath = {workshop.path(), beside};
  const OctaveEnd end = run_octave(job);
  if (end.timed_out)
    throw Error(ErrorCode::failed, fmt::format("the program did not end within {:g} s", options.time_limit_s),
                {program, 0, 0},
                wording::format("give it more time with {}, or a smaller problem",
                                wording::option("time_limit_s", wording::placeholder("SECONDS"))));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(counters, ignored)) report_failure(error_file, files, program, end.exit_code);
  ProgramTraffic traffic = attributed(read_counters(counters), files, counters, program);
  traffic.seconds = end.seconds;
  put_iterations(traffic);
  if (options.trace) traffic.operands = read_operands(workshop.path(), operands_of(traffic));
  return traffic;
}
}  // namespace sparsecast::memory_traffic
