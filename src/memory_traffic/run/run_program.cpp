#include "memory_traffic/run/run_program.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <regex>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "memory_traffic/counters/counter_file.hpp"
#include "memory_traffic/run/attribution.hpp"
#include "memory_traffic/run/iterations.hpp"
#include "memory_traffic/run/library.hpp"
#include "memory_traffic/run/octave.hpp"
#include "memory_traffic/run/operands.hpp"
#include "memory_traffic/run/program_translator.hpp"

namespace sparsecast::memory_traffic {
namespace {
// No prototype is larger, and the front end holds everything in memory.
constexpr std::int64_t size_limit = 16 << 20;

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
                {program, 0, 0}, "give the call: " + wording::option("call", translation.first_function + "(…)"));
  return translation.first_function;
}

std::string matlab_text(const std::filesystem::path& path) {
  return fmt::format("'{}'", base::replaced(path.string(), "'", "''"));
}

SourceText read_program(const std::filesystem::path& file) {
  std::string text =
      base::read_file(file, {.what = "program", .remedy = "give a file of MATLAB text", .most_bytes = size_limit});
  if (const std::size_t at = text.find('\0'); at != std::string::npos) {
    const SourceText source(file.string(), text.substr(0, at));
    source.refuse(at, "a zero byte: this is not text");
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
  // In front of Octave's own.
  for (const std::filesystem::path& own : translator.octave()) begin += " addpath(" + matlab_text(own) + ");";
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
    throw Error(ErrorCode::failed, fmt::format("the program did not finish within {:g} s", options.time_limit_s),
                {program, 0, 0},
                wording::format("allow more time with {}, or use a smaller problem",
                                wording::option("time_limit_s", wording::placeholder("SECONDS"))));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(counters, ignored)) report_failure(error_file, files, program, end.exit_code);
  ProgramTraffic traffic = attributed(read_counters(counters), files, counters, program, options.scopes);
  traffic.seconds = end.seconds;
  put_iterations(traffic);
  if (options.trace) traffic.operands = read_operands(workshop.path(), operands_of(traffic));
  return traffic;
}
}  // namespace sparsecast::memory_traffic
