#include "calibration/feature_table.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/guard/open_input.hpp"
#include "base/interrupt.hpp"
#include "base/median.hpp"
#include "base/text.hpp"

namespace sparsecast::calibration {
namespace {
// What is compressed tells nothing of how much comes out of it.
constexpr std::size_t longest_line = 1 << 16, most_rows = 4'000'000, most_empty = 1'000'000;

// Lines of a plain or gzip file, without their ends. zlib reads both.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& file) : file_(file) {
    base::OpenInput opened(file, {.what = "table", .remedy = "check the name"});
    const int descriptor = opened.take();
    stream_.reset(gzdopen(descriptor, "rb"));
    if (stream_ == nullptr) {
      ::close(descriptor);
      throw Error(ErrorCode::bad_input, "cannot read the table", {file.string()}, "free some memory");
    }
    gzbuffer(stream_.get(), 1 << 17);
  }
  // False at the end of the file.
  bool next(std::string& line) {
    line.clear();
    ++number_;
    while (true) {
      if (at_ == filled_ && !fill()) return !line.empty();
      const std::string_view left(buffer_.data() + at_, filled_ - at_);
      const std::size_t end = left.find('\n');
      const std::string_view piece = left.substr(0, end);
      const bool ends = end != std::string_view::npos;
      if (piece.find('\0') != std::string_view::npos)
        throw Error(ErrorCode::bad_input, "the table contains a zero byte", {file_.string(), number_});
      line += piece;
      at_ += piece.size() + (ends ? 1 : 0);
      if (line.size() + (ends ? 1 : 0) > longest_line)
        throw Error(ErrorCode::bad_input, "the line is too long for a table", {file_.string(), number_});
      if (!ends) continue;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return true;
    }
  }
  [[nodiscard]] std::int64_t number() const { return number_; }

 private:
  struct Close {
    void operator()(gzFile_s* stream) const noexcept { gzclose(stream); }
  };
  bool fill() {
    at_ = filled_ = 0;
    const int got = gzread(stream_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
    if (got > 0) filled_ = static_cast<std::size_t>(got);
    if (got > 0) return true;
    int code = Z_OK;
    gzerror(stream_.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END)
      throw Error(ErrorCode::bad_input, "the compressed data is damaged or cut short", {file_.string(), number_});
    return false;
  }
  std::filesystem::path file_;
  std::unique_ptr<gzFile_s, Close> stream_;
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  std::size_t at_ = 0, filled_ = 0;  ///< what of the buffer is still to be given out
  std::int64_t number_ = 0;
};

// What stands between separators. Between commas, a field in quotation marks may hold some (RFC 4180, but for marks
// inside a field); tabs need no marks.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  if (separator != ',' || line.find('"') == std::string_view::npos) return base::split(line, separator);
  std::vector<std::string_view> fields;
  while (true) {
    const bool quoted = line.starts_with('"');
    const std::size_t close = quoted ? line.find('"', 1) : 0;
    const std::size_t end = line.find(separator, close == std::string_view::npos ? line.size() : close);
    std::string_view field = line.substr(0, end);
    if (quoted && field.size() >= 2 && field.ends_with('"')) field = field.substr(1, field.size() - 2);
    if (field.find('"') != std::string_view::npos) return {};  // no row has no fields
    fields.push_back(field);
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

// Where a row is being read, for messages.
struct Row {
  const std::filesystem::path& file;
  std::int64_t line;
  std::vector<std::string_view> fields;
  const std::map<std::string, std::size_t, std::less<>>& columns;

  [[noreturn]] void refuse(std::string_view column, std::string_view why) const {
    const auto found = columns.find(column);
    throw Error(ErrorCode::bad_input, fmt::format("{} {}", column, why),
                {file.string(), line, found == columns.end() ? 0 : static_cast<std::int64_t>(found->second) + 1},
                "correct or remove the row");
  }
  // nullopt where the column is missing or the field empty.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view column) const {
    const auto found = columns.find(column);
    if (found == columns.end() || fields[found->second].empty()) return std::nullopt;
    return fields[found->second];
  }
  [[nodiscard]] std::optional<double> number(std::string_view column, double least, double most) const {
    const auto field = text(column);
    if (!field) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(field->data(), field->data() + field->size(), value);
    if (error != std::errc() || end != field->data() + field->size() || !std::isfinite(value))
      refuse(column, fmt::format("is not a number: '{}'", field->substr(0, 40)));
    if (value < least || value > most)
      refuse(column, fmt::format("is {}, out of its range {} to {}", value, least, most));
    return value;
  }
  [[nodiscard]] std::int64_t count(std::string_view column) const {
    constexpr double most = 9e15;  // exact in a double
    const auto value = number(column, 0, most);
    if (!value) refuse(column, "is missing");
    if (*value != std::floor(*value)) refuse(column, fmt::format("is {}, not a whole number", *value));
    return static_cast<std::int64_t>(*value);
  }
};

// Features that other programs computed may pass their bound by a rounding; they are brought back to it.
constexpr double rounding = 1.001;

Structure structure_of(const Row& row) {
  Structure s;
  const auto name = row.text("matrix");
  if (!name) row.refuse("matrix", "is missing");
  s.name = *name;
  if (!row.columns.contains("rows")) return s;
  s.rows = row.count("rows");
  s.cols = row.columns.contains("cols") ? row.count("cols") : s.rows;
  s.nonzeros = row.count("nonzeros");
  if (static_cast<double>(s.nonzeros) > static_cast<double>(s.rows) * static_cast<double>(s.cols))
    row.refuse("nonzeros", "are more than rows × cols");
  const double mean = s.rows > 0 ? static_cast<double>(s.nonzeros) / static_cast<double>(s.rows) : 0;
  s.row_mean = row.number("row_mean", 0, 1e15).value_or(mean);
  s.row_std = row.number("row_std", 0, 1e15).value_or(std::sqrt(row.number("row_variance", 0, 1e30).value_or(0)));
  // (A mean of its own is no error: some tables count entries that are stored and not those that are multiplied.)
  const auto told = row.number("row_max", 0, 1e15);
  const double most = told.value_or(0);
  if (told && (most < std::floor(mean) || most > static_cast<double>(s.cols)))
    row.refuse("row_max", fmt::format("is {:g}, with {:g} in a row on average and {} columns", most, mean, s.cols));
  const double skew = most > s.row_mean && s.row_mean > 0 ? most / s.row_mean - 1 : 0;
  s.row_skew = row.number("row_skew", 0, 1e15).value_or(skew);
  s.row_min = static_cast<std::int64_t>(row.number("row_min", 0, 1e15).value_or(0));
  for (const char* quartile : {"row_q1", "row_median", "row_q3"})
    if (const auto length = row.number(quartile, 0, 1e15)) s.row_quartiles.push_back(*length);
  s.bandwidth_scaled = std::min(1.0, row.number("bandwidth_scaled", 0, rounding).value_or(0));
  s.neighbours = std::min(2.0, row.number("neighbours", 0, 2 * rounding).value_or(0));
  s.cross_row_similarity = std::min(1.0, row.number("cross_row_similarity", 0, rounding).value_or(0));
  const double longest = std::round(s.row_mean * (1 + s.row_skew));
  s.row_max = longest < static_cast<double>(s.cols) ? static_cast<std::int64_t>(longest) : s.cols;
  return s;
}

// How a time was made, where the table tells. A table is of one machine at one number of threads and in one precision:
// what is learned of a mixture, or judged by it, is of no machine.
void take_kind(const Row& row, const std::vector<FeatureRecord>& before, FeatureRecord& record) {
  constexpr double most_threads = 1e6;
  record.threads = static_cast<int>(row.number("threads", 0, most_threads).value_or(0));
  record.precision = row.text("precision").value_or("");
  if (!record.precision.empty() && record.precision != "single" && record.precision != "double")
    row.refuse("precision", fmt::format("is '{}', neither single nor double", record.precision.substr(0, 40)));
  if (const double vectors = row.number("vectors", 0, most_threads).value_or(1); vectors != 1)
    row.refuse("vectors", fmt::format("is {}: times are of products of one vector", vectors));
  const char* where = row.columns.contains("device") ? "device" : "machine";
  record.machine = row.text(where).value_or("");
  if (before.empty()) return;
  if (record.machine != before.back().machine)
    row.refuse(where, fmt::format("is '{}', and '{}' in the row before: a table is of one machine",
                                  record.machine.substr(0, 40), before.back().machine.substr(0, 40)));
  if (record.threads != before.back().threads)
    row.refuse("threads", fmt::format("is {}, and {} in the row before: a table is of one number of threads",
                                      record.threads, before.back().threads));
  if (record.precision != before.back().precision)
    row.refuse("precision", fmt::format("is '{}', and '{}' in the row before: a table is of one precision",
                                        record.precision, before.back().precision));
}

// A matrix is its name and its features: some tables give one name to several artificial matrices.
auto identity(const Structure& s) {
  return std::tuple(s.name, s.rows, s.cols, s.nonzeros, s.row_std, s.row_skew, s.bandwidth_scaled, s.neighbours,
                    s.cross_row_similarity);
}
}  // namespace

std::vector<FeatureRecord> read_feature_table(const std::filesystem::path& file, bool with_times, double unit_s) {
  Lines lines(file);
  std::string line;
  if (!lines.next(line)) throw Error(ErrorCode::bad_input, "the table is empty", {file.string(), 1});
  if (constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; line.starts_with(byte_order_mark))
    line.erase(0, byte_order_mark.size());
  const std::string head = line;
  std::map<std::string, std::size_t, std::less<>> columns;
  const char separator = head.find('\t') == std::string::npos && head.find(',') != std::string::npos ? ',' : '\t';
  const std::vector<std::string_view> names = fields_of(head, separator);
  for (std::size_t c = 0; c < names.size(); ++c)
    if (!columns.emplace(names[c], c).second)
      throw Error(ErrorCode::bad_input, fmt::format("column '{}' occurs twice", names[c].substr(0, 40)),
                  {file.string(), 1, static_cast<std::int64_t>(c) + 1});
  const bool by_name = with_times && !columns.contains("rows") && !columns.contains("nonzeros");
  std::vector<const char*> required{"matrix"};
  if (!by_name) required.insert(required.end(), {"rows", "nonzeros"});
  if (with_times) required.insert(required.end(), {"kernel", "seconds"});
  for (const char* name : required)
    if (!columns.contains(name))
      throw Error(ErrorCode::bad_input, fmt::format("there is no column '{}'", name), {file.string(), 1},
                  "the first line names the columns, separated by tabs or commas");

  std::vector<FeatureRecord> records;
  std::size_t empty = 0;
  while (lines.next(line)) {
    if (records.size() % 4096 == 0) base::throw_if_interrupted();
    if (line.empty()) {
      if (++empty > most_empty)
        throw Error(ErrorCode::bad_input, fmt::format("more than {} empty lines", most_empty),
                    {file.string(), lines.number()}, "remove them");
      continue;
    }
    if (records.size() == most_rows)
      throw Error(ErrorCode::bad_input, fmt::format("more than {} rows", most_rows), {file.string(), lines.number()},
                  "split the table");
    const Row row{file, lines.number(), fields_of(line, separator), columns};
    if (row.fields.size() != names.size())
      throw Error(ErrorCode::bad_input,
                  row.fields.empty()
                      ? "a quotation mark inside a field"
                      : fmt::format("{} fields, the first line names {}", row.fields.size(), names.size()),
                  {file.string(), lines.number()}, "correct or remove the row");
    FeatureRecord record;
    record.structure = structure_of(row);
    record.by_name = by_name;
    record.line = lines.number();
    record.twin_of = row.text("twin_of").value_or("");
    if (with_times) {
      const auto kernel = row.text("kernel");
      if (!kernel) row.refuse("kernel", "is missing");
      record.kernel = *kernel;
      const auto seconds = row.number("seconds", 0, 1e9 / unit_s);
      if (!seconds) row.refuse("seconds", "is missing");
      if (*seconds <= 0) row.refuse("seconds", "is not positive");
      record.seconds = *seconds * unit_s;
      record.storage = row.number("storage_bytes", 0, 1e18).value_or(0);
      if (columns.contains("repetitions")) record.repetitions = row.number("repetitions", 0, 1e15).value_or(1);
      take_kind(row, records, record);
    }
    records.push_back(std::move(record));
  }
  if (records.empty()) throw Error(ErrorCode::bad_input, "the table has no rows", {file.string(), 2});
  use_storage(records);
  return records;
}

bool is_no_time_of(const FeatureRecord& record) {
  const double entries = static_cast<double>(record.structure.rows) + static_cast<double>(record.structure.nonzeros);
  constexpr double least_s = 1e-9, entry_at_least_s = 1e-14, most_s = 1, entry_at_most_s = 1e-5;
  return record.seconds < std::max(least_s, entry_at_least_s * entries) ||
         record.seconds > most_s + entry_at_most_s * entries;
}

void use_storage(std::vector<FeatureRecord>& records) {
  constexpr double entry_bytes = 12;  // a value and an index
  constexpr int slice_rows = 64;
  struct Stored {
    double ell = 0, sell = 0, unit = 1;
  };
  std::map<std::string, Stored> matrices;
  for (const FeatureRecord& r : records) {
    if (r.storage <= 0) continue;
    Stored& stored = matrices[r.structure.name];
    if (r.kernel == "ginkgo-ell") stored.ell = r.storage;
    if (r.kernel == "ginkgo-sellp") stored.sell = r.storage;
    // Tables of 2018 count entries.
    if (r.kernel == "ginkgo-coo" && r.storage == static_cast<double>(r.structure.nonzeros)) stored.unit = entry_bytes;
  }
  for (FeatureRecord& r : records) {
    const auto found = matrices.find(r.structure.name);
    if (found == matrices.end() || r.structure.rows == 0) continue;
    const double entries = found->second.unit / entry_bytes;
    if (found->second.ell > 0) {
      const double longest = std::max(std::ceil(r.structure.row_mean),
                                      std::round(found->second.ell * entries / static_cast<double>(r.structure.rows)));
      r.structure.row_max = std::min(r.structure.row_max, static_cast<std::int64_t>(longest));
    }
    if (found->second.sell > 0)
      r.structure.slices = {{slice_rows, 1, static_cast<std::int64_t>(found->second.sell * entries)}};
  }
}

double products_together(const std::vector<FeatureRecord>& records) {
  std::vector<double> told;
  for (const FeatureRecord& r : records)
    if (r.repetitions > 0) told.push_back(r.repetitions);
  return told.empty() ? 0 : base::median(told);
}

std::string libraries_of(const std::vector<FeatureRecord>& records) {
  const auto starts = [](std::string_view prefix) {
    return [prefix](const FeatureRecord& r) { return r.kernel.starts_with(prefix); };
  };
  if (products_together(records) != 1 || std::ranges::none_of(records, starts("ginkgo-"))) return {};
  return std::ranges::any_of(records, starts("ginkgo-csr-")) ? "2018" : "early";
}

Profile profile_from_records(const std::vector<FeatureRecord>& records, const std::string& name,
                             DeviceProperties properties, Precision precision) {
  Profile profile;
  profile.name = properties.name = name;
  profile.properties = std::move(properties);
  std::map<decltype(identity({})), int> matrices;
  std::map<std::pair<int, std::string>, std::vector<double>> times;
  std::vector<std::pair<int, std::string>> order;
  for (const FeatureRecord& record : records) {
    const auto [at, added] = matrices.emplace(identity(record.structure), static_cast<int>(profile.matrices.size()));
    if (added) {
      BenchmarkMatrix matrix;
      matrix.spec.kind = "imported";
      matrix.spec.rows = record.structure.rows;
      matrix.spec.cols = record.structure.cols;
      matrix.spec.row_length = record.structure.row_mean;
      matrix.structure = record.structure;
      matrix.twin_of = record.twin_of;
      profile.matrices.push_back(std::move(matrix));
    }
    std::vector<double>& seconds = times[{at->second, record.kernel}];
    if (seconds.empty()) order.emplace_back(at->second, record.kernel);
    seconds.push_back(record.seconds);
  }
  for (const auto& key : order) {
    std::vector<double>& seconds = times[key];
    Record record;
    record.matrix = key.first;
    record.kernel = key.second;
    record.precision = precision;
    record.seconds = base::median(seconds);
    std::vector<double> deviations;
    for (const double s : seconds) deviations.push_back(std::abs(s - record.seconds));
    record.spread = base::median(deviations) / record.seconds;
    profile.records.push_back(std::move(record));
  }
  return profile;
}
}  // namespace sparsecast::calibration
