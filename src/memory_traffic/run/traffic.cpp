#include "memory_traffic/run/traffic.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <regex>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/wording.hpp"

namespace sparsecast::memory_traffic {
namespace {
template <class T>
bool read_into(std::ifstream& in, T* values, std::size_t count) {
  in.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  return in.good();
}

Matrix read_operand(const std::filesystem::path& file) {
  const auto refuse = [&]() -> Error {
    return {ErrorCode::failed,
            "a sparse operand of the program was not written whole",
            {file.string(), 0, 0},
            "is the temporary folder's disk full?"};
  };
  std::ifstream in(file, std::ios::binary);
  std::array<std::int64_t, 3> sizes{};
  if (!read_into(in, sizes.data(), 3)) throw refuse();
  const auto [rows, cols, nonzeros] = sizes;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  // No size is believed that the file's own length does not bear out.
  if (rows < 0 || cols < 0 || nonzeros < 0 || rows >= most || cols >= most || nonzeros > most ||
      std::filesystem::file_size(file) != sizeof sizes + 8 * static_cast<std::uintmax_t>(nonzeros))
    throw refuse();
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = rows;
  csr.cols = cols;
  const auto count = static_cast<std::size_t>(nonzeros);
  std::vector<std::int32_t> row(count);
  csr.row_pointers = Array<std::int32_t>(static_cast<std::size_t>(rows) + 1);
  csr.column_indices = Array<std::int32_t>(count);
  csr.values = Array<double>(count);
  if (count > 0 && (!read_into(in, row.data(), count) || !read_into(in, csr.column_indices.data(), count)))
    throw refuse();
  for (std::size_t i = 0; i <= static_cast<std::size_t>(rows); ++i) csr.row_pointers[i] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (row[i] < 0 || row[i] >= rows) throw refuse();
    ++csr.row_pointers[static_cast<std::size_t>(row[i]) + 1];
    csr.values[i] = 1;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) csr.row_pointers[i + 1] += csr.row_pointers[i];
  Matrix matrix(std::move(csr), file.filename().string());
  if (!matrix.is_canonical()) throw refuse();
  return matrix;
}

// The structures of the files operand-1, operand-2, … of a folder, until one is missing. A file holds three 64-bit
// sizes (rows, columns, non-zeros), then a 32-bit row and a 32-bit column per non-zero, by rows. Error failed where
// one holds anything else.
std::vector<Structure> read_operands(const std::filesystem::path& folder) {
  std::vector<Structure> operands;
  for (int number = 1;; ++number) {
    const std::filesystem::path file = folder / fmt::format("operand-{}", number);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return operands;
    operands.push_back(analyze(read_operand(file)));
  }
}

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

double number(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

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
      const auto translated_line = static_cast<std::size_t>(number(columns[3]));
      if (!same || translated_line == 0 || translated_line > file.translation.source_lines.size()) continue;
      const std::size_t source_line = file.translation.source_lines[translated_line - 1];
      throw Error(ErrorCode::failed, message, {file.shown, static_cast<std::int64_t>(source_line), 0});
    }
  }
  throw Error(ErrorCode::failed, message, {program, 0, 0});
}

ProgramTraffic read_counters(const std::filesystem::path& counters, const TranslatedFiles& files,
                             const std::string& program) {
  ProgramTraffic traffic;
  traffic.program = program;
  std::map<std::string, RegionTraffic> run;
  std::map<std::pair<std::string, std::size_t>, LineTraffic> lines;
  std::map<std::pair<std::string, std::size_t>, double> turns;  // by file and counter
  const std::string text = base::read_file(counters);
  for (const std::string_view line : base::split(text, '\n')) {
    const auto columns = base::split(line, '\t');
    if (columns[0] == "region" && columns.size() == 12) {
      RegionTraffic& region = run[std::string(columns[1])];
      constexpr double RegionTraffic::*fields[] = {&RegionTraffic::calls,
                                                   &RegionTraffic::load_bytes,
                                                   &RegionTraffic::store_bytes,
                                                   &RegionTraffic::dense_bytes,
                                                   &RegionTraffic::sparse_bytes,
                                                   &RegionTraffic::sparse_uncertainty,
                                                   &RegionTraffic::dense_uncertainty};
      for (std::size_t k = 0; k < std::size(fields); ++k) region.*fields[k] = number(columns[2 + k]);
      region.load_uncertainty = region.sparse_uncertainty + region.dense_uncertainty + number(columns[9]);
      region.storage_bytes = number(columns[11]);
    } else if (columns[0] == "reach" && columns.size() == 434) {
      RegionTraffic& region = run[std::string(columns[1])];
      for (std::size_t i = 0; i < 200; ++i) {
        region.load_reach.push_back(number(columns[2 + i]));
        region.store_reach.push_back(number(columns[202 + i]));
      }
      for (std::size_t i = 0; i < 16; ++i) {
        region.products.push_back(number(columns[402 + i]));
        region.product_bytes.push_back(number(columns[418 + i]));
      }
    } else if (columns[0] == "count" && columns.size() == 11) {
      const auto file = files.find(std::string(columns[1]));
      const auto slot = static_cast<std::size_t>(number(columns[2]));
      if (file == files.end() || slot == 0 || slot > file->second.translation.slot_lines.size()) continue;
      turns[{file->first, slot}] += number(columns[10]);
      if (number(columns[3]) + number(columns[4]) <= 0) continue;  // nothing moved: a loop's turns alone
      const std::size_t at = file->second.translation.slot_lines[slot - 1];
      LineTraffic& moved = lines[{file->second.shown, at}];
      moved.file = file->second.shown;
      moved.line = at;
      moved.text = std::string(file->second.source.line_text(at));
      moved.load_bytes += number(columns[3]);
      moved.store_bytes += number(columns[4]);
    }
  }
  for (auto& [key, moved] : lines) traffic.lines.push_back(std::move(moved));
  for (const auto& [name, file] : files) {
    std::vector<std::size_t> around;
    for (const Region& region : file.translation.regions) {
      RegionTraffic found = run[region.name];
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
}  // namespace

void put_iterations(ProgramTraffic& traffic) {
  for (RegionTraffic& region : traffic.regions) {
    const double count = iterations_of(region);
    region.per_iteration.reset();
    if (count <= 0) continue;
    region.per_iteration = {count, region.loop_line, region.load_bytes / count, region.store_bytes / count, {}};
    if (region.seconds) region.per_iteration->seconds = *region.seconds / count;
  }
}

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
  ProgramTraffic traffic = read_counters(counters, files, program);
  traffic.seconds = end.seconds;
  put_iterations(traffic);
  if (options.trace) traffic.operands = read_operands(workshop.path());
  return traffic;
}
}  // namespace sparsecast::memory_traffic
