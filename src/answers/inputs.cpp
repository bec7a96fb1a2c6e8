#include "answers/inputs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "base/text.hpp"
#include "calibration/ginkgo_results.hpp"
#include "fields/wording.hpp"
#include "matrix/structure/structure_json.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast::answers {
namespace {
constexpr std::array<std::string_view, 10> endings{".mtx", ".mm",  ".rb",  ".hb",  ".rua",
                                                   ".rsa", ".rra", ".pua", ".psa", ".npz"};
constexpr std::array<std::string_view, 4> compressed_endings{".gz", ".bz2", ".xz", ".zst"};
// What a folder's files of other names hold nobody knows before they are read: notes, or a matrix that came by hand.
constexpr std::array<std::string_view, 4> unsure_endings{".tar", ".tgz", ".zip", ".txt"};

/// A file's ending in small letters; of "a.mtx.gz" what stands before the compression's.
std::string ending_of(const std::filesystem::path& file) {
  std::string ending = base::lower_case(file.extension().string());
  if (std::ranges::find(compressed_endings, ending) == compressed_endings.end()) return ending;
  return base::lower_case(file.stem().extension().string());
}

bool is_any_of(const std::filesystem::path& file, std::span<const std::string_view> some) {
  // Hidden files are a system's notes on the others: "._a.mtx".
  return !file.filename().string().starts_with('.') && std::ranges::find(some, ending_of(file)) != some.end();
}

void remark_on_unsure(const std::filesystem::path& folder, std::vector<std::string> left_out,
                      const Listener& listener) {
  if (left_out.empty() || !listener.remark) return;
  std::ranges::sort(left_out);
  constexpr std::size_t most = 5;
  const std::size_t files = left_out.size();
  left_out.resize(std::min(files, most));
  listener.remark(fmt::format("{}: archives and texts are read only where they are named; left out: {} ({}{})",
                              folder.string(), base::format_count(static_cast<std::int64_t>(files)),
                              fmt::join(left_out, ", "), files > most ? ", …" : ""));
}

// One of several that the server has wrong is told where it is read, and the others are answered.
std::filesystem::path fetched(const std::string& path, bool of_several, const Listener& listener) {
  try {
    return matrix_file(path, listener);
  } catch (const Error& wrong) {
    if (!of_several || wrong.code() != ErrorCode::bad_input) throw;
    return path;
  }
}

std::vector<std::filesystem::path> matrices_in(const std::string& folder, const Listener& listener) {
  std::vector<std::filesystem::path> found;
  std::vector<std::string> left_out;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_regular_file(error)) continue;
    if (is_matrix_file(entry->path())) found.push_back(entry->path());
    if (is_any_of(entry->path(), unsure_endings)) left_out.push_back(entry->path().filename().string());
  }
  if (error) throw Error(ErrorCode::bad_input, "cannot read the folder: " + error.message(), {folder});
  if (found.empty())
    throw Error(ErrorCode::bad_input, "no matrix in the folder", {folder},
                fmt::format("looked for *{}, also compressed; name an archive itself", fmt::join(endings, ", *")));
  remark_on_unsure(folder, std::move(left_out), listener);
  std::ranges::sort(found);
  return found;
}

// Of a matrix that a table names alone.
Structure named_structure(const std::string& name, const std::filesystem::path& table, const Listener& listener) {
  const bool collected = name.starts_with(collection_prefix);
  std::filesystem::path path = table.parent_path() / name;
  if (std::error_code error; collected || !std::filesystem::exists(path, error)) path = name;
  Structure structure = structure_of(path, 0, listener);
  if (collected) structure.name = name.substr(collection_prefix.size());
  return structure;
}
}  // namespace

bool is_matrix_file(const std::filesystem::path& file) { return is_any_of(file, endings); }

void remark(const Listener& listener, const wording::Text& line) {
  if (listener.remark) listener.remark(line.in(listener.voice));
}
void warn(const Listener& listener, const wording::Text& line) {
  if (listener.warning) listener.warning(line.in(listener.voice));
}
void tell(const std::function<void(std::string_view)>& who, std::string_view line) {
  if (who) who(line);
}

void tell_not_square(const Listener& listener, const std::string& name) {
  tell(listener.remark, name + " is not square: an iteration is a product y = A·x with the same x");
}

matrix::CollectionOptions collection_options(const std::string& url, const Listener& listener) {
  matrix::CollectionOptions options;
  options.url = url;
  options.download.progress = listener.progress;
  options.download.notice = [&listener](std::string_view line) { tell(listener.remark, line); };
  return options;
}

std::filesystem::path matrix_file(const std::filesystem::path& given, const Listener& listener) {
  const std::string name = given.string();
  if (!name.starts_with(collection_prefix)) return given;
  return matrix::Collection(collection_options({}, listener)).matrix(name.substr(collection_prefix.size()));
}

std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths, const Listener& listener) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(fetched(path, paths.size() > 1, listener));
      continue;
    }
    std::vector<std::filesystem::path> found = matrices_in(path, listener);
    std::ranges::move(found, std::back_inserter(files));
  }
  return files;
}

Structure structure_of(const MatrixInput& input, int threads, const Listener& listener) {
  if (const auto* structure = std::get_if<Structure>(&input)) {
    matrix::require_consistent(*structure);
    return *structure;
  }
  if (const auto* file = std::get_if<std::filesystem::path>(&input); file != nullptr && file->extension() == ".json")
    return matrix::read_structure(*file);
  return analyze(load_matrix(input, threads, listener), threads);
}

namespace {
// Single times that no product takes are errors of whoever wrote the table; most of them, times in another unit.
void leave_out_impossible(std::vector<calibration::FeatureRecord>& records, const std::filesystem::path& file,
                          const Listener& listener) {
  const auto first = std::ranges::find_if(records, calibration::is_no_time_of);
  if (first == records.end()) return;
  const Place place{file.string(), first->line};
  const std::string example =
      fmt::format("{:g} s for {} of {}, of {} rows and {} non-zeros", first->seconds, first->kernel,
                  first->structure.name, first->structure.rows, first->structure.nonzeros);
  const auto count = static_cast<std::size_t>(std::ranges::count_if(records, calibration::is_no_time_of));
  if (2 * count > records.size())
    throw Error(
        ErrorCode::bad_input, "no product takes such times: " + example, place,
        wording::format("give seconds; {} also takes nanoseconds", wording::ask("import_profile", {{"unit", "ns"}})));
  remark(listener, wording::format("{}: {} of {} times are left out, which no product takes: {}", file.string(), count,
                                   records.size(), example));
  std::erase_if(records, calibration::is_no_time_of);
}
}  // namespace

std::vector<calibration::FeatureRecord> measurements_of(const std::filesystem::path& file, const Listener& listener,
                                                        calibration::TimeUnit unit) {
  std::vector<calibration::FeatureRecord> records = calibration::read_measurements(file, unit);
  std::map<std::string, Structure> known;
  for (calibration::FeatureRecord& record : records) {
    if (!record.by_name) continue;
    const std::string name = record.structure.name;
    try {
      if (!known.contains(name)) known.emplace(name, named_structure(name, file, listener));
    } catch (const Error& wrong) {
      if (wrong.code() == ErrorCode::interrupted) throw;
      throw Error(wrong.code(), wording::format("matrix {}: {}", name, wrong.reason_text()),
                  {file.string(), record.line},
                  "name a file or ss:GROUP/NAME, or give rows and nonzeros in columns of their own");
    }
    record.structure = known.at(name);
  }
  leave_out_impossible(records, file, listener);
  return records;
}

void require_kind(const std::vector<calibration::FeatureRecord>& records, const std::filesystem::path& file,
                  int threads, Precision precision) {
  if (records.empty()) return;
  const calibration::FeatureRecord& one = records.front();  // the others are of the same kind
  if (threads > 0 && one.threads > 0 && one.threads != threads)
    throw Error(ErrorCode::bad_input,
                fmt::format("its products are of {} thread{}, and the forecasts of {}", one.threads,
                            one.threads == 1 ? "" : "s", threads),
                {file.string(), one.line}, "give products of as many threads, or leave the column out");
  if (!one.precision.empty() && one.precision != to_string(precision))
    throw Error(
        ErrorCode::bad_input,
        fmt::format("its products are in {} precision, and it is taken for {}", one.precision, to_string(precision)),
        {file.string(), one.line}, "give products in that precision");
}

MatrixAndStructure matrix_and_structure_of(const MatrixInput& input, int threads, const Listener& listener) {
  const auto* file = std::get_if<std::filesystem::path>(&input);
  if (std::holds_alternative<Structure>(input) || (file != nullptr && file->extension() == ".json"))
    return {{}, structure_of(input, threads, listener)};
  Matrix matrix = load_matrix(input, threads, listener);
  Structure structure = analyze(matrix, threads);
  return {std::move(matrix), std::move(structure)};
}

MatrixSize size_of(const Structure& s) { return {s.name, s.rows, s.cols, s.nonzeros}; }
MatrixSize size_of(const Matrix& m) { return {m.name(), m.rows(), m.cols(), m.nonzeros()}; }

DeviceName name_of(const DeviceProperties& properties) { return {properties.name, properties.kind}; }
}  // namespace sparsecast::answers

namespace sparsecast {
Matrix load_matrix(const MatrixInput& input, int threads, const Listener& listener) {
  if (const auto* matrix = std::get_if<Matrix>(&input)) return *matrix;
  if (const auto* structure = std::get_if<Structure>(&input))
    throw Error(ErrorCode::usage, "the structure of a matrix is not the matrix", {structure->name},
                "name the matrix itself: measuring and planning need its values");
  const std::filesystem::path file = answers::matrix_file(std::get<std::filesystem::path>(input), listener);
  return read_matrix(
      file, {.threads = threads, .remark = [&](std::string_view line) { answers::tell(listener.remark, line); }});
}
}  // namespace sparsecast
