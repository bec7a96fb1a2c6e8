#include "calibration/observations.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "calibration/store_checksum.hpp"

namespace sparsecast::calibration {
namespace {
constexpr int observations_version = 2;
constexpr const char* observations_schema = R"(
  CREATE TABLE IF NOT EXISTS observations(
    id INTEGER PRIMARY KEY, pattern TEXT NOT NULL, matrix TEXT NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL,
    nonzeros INTEGER NOT NULL, features TEXT NOT NULL, device TEXT NOT NULL, machine TEXT NOT NULL,
    precision TEXT NOT NULL, threads INTEGER NOT NULL, vectors INTEGER NOT NULL, transposed INTEGER NOT NULL,
    kernel TEXT NOT NULL, seconds REAL NOT NULL, spread REAL NOT NULL, conversion_s REAL, forecast_s REAL NOT NULL,
    left_to_win REAL, compared INTEGER NOT NULL DEFAULT 0, csr_s REAL, taken TEXT NOT NULL,
    UNIQUE(pattern, device, precision, threads, vectors, transposed, kernel));
  CREATE INDEX IF NOT EXISTS by_size ON observations(device, precision, threads, vectors, transposed, nonzeros);
)";
constexpr const char* observation_columns =
    "pattern, matrix, rows, cols, nonzeros, features, device, machine, precision, threads, vectors, transposed, "
    "kernel, seconds, spread, conversion_s, forecast_s, left_to_win, compared, csr_s, taken";

void must(sqlite3* database, int result, const std::filesystem::path& file) {
  if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW) throw_store_error(database, result, file);
}
void must(sqlite3* database, const char* sql, const std::filesystem::path& file) {
  must(database, sqlite3_exec(database, sql, nullptr, nullptr, nullptr), file);
}

std::vector<double> features_from(const std::string& text) {
  std::vector<double> features;
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_array()) return features;
  for (const auto& one : json)
    if (one.is_number()) features.push_back(one.get<double>());
  return features;
}

// A row that cannot be a time (a bit turned on the disk) is none.
std::optional<Observation> observation_of(Statement& row) {
  Observation one;
  one.pattern = row.text();
  one.matrix = row.text();
  one.rows = row.integer();
  one.cols = row.integer();
  one.nonzeros = row.integer();
  one.features = features_from(row.text());
  one.task.device = row.text();
  one.task.machine = row.text();
  const std::string precision = row.text();
  one.task.precision = precision == to_string(Precision::single_) ? Precision::single_ : Precision::double_;
  one.task.threads = static_cast<int>(row.integer());
  one.task.vectors = row.integer();
  one.task.transposed = row.integer() != 0;
  one.kernel = row.text();
  one.seconds = row.real();
  one.spread = row.real();
  one.conversion_s = row.optional_real();
  one.forecast_s = row.real();
  one.left_to_win = row.optional_real();
  one.compared = static_cast<int>(row.integer());
  one.csr_s = row.optional_real();
  one.taken = row.text();
  const bool sound = one.seconds > 0 && one.seconds < 1e6 && one.spread >= 0 && one.spread < 1e6 &&
                     one.forecast_s >= 0 && one.forecast_s < 1e6 && one.rows >= 0 && one.cols >= 0 &&
                     one.nonzeros >= 0 && one.task.vectors >= 1;
  return sound ? std::optional(std::move(one)) : std::nullopt;
}

std::vector<Observation> read_all(Statement& rows) {
  std::vector<Observation> found;
  while (rows.step())
    if (auto one = observation_of(rows)) found.push_back(std::move(*one));
  return found;
}
}  // namespace

std::vector<double> features_of(const Structure& s) {
  const double rows = std::max(1.0, static_cast<double>(s.rows)), mean = std::max(s.row_mean, 1e-3);
  std::vector<double> features{0.5 * std::log(1.0 + static_cast<double>(s.nonzeros)),
                               0.5 * std::log(rows / std::max(1.0, static_cast<double>(s.cols))),
                               std::log(1 + mean),
                               std::log(1 + s.row_std / mean),
                               0.5 * std::log(1 + static_cast<double>(s.row_max) / mean),
                               static_cast<double>(s.empty_rows) / rows,
                               s.neighbours,
                               s.cross_row_similarity,
                               2 * std::max(0.0, s.mispredicted_rows)};
  // Misses of the first, second and last cache.
  for (const double lines : {512.0, 16384.0, 524288.0})
    features.push_back(s.x_reuse.empty() ? 0 : 3 * s.x_reuse.front().miss_share(lines));
  return features;
}

std::string machine_stamp(const DeviceProperties& properties) {
  return fmt::format("{} | {} | {} | {}", properties.model, properties.microcode, properties.compute_units,
                     properties.driver);
}

void Observations::Close::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
Observations::Observations(Observations&&) noexcept = default;
Observations& Observations::operator=(Observations&&) noexcept = default;
Observations::~Observations() = default;

// What fails here is told in one line, and the question goes on without.
template <class Work>
void Observations::guarded(const Work& work) {
  try {
    if (database_) work();
  } catch (const Error& error) {
    why_ = "what is measured is not remembered: " + error.reason();
    writable_ = false;
  }
}

Observations::Observations(const std::filesystem::path& file)
    : file_(file.empty() ? base::home_folder() / "observations.sqlite" : file) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(opened);
  if (result != SQLITE_OK) {
    why_ =
        fmt::format("what is measured is not remembered: cannot open {}: {}", file_.string(), sqlite3_errstr(result));
    database_.reset();
    return;
  }
  sqlite3_busy_timeout(database_.get(), 5000);
  writable_ = sqlite3_db_readonly(database_.get(), "main") == 0;
  if (!writable_) why_ = fmt::format("what is measured is not remembered: {} is read-only", file_.string());
  guarded([&] {
    std::int64_t version = 0;
    {
      Statement found(database_.get(), "PRAGMA user_version");
      if (found.step()) version = found.integer();
    }
    if (version > observations_version) throw Error(ErrorCode::failed, file_.string() + " is of a newer program");
    if (version == observations_version || !writable_) return;
    must(database_.get(), "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", file_);
    must(database_.get(), observations_schema, file_);
    if (version == 1)
      must(database_.get(),
           "ALTER TABLE observations ADD COLUMN compared INTEGER NOT NULL DEFAULT 0;"
           "ALTER TABLE observations ADD COLUMN csr_s REAL",
           file_);
    must(database_.get(), fmt::format("PRAGMA user_version = {}", observations_version).c_str(), file_);
  });
  if (!writable_) return;
  guarded([&] { must(database_.get(), "PRAGMA synchronous = NORMAL", file_); });
}

void Observations::add(const std::vector<Observation>& observations) {
  if (!writable_ || observations.empty()) return;
  guarded([&] {
    must(database_.get(), "BEGIN IMMEDIATE", file_);
    try {
      for (const Observation& one : observations)
        Statement(database_.get(), fmt::format("INSERT OR REPLACE INTO observations({}) "
                                               "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                               observation_columns))
            .bind(one.pattern, one.matrix, one.rows, one.cols, one.nonzeros, fmt::format("[{:.4g}]", fmt::join(one.features, ",")),
                  one.task.device, one.task.machine, to_string(one.task.precision), one.task.threads, one.task.vectors,
                  one.task.transposed ? 1 : 0, one.kernel, one.seconds, one.spread, one.conversion_s, one.forecast_s,
                  one.left_to_win, one.compared, one.csr_s, one.taken.empty() ? base::utc_now() : one.taken)
            .step();
      // A row that is replaced gets a new number: the least numbers are the oldest.
      Statement(database_.get(), "DELETE FROM observations WHERE id <= (SELECT max(id) FROM observations) - ?")
          .bind(most_kept)
          .step();
      must(database_.get(), "COMMIT", file_);
    } catch (...) {
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  });
}

// Preparing a statement takes longer than asking it.
template <class Work>
void Observations::ask(std::unique_ptr<Statement>& prepared, std::string_view sql, const Work& work) {
  guarded([&] {
    if (!prepared) prepared = std::make_unique<Statement>(database_.get(), sql);
    work(*prepared);
  });
  if (prepared) prepared->reset();
}

bool Observations::knows(std::int64_t nonzeros, const ObservedTask& task) {
  bool known = false;
  constexpr const char* sql =
      "SELECT 1 FROM observations WHERE device = ? AND precision = ? AND threads = ? AND vectors = ? AND "
      "transposed = ? AND nonzeros = ? LIMIT 1";
  ask(known_, sql, [&](Statement& one) {
    one.bind(task.device, to_string(task.precision), task.threads, task.vectors, task.transposed ? 1 : 0, nonzeros);
    known = one.step();
  });
  return known;
}

std::vector<Observation> Observations::of_pattern(const std::string& pattern, const ObservedTask& task,
                                                  double most_days) {
  std::vector<Observation> found;
  // A clock that was ahead when they were taken does not make them last for ever.
  static const std::string sql = fmt::format(
      "SELECT {} FROM observations WHERE pattern = ? AND device = ? AND precision = ? AND threads = ? AND "
      "vectors = ? AND transposed = ? AND machine = ? AND abs(julianday('now') - julianday(taken)) < ?",
      observation_columns);
  ask(by_pattern_, sql, [&](Statement& rows) {
    rows.bind(pattern, task.device, to_string(task.precision), task.threads, task.vectors, task.transposed ? 1 : 0,
              task.machine, most_days);
    found = read_all(rows);
  });
  return found;
}

std::vector<Observation> Observations::around(std::int64_t nonzeros, const std::string& pattern,
                                              const ObservedTask& task, const std::string& since, double most_days) {
  constexpr std::int64_t factor = 8;  // of non-zeros: what is larger or smaller by more lies in other caches
  std::vector<Observation> found;
  const auto side = [&](std::unique_ptr<Statement>& prepared, const char* order, std::int64_t from, std::int64_t to) {
    const std::string sql =
        fmt::format("SELECT {} FROM observations WHERE device = ? AND precision = ? AND threads = ? AND vectors = ? "
                    "AND transposed = ? AND nonzeros BETWEEN ? AND ? AND pattern != ? AND machine = ? AND taken > ? "
                    "AND forecast_s > 0 AND abs(julianday('now') - julianday(taken)) < ? ORDER BY nonzeros {} LIMIT {}",
                    observation_columns, order, most_around);
    ask(prepared, sql, [&](Statement& rows) {
      rows.bind(task.device, to_string(task.precision), task.threads, task.vectors, task.transposed ? 1 : 0, from, to,
                pattern, task.machine, since, most_days);
      for (Observation& one : read_all(rows))
        if (!one.features.empty()) found.push_back(std::move(one));
    });
  };
  side(below_, "DESC", nonzeros / factor, nonzeros);
  side(above_, "ASC", nonzeros + 1, nonzeros * factor);
  return found;
}

std::vector<Observation> Observations::all() {
  std::vector<Observation> found;
  guarded([&] {
    Statement rows(database_.get(), fmt::format("SELECT {} FROM observations ORDER BY id", observation_columns));
    found = read_all(rows);
  });
  return found;
}

std::int64_t Observations::forget() {
  std::int64_t count = 0;
  guarded([&] {
    must(database_.get(), "DELETE FROM observations", file_);
    count = sqlite3_changes(database_.get());
    must(database_.get(), "VACUUM", file_);
  });
  return count;
}

std::vector<std::string> changes_since(const DeviceProperties& then, const DeviceProperties& now) {
  std::vector<std::string> changes;
  const auto compare = [&](const char* what, const std::string& before, const std::string& today) {
    if (!before.empty() && !today.empty() && before != today)
      changes.push_back(fmt::format("{} {}, now {}", what, before, today));
  };
  const bool host = now.kind == DeviceKind::host;
  compare(host ? "processor" : "device", then.model, now.model);
  compare("microcode", then.microcode, now.microcode);
  if (then.compute_units > 0 && now.compute_units > 0)
    compare(host ? "cores" : "compute units", std::to_string(then.compute_units), std::to_string(now.compute_units));
  compare(host ? "built by" : "driver", then.driver, now.driver);
  return changes;
}
}  // namespace sparsecast::calibration
