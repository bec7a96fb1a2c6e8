#include "calibration/store.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/home.hpp"
#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "calibration/profile_json.hpp"
#include "calibration/sqlite_statement.hpp"
#include "devices/properties_json.hpp"
#include "matrix/structure/structure_json.hpp"

namespace sparsecast::calibration {
namespace {

// The version stands in SQLite's user_version. An older store gets what it lacks; a newer one is refused, never
// reinterpreted.
constexpr int schema_version = 5;
constexpr const char* schema = R"(
  CREATE TABLE profiles(device TEXT PRIMARY KEY, properties TEXT NOT NULL, software TEXT NOT NULL);
  CREATE TABLE matrices(id INTEGER PRIMARY KEY, device TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
                        spec TEXT NOT NULL, structure TEXT NOT NULL, UNIQUE(device, spec));
  CREATE TABLE records(matrix INTEGER NOT NULL REFERENCES matrices ON DELETE CASCADE, kernel TEXT NOT NULL,
                       precision TEXT NOT NULL, threads INTEGER NOT NULL, seconds REAL NOT NULL, spread REAL NOT NULL,
                       preprocess_s REAL NOT NULL, taken TEXT NOT NULL, PRIMARY KEY(matrix, kernel, precision, threads));
  CREATE TABLE curves(device TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE, name TEXT NOT NULL, threads INTEGER NOT NULL,
                      points TEXT NOT NULL, PRIMARY KEY(device, name, threads));
  CREATE TABLE measurements(taken TEXT NOT NULL, matrix TEXT NOT NULL, rows INTEGER, cols INTEGER, nonzeros INTEGER,
                            device TEXT NOT NULL, kernel TEXT NOT NULL, precision TEXT NOT NULL, threads INTEGER NOT NULL,
                            status TEXT NOT NULL, seconds REAL, low_s REAL, high_s REAL, spread REAL, repeats INTEGER,
                            preprocess_s REAL);
)";
// Version 2: how fast the core ran during a measurement; 0 where it was not looked at.
constexpr const char* from_1_to_2 = R"(
  ALTER TABLE records ADD COLUMN step_s REAL NOT NULL DEFAULT 0;
  ALTER TABLE measurements ADD COLUMN step_s REAL NOT NULL DEFAULT 0;
)";
// Version 3: micro-benchmarks of instructions and memory.
constexpr const char* from_2_to_3 = R"(
  CREATE TABLE micro_benchmarks(device TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE, name TEXT NOT NULL,
                                throughput INTEGER NOT NULL, readings TEXT NOT NULL, PRIMARY KEY(device, name, throughput));
)";

// Version 4: how long threads took to start during a measurement; 0 where it was not looked at.
constexpr const char* from_3_to_4 = R"(
  ALTER TABLE records ADD COLUMN launch_s REAL NOT NULL DEFAULT 0;
  ALTER TABLE measurements ADD COLUMN launch_s REAL NOT NULL DEFAULT 0;
)";

// Version 5: conversions into fresh memory. Those before were timed in memory that had been used already, a tenth of
// what users wait for, and nothing told them apart from others.
constexpr const char* from_4_to_5 = R"(
  UPDATE records SET preprocess_s = 0;
  UPDATE measurements SET preprocess_s = NULL;
)";

void execute(sqlite3* database, const char* sql, const std::filesystem::path& file) {
  char* message = nullptr;
  if (sqlite3_exec(database, sql, nullptr, nullptr, &message) == SQLITE_OK) return;
  const std::string reason = message != nullptr ? message : "unknown error";
  sqlite3_free(message);
  throw Error(ErrorCode::failed, "cannot use the store: " + reason, {file.string()},
              "set SPARSECAST_HOME to another folder");
}

struct MatrixText {
  std::string spec, structure;
};

// Reading the texts is most of what opening a profile costs, so all cores share it.
std::vector<BenchmarkMatrix> parsed(const std::vector<MatrixText>& texts) {
  std::vector<BenchmarkMatrix> matrices(texts.size());
  base::parallel_for(static_cast<std::int64_t>(texts.size()), {base::available_cores()}, [&](std::int64_t k) {
    const auto i = static_cast<std::size_t>(k);
    matrices[i].spec = spec_from_json(nlohmann::ordered_json::parse(texts[i].spec));
    matrices[i].structure = matrix::structure_from_json(nlohmann::ordered_json::parse(texts[i].structure));
  });
  return matrices;
}

// All or nothing: rolled back unless committed.
class Transaction {
 public:
  Transaction(sqlite3* database, const std::filesystem::path& file) : database_(database), file_(file) {
    execute(database_, "BEGIN IMMEDIATE", file_);
  }
  ~Transaction() {
    if (!committed_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    execute(database_, "COMMIT", file_);
    committed_ = true;
  }

 private:
  sqlite3* database_;
  const std::filesystem::path& file_;
  bool committed_ = false;
};

}  // namespace

void Store::Close::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }

Store::Store(const std::filesystem::path& file) : file_(file.empty() ? base::home_folder() / "store.sqlite" : file) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(opened);
  if (result != SQLITE_OK)
    throw Error(ErrorCode::failed, std::string("cannot open the store: ") + sqlite3_errstr(result), {file_.string()},
                "set SPARSECAST_HOME to a folder that you may write");
  // Several processes may measure at once; each waits for the other's short transactions.
  sqlite3_busy_timeout(database_.get(), 10000);
  execute(database_.get(), "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;", file_);
  Transaction transaction(database_.get(), file_);
  Statement version(database_.get(), "PRAGMA user_version");
  const std::int64_t found = version.step() ? version.integer() : 0;
  if (found > schema_version) {
    throw Error(ErrorCode::failed,
                fmt::format("the store has version {}, this program writes version {}", found, schema_version),
                {file_.string()}, "set SPARSECAST_HOME to another folder");
  }
  while (version.step()) {
  }
  if (found < 1) execute(database_.get(), schema, file_);
  if (found < 2) execute(database_.get(), from_1_to_2, file_);
  if (found < 3) execute(database_.get(), from_2_to_3, file_);
  if (found < 4) execute(database_.get(), from_3_to_4, file_);
  if (found < 5) execute(database_.get(), from_4_to_5, file_);
  if (found < schema_version)
    execute(database_.get(), fmt::format("PRAGMA user_version = {}", schema_version).c_str(), file_);
  transaction.commit();
}

void Store::begin_profile(const DeviceProperties& properties, const std::string& software) {
  Statement(database_.get(),
            "INSERT INTO profiles VALUES(?, ?, ?) ON CONFLICT(device) DO UPDATE SET properties = excluded.properties, "
            "software = excluded.software")
      .bind(properties.name, devices::properties_to_json(properties).dump(), software)
      .step();
}

void Store::forget_profile(const std::string& device) {
  Statement(database_.get(), "DELETE FROM profiles WHERE device = ?").bind(device).step();
}

std::vector<std::string> Store::profile_names() const {
  std::vector<std::string> names;
  Statement rows(database_.get(), "SELECT device FROM profiles ORDER BY device");
  while (rows.step()) names.push_back(rows.text());
  return names;
}

std::optional<Profile> Store::profile(const std::string& device) const {
  Profile profile;
  Statement head(database_.get(), "SELECT properties, software FROM profiles WHERE device = ?");
  if (!head.bind(device).step()) return std::nullopt;
  profile.name = device;
  profile.properties = devices::properties_from_json(nlohmann::ordered_json::parse(head.text()), file_.string());
  profile.software = head.text();

  std::map<std::int64_t, int> index;
  Statement matrices(database_.get(), "SELECT id, spec, structure FROM matrices WHERE device = ? ORDER BY id");
  matrices.bind(device);
  std::vector<MatrixText> texts;
  while (matrices.step()) {
    index[matrices.integer()] = static_cast<int>(texts.size());
    MatrixText text;
    text.spec = matrices.text();
    text.structure = matrices.text();
    texts.push_back(std::move(text));
  }
  profile.matrices = parsed(texts);
  Statement records(
      database_.get(),
      "SELECT matrix, kernel, precision, threads, seconds, spread, preprocess_s, step_s, launch_s, taken FROM records "
      "WHERE matrix IN (SELECT id FROM matrices WHERE device = ?) ORDER BY matrix, kernel, precision, threads");
  records.bind(device);
  while (records.step()) {
    Record record;
    record.matrix = index.at(records.integer());
    record.kernel = records.text();
    record.precision = precision_from(records.text());
    record.threads = static_cast<int>(records.integer());
    record.seconds = records.real();
    record.spread = records.real();
    record.preprocess_s = records.real();
    record.step_s = records.real();
    record.launch_s = records.real();
    record.taken = records.text();
    profile.taken = std::max(profile.taken, record.taken);
    profile.records.push_back(std::move(record));
  }
  Statement curves(database_.get(), "SELECT points FROM curves WHERE device = ? ORDER BY name, threads");
  curves.bind(device);
  while (curves.step()) profile.curves.push_back(curve_from_json(nlohmann::ordered_json::parse(curves.text())));
  Statement benchmarks(database_.get(),
                       "SELECT readings FROM micro_benchmarks WHERE device = ? ORDER BY name, throughput");
  benchmarks.bind(device);
  while (benchmarks.step())
    profile.micro_benchmarks.push_back(micro_benchmark_from_json(nlohmann::ordered_json::parse(benchmarks.text())));
  return profile;
}

bool Store::has_record(const std::string& device, const MatrixSpec& spec, const std::string& kernel,
                       Precision precision, int threads) const {
  return Statement(database_.get(),
                   "SELECT 1 FROM records JOIN matrices ON records.matrix = matrices.id WHERE device = ? AND spec = ? "
                   "AND kernel = ? "
                   "AND precision = ? AND threads = ?")
      .bind(device, spec_to_json(spec).dump(), kernel, to_string(precision), threads)
      .step();
}

void Store::add_records(const std::string& device, const BenchmarkMatrix& matrix, const std::vector<Record>& records) {
  Transaction transaction(database_.get(), file_);
  const std::string spec = spec_to_json(matrix.spec).dump();
  Statement(database_.get(), "INSERT INTO matrices(device, spec, structure) VALUES(?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(device, spec, matrix::structure_to_json(matrix.structure).dump())
      .step();
  Statement find(database_.get(), "SELECT id FROM matrices WHERE device = ? AND spec = ?");
  if (!find.bind(device, spec).step())
    throw Error(ErrorCode::failed, "store: a benchmark matrix was not kept", {file_.string()});
  const std::int64_t id = find.integer();
  for (const Record& record : records) {
    Statement(database_.get(), "INSERT OR REPLACE INTO records VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(id, record.kernel, to_string(record.precision), record.threads, record.seconds, record.spread,
              record.preprocess_s, record.taken, record.step_s, record.launch_s)
        .step();
  }
  transaction.commit();
}

void Store::add_curves(const std::string& device, const std::vector<Curve>& curves) {
  Transaction transaction(database_.get(), file_);
  for (const Curve& curve : curves) {
    Statement(database_.get(), "INSERT OR REPLACE INTO curves VALUES(?, ?, ?, ?)")
        .bind(device, curve.name, curve.threads, curve_to_json(curve).dump())
        .step();
  }
  transaction.commit();
}

void Store::add_micro_benchmarks(const std::string& device, const std::vector<MicroBenchmark>& benchmarks) {
  Transaction transaction(database_.get(), file_);
  for (const MicroBenchmark& benchmark : benchmarks) {
    Statement(database_.get(), "INSERT OR REPLACE INTO micro_benchmarks VALUES(?, ?, ?, ?)")
        .bind(device, benchmark.name, benchmark.throughput ? 1 : 0, micro_benchmark_to_json(benchmark).dump())
        .step();
  }
  transaction.commit();
}

void Store::add_measurement(const Measurement& m) {
  Statement(database_.get(), "INSERT INTO measurements VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(m.taken.empty() ? base::utc_now() : m.taken, m.matrix, m.rows, m.cols, m.nonzeros, m.device, m.kernel,
            to_string(m.precision), m.threads, m.status, m.timing.seconds, m.timing.low_s, m.timing.high_s,
            m.timing.spread, m.timing.repeats, m.preprocess_s, m.timing.step_s, m.timing.launch_s)
      .step();
}

std::vector<Measurement> Store::measurements(const Structure& matrix, const std::string& device, Precision precision,
                                             int threads) const {
  // SQLite takes the other columns of a group from the row that holds its maximum.
  Statement rows(
      database_.get(),
      "SELECT kernel, max(taken), status, seconds, low_s, high_s, spread, repeats, preprocess_s, step_s, launch_s "
      "FROM measurements WHERE matrix = ? AND rows = ? AND cols = ? AND nonzeros = ? AND device = ? "
      "AND precision = ? AND threads = ? GROUP BY kernel");
  rows.bind(matrix.name, matrix.rows, matrix.cols, matrix.nonzeros, device, to_string(precision), threads);
  std::vector<Measurement> found;
  while (rows.step()) {
    Measurement m;
    m.matrix = matrix.name;
    m.rows = matrix.rows;
    m.cols = matrix.cols;
    m.nonzeros = matrix.nonzeros;
    m.device = device;
    m.precision = precision;
    m.threads = threads;
    m.kernel = rows.text();
    m.taken = rows.text();
    m.status = rows.text();
    m.timing.seconds = rows.real();
    m.timing.low_s = rows.real();
    m.timing.high_s = rows.real();
    m.timing.spread = rows.real();
    m.timing.repeats = static_cast<int>(rows.integer());
    m.preprocess_s = rows.optional_real();
    m.timing.step_s = rows.real();
    m.timing.launch_s = rows.real();
    found.push_back(std::move(m));
  }
  return found;
}

}  // namespace sparsecast::calibration
