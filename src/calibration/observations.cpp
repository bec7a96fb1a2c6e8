#include "calibration/observations.hpp"

#include <algorithm>
#include <cmath>

#include "base/home.hpp"
#include "calibration/journal.hpp"
#include "calibration/statement.hpp"
#include "calibration/store_checksum.hpp"
#include "fields/observed_product.hpp"

namespace sparsecast::calibration {
namespace {
constexpr int observations_version = 3;  // in SQLite's user_version; a new file has 0
constexpr int of_one_machine = 2;        // the same columns; of a product it kept one machine's time
constexpr const char* observations_schema = R"(
  CREATE TABLE IF NOT EXISTS observations(
    id INTEGER PRIMARY KEY, pattern TEXT NOT NULL, matrix TEXT NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL,
    nonzeros INTEGER NOT NULL, features TEXT NOT NULL, device TEXT NOT NULL, machine TEXT NOT NULL,
    precision TEXT NOT NULL, threads INTEGER NOT NULL, vectors INTEGER NOT NULL, transposed INTEGER NOT NULL,
    kernel TEXT NOT NULL, seconds REAL NOT NULL, spread REAL NOT NULL, conversion_s REAL, forecast_s REAL NOT NULL,
    left_to_win REAL, compared INTEGER NOT NULL DEFAULT 0, csr_s REAL, taken TEXT NOT NULL,
    UNIQUE(pattern, device, machine, precision, threads, vectors, transposed, kernel));
  CREATE INDEX IF NOT EXISTS by_size ON observations(device, precision, threads, vectors, transposed, nonzeros);
)";

std::int64_t version_of(sqlite3* database) {
  Statement version(database, "PRAGMA user_version");
  return version.step() ? version.integer() : 0;
}

// A new file, or one that kept one machine's times. Where another program was faster there is nothing left to do.
void bring_up_to_date(sqlite3* database, const std::filesystem::path& file) {
  Transaction transaction(database, file);
  const std::int64_t found = version_of(database);
  if (found == observations_version) return;
  if (found == of_one_machine)
    execute(database, "DROP INDEX by_size; ALTER TABLE observations RENAME TO of_one_machine", file);
  execute(database, observations_schema, file);
  if (found == of_one_machine)
    execute(database,
            fmt::format("INSERT INTO observations({0}) SELECT {0} FROM of_one_machine ORDER BY id; DROP TABLE "
                        "of_one_machine",
                        columns_of<Observation>()),
            file);
  execute(database, fmt::format("PRAGMA user_version = {}", observations_version), file);
  transaction.commit();
}

std::vector<Observation> read_all(Statement& rows) {
  std::vector<Observation> found;
  while (rows.step()) {
    auto one = rows.fields<Observation>();
    // A row that cannot be a time (a bit turned on the disk) is none.
    if (one.seconds > 0 && one.seconds < 1e6 && one.spread >= 0 && one.spread < 1e6 && one.forecast_s >= 0 &&
        one.forecast_s < 1e6 && one.rows >= 0 && one.cols >= 0 && one.nonzeros >= 0 && one.vectors >= 1)
      found.push_back(std::move(one));
  }
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
    why_ = "measurements are not remembered: " + error.reason();
    writable_ = false;
    failed_ = true;
  }
}

Observations::Observations(const std::filesystem::path& file) : file_(file) {
  if (file_.empty()) {
    try {
      file_ = base::home_folder() / "observations.sqlite";
    } catch (const Error& error) {
      why_ = fmt::format("measurements are not remembered: {}", error.what());
      return;
    }
  }
  sqlite3* opened = nullptr;
  const int result = may_be_written(file_)
                         ? sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr)
                         : open_to_read(file_, &opened);
  database_.reset(opened);
  if (result != SQLITE_OK) {
    why_ = fmt::format("measurements are not remembered: cannot open {}: {}", file_.string(), sqlite3_errstr(result));
    database_.reset();
    return;
  }
  sqlite3_busy_timeout(database_.get(), 5000);
  writable_ = sqlite3_db_readonly(database_.get(), "main") == 0;
  if (!writable_) why_ = fmt::format("measurements are not remembered: {} is read-only", file_.string());
  std::int64_t found = 0;
  guarded([&] {
    found = version_of(database_.get());
    if (found > observations_version)
      throw Error(ErrorCode::failed, file_.string() + " was written by a newer version");
    if (found > 0 && found < of_one_machine)
      throw Error(ErrorCode::failed,
                  file_.string() + " was written by an older version: move it away, and a new one is created");
    if (!writable_) return;
    begin_journal(database_.get(), file_, std::chrono::seconds(5));
    if (found != observations_version) bring_up_to_date(database_.get(), file_);
  });
  const bool known = found == 0 || found == of_one_machine || found == observations_version;
  if (!known) database_.reset();  // which may lack what questions ask for
  if (!writable_) return;
  guarded([&] { execute(database_.get(), "PRAGMA synchronous = NORMAL", file_); });
}

void Observations::add(const std::vector<Observation>& observations) {
  if (!writable_ || observations.empty()) return;
  guarded([&] {
    Transaction transaction(database_.get(), file_);
    for (const Observation& one : observations) insert(database_.get(), "observations", one);
    // A row that is replaced gets a new number: the least numbers are the oldest.
    Statement(database_.get(), "DELETE FROM observations WHERE id <= (SELECT max(id) FROM observations) - ?")
        .bind(most_kept)
        .step();
    transaction.commit();
  });
}

// Those of the task that fulfil a condition. Preparing a statement takes longer than asking it.
template <class... Values>
std::vector<Observation> Observations::ask(const std::string& condition, const Observation& like,
                                           const Values&... values) {
  std::vector<Observation> found;
  guarded([&] {
    std::unique_ptr<Statement>& rows = prepared_[condition];
    if (!rows)
      rows = std::make_unique<Statement>(
          database_.get(), fmt::format("SELECT {} FROM observations WHERE device = ? AND precision = ? AND threads = ? "
                                       "AND vectors = ? AND transposed = ? AND {}",
                                       columns_of<Observation>(), condition));
    rows->reset().bind(like.device, to_string(like.precision), like.threads, like.vectors, like.transposed, values...);
    found = read_all(*rows);
    rows->reset();
  });
  return found;
}

bool Observations::knows(const Observation& like) { return !ask("nonzeros = ? LIMIT 1", like, like.nonzeros).empty(); }

std::vector<Observation> Observations::of_pattern(const Observation& like, double most_days) {
  // A clock that was ahead when they were taken does not make them last for ever.
  return ask("pattern = ? AND machine = ? AND abs(julianday('now') - julianday(taken)) < ?", like, like.pattern,
             like.machine, most_days);
}

std::vector<Observation> Observations::around(const Observation& like, const std::string& since, double most_days) {
  constexpr std::int64_t factor = 8;  // of non-zeros: what is larger or smaller by more lies in other caches
  const auto side = [&](const char* order, std::int64_t from, std::int64_t to) {
    return ask(fmt::format("nonzeros BETWEEN ? AND ? AND pattern != ? AND machine = ? AND taken > ? AND forecast_s > 0 "
                           "AND features != '[]' AND abs(julianday('now') - julianday(taken)) < ? ORDER BY nonzeros {} "
                           "LIMIT 256",
                           order),
               like, from, to, like.pattern, like.machine, since, most_days);
  };
  std::vector<Observation> found = side("DESC", like.nonzeros / factor, like.nonzeros);
  for (Observation& one : side("ASC", like.nonzeros + 1, like.nonzeros * factor)) found.push_back(std::move(one));
  return found;
}

std::vector<Observation> Observations::all() {
  std::vector<Observation> found;
  guarded([&] {
    Statement rows(database_.get(), fmt::format("SELECT {} FROM observations ORDER BY id", columns_of<Observation>()));
    found = read_all(rows);
  });
  return found;
}

std::int64_t Observations::forget() {
  std::int64_t count = 0;
  guarded([&] {
    execute(database_.get(), "DELETE FROM observations", file_);
    count = sqlite3_changes(database_.get());
    execute(database_.get(), "VACUUM", file_);
  });
  return count;
}
}  // namespace sparsecast::calibration
