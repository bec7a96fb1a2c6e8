#include "calibration/store.hpp"

#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/guard/cleanup.hpp"
#include "base/guard/parse_json.hpp"
#include "base/home.hpp"
#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "calibration/journal.hpp"
#include "calibration/profile_json.hpp"
#include "calibration/statement.hpp"
#include "calibration/store_checksum.hpp"
#include "fields/profile.hpp"
#include "fields/wording.hpp"
#include "hardware/description.hpp"
#include "hardware/device.hpp"
#include "matrix/structure/structure_json.hpp"

namespace sparsecast::calibration {
namespace {
// Stands in SQLite's user_version, where a new file has 0. A store of another version is refused and left as it is,
// never reinterpreted.
constexpr int schema_version = 7;
// `step_s`: how fast the core ran during a measurement, `launch_s`: how long threads took to start; 0 where it was not
// looked at. `preprocess_s`: a conversion into fresh memory. `checksum`: store_checksum.hpp.
constexpr const char* schema = R"(
  CREATE TABLE profiles(device TEXT PRIMARY KEY, properties TEXT NOT NULL, software TEXT NOT NULL,
                        checksum INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE matrices(id INTEGER PRIMARY KEY, device TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE,
                        spec TEXT NOT NULL, structure TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0,
                        UNIQUE(device, spec));
  CREATE TABLE records(matrix INTEGER NOT NULL REFERENCES matrices ON DELETE CASCADE, kernel TEXT NOT NULL,
                       precision TEXT NOT NULL, threads INTEGER NOT NULL, seconds REAL NOT NULL, spread REAL NOT NULL,
                       preprocess_s REAL NOT NULL, taken TEXT NOT NULL, step_s REAL NOT NULL DEFAULT 0,
                       launch_s REAL NOT NULL DEFAULT 0, checksum INTEGER NOT NULL DEFAULT 0,
                       PRIMARY KEY(matrix, kernel, precision, threads));
  CREATE TABLE curves(device TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE, name TEXT NOT NULL, threads INTEGER NOT NULL,
                      points TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(device, name, threads));
  CREATE TABLE micro_benchmarks(device TEXT NOT NULL REFERENCES profiles ON DELETE CASCADE, name TEXT NOT NULL,
                                throughput INTEGER NOT NULL, readings TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0,
                                PRIMARY KEY(device, name, throughput));
  CREATE TABLE measurements(taken TEXT NOT NULL, matrix TEXT NOT NULL, rows INTEGER, cols INTEGER, nonzeros INTEGER,
                            device TEXT NOT NULL, kernel TEXT NOT NULL, precision TEXT NOT NULL, threads INTEGER NOT NULL,
                            status TEXT NOT NULL, seconds REAL, low_s REAL, high_s REAL, spread REAL, repeats INTEGER,
                            preprocess_s REAL, step_s REAL NOT NULL DEFAULT 0, launch_s REAL NOT NULL DEFAULT 0,
                            checksum INTEGER NOT NULL DEFAULT 0);
)";

// 0 of a new file; Error failed for a store of another version.
std::int64_t known_version(sqlite3* database, const std::filesystem::path& file) {
  Statement version(database, "PRAGMA user_version");
  const std::int64_t found = version.step() ? version.integer() : 0;
  if (found == 0 || found == schema_version) return found;
  const wording::Text newer =
      "a newer version wrote it: use that version, export the profiles with it, or set SPARSECAST_HOME to another "
      "folder";
  const wording::Text older = wording::format(
      "an older version wrote it: export the profiles with that version, or move the file away and run {}, which "
      "creates a new one",
      wording::ask("calibrate", {{"quick", false}}));
  throw Error(ErrorCode::failed,
              fmt::format("the store has version {}, and this program writes version {}", found, schema_version),
              {file.string()}, found > schema_version ? newer : older);
}

nlohmann::ordered_json parse_kept(const std::string& text) { return base::parse_json(text, {}); }

struct MatrixText {
  std::int64_t id = 0;
  std::string spec, structure;
};

// Reading the texts is most of what opening a profile costs, so all cores share it. Nothing for one that does not read:
// a checksum vouches for what was written alone.
std::vector<std::optional<BenchmarkMatrix>> parsed(const std::vector<MatrixText>& texts) {
  std::vector<std::optional<BenchmarkMatrix>> matrices(texts.size());
  base::parallel_for(static_cast<std::int64_t>(texts.size()), {base::available_cores()}, [&](std::int64_t k) {
    const auto i = static_cast<std::size_t>(k);
    try {
      BenchmarkMatrix matrix;
      matrix.spec = spec_from_json(parse_kept(texts[i].spec));
      matrix.structure = matrix::structure_from_json(parse_kept(texts[i].structure));
      matrices[i] = std::move(matrix);
    } catch (const Error&) {
    }
  });
  return matrices;
}
}  // namespace

void Store::Close::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }

Store::Store(const std::filesystem::path& file, bool only_read)
    : file_(file.empty() ? base::home_folder() / "store.sqlite" : file), writable_(may_be_written(file_)) {
  if (!writable_ && !only_read)
    throw Error(ErrorCode::failed, "the store, or its folder, may only be read", {file_.string()},
                "set SPARSECAST_HOME to a folder that you may write");
  sqlite3* opened = nullptr;
  const int result = writable_
                         ? sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr)
                         : open_to_read(file_, &opened);
  database_.reset(opened);
  if (result != SQLITE_OK)
    throw Error(ErrorCode::failed, std::string("cannot open the store: ") + sqlite3_errstr(result), {file_.string()},
                "set SPARSECAST_HOME to a folder that you may write");
  define_checksum(database_.get());
  // Several processes may measure at once; each waits for the other's short transactions. FULL: what was reported stays
  // when the power goes.
  constexpr std::chrono::seconds wait(10);
  sqlite3_busy_timeout(database_.get(), static_cast<int>(std::chrono::milliseconds(wait).count()));
  // Before anything is written, its journal's kind included.
  if (const std::int64_t found = known_version(database_.get(), file_); !writable_) {
    if (found == 0)
      throw Error(ErrorCode::failed, "the store is empty, and may only be read", {file_.string()},
                  "set SPARSECAST_HOME to a folder that you may write");
    return;
  }
  begin_journal(database_.get(), file_, wait);
  execute(database_.get(), "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;", file_);
  Transaction transaction(database_.get(), file_);
  if (known_version(database_.get(), file_) == 0)
    execute(database_.get(), fmt::format("{} PRAGMA user_version = {}", schema, schema_version), file_);
  transaction.commit();
}

int Store::begin_profile(const DeviceProperties& properties, const std::string& software) {
  Transaction transaction(database_.get(), file_);
  Statement(database_.get(),
            "INSERT INTO profiles(device, properties, software) VALUES(?, ?, ?) ON CONFLICT(device) DO UPDATE SET "
            "properties = excluded.properties, software = excluded.software")
      .bind(properties.name, base::json_text(hardware::properties_to_json(properties)), software)
      .step();
  Statement(database_.get(), set_sums("profiles", "device = ?")).bind(properties.name).step();
  // What is damaged would count as measured, or be told of for ever: whose it was, such a row does not tell for
  // certain.
  int removed = 0;
  for (const SummedTable& table : summed_tables()) {
    if (table.name == std::string_view("profiles")) continue;  // with what was measured of that device
    Statement(database_.get(), fmt::format("DELETE FROM {} WHERE NOT {}", table.name, sum_holds(table.name))).step();
    removed += sqlite3_changes(database_.get());
  }
  transaction.commit();
  return removed;
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

std::optional<DeviceProperties> Store::properties(const std::string& device) const {
  Statement head(database_.get(),
                 fmt::format("SELECT properties, {} FROM profiles WHERE device = ?", sum_holds("profiles")));
  if (!head.bind(device).step()) return std::nullopt;
  const std::string properties = head.text();
  if (head.integer() == 0) return std::nullopt;
  return hardware::properties_from_json(parse_kept(properties), file_.string());
}

std::optional<Profile> Store::profile(const std::string& device) const {
  Profile profile;
  Statement head(database_.get(),
                 fmt::format("SELECT properties, software, {} FROM profiles WHERE device = ?", sum_holds("profiles")));
  if (!head.bind(device).step()) return std::nullopt;
  profile.name = device;
  const std::string properties = head.text();
  profile.software = head.text();
  if (head.integer() == 0)
    throw Error(ErrorCode::failed, fmt::format("the data of device {} are damaged on the disk", device),
                {file_.string()},
                wording::ask("calibrate", {{"device", device}, {"quick", false}}) + " measures it again");
  profile.properties = hardware::properties_from_json(parse_kept(properties), file_.string());

  const std::map<std::int64_t, int> index = read_matrices(profile);
  Statement records(database_.get(),
                    fmt::format("SELECT {}, {} FROM records WHERE matrix IN (SELECT id FROM matrices WHERE device = ?) "
                                "ORDER BY matrix, kernel, precision, threads",
                                sum_holds("records"), columns_of<Record>()));
  records.bind(device);
  while (records.step()) {
    const bool holds = records.integer() == 1;
    auto record = records.fields<Record>();
    const auto matrix = index.find(record.matrix);
    if (!holds || matrix == index.end()) continue;
    record.matrix = matrix->second;
    profile.taken = std::max(profile.taken, record.taken);
    profile.records.push_back(std::move(record));
  }
  const auto each_text = [&](const char* table, const char* column, const char* order, const auto& take) {
    Statement rows(database_.get(), fmt::format("SELECT {}, {} FROM {} WHERE device = ? ORDER BY name, {}",
                                                sum_holds(table), column, table, order));
    rows.bind(device);
    while (rows.step())
      if (rows.integer() == 1) take(parse_kept(rows.text()));
  };
  each_text("curves", "points", "threads",
            [&](const nlohmann::ordered_json& json) { profile.curves.push_back(curve_from_json(json)); });
  each_text("micro_benchmarks", "readings", "throughput", [&](const nlohmann::ordered_json& json) {
    profile.micro_benchmarks.push_back(micro_benchmark_from_json(json));
  });
  return profile;
}

// The place in the profile of every matrix that is sound, by its number in the store.
std::map<std::int64_t, int> Store::read_matrices(Profile& profile) const {
  Statement rows(
      database_.get(),
      fmt::format("SELECT {}, id, spec, structure FROM matrices WHERE device = ? ORDER BY id", sum_holds("matrices")));
  rows.bind(profile.name);
  std::vector<MatrixText> texts;
  while (rows.step()) {
    if (rows.integer() == 0) continue;
    MatrixText text;
    text.id = rows.integer();
    text.spec = rows.text();
    text.structure = rows.text();
    texts.push_back(std::move(text));
  }
  std::map<std::int64_t, int> index;
  std::vector<std::optional<BenchmarkMatrix>> matrices = parsed(texts);
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (!matrices[k]) continue;
    index[texts[k].id] = static_cast<int>(profile.matrices.size());
    profile.matrices.push_back(std::move(*matrices[k]));
  }
  return index;
}

std::int64_t Store::damaged_rows() const {
  std::int64_t damaged = 0;
  for (const SummedTable& table : summed_tables()) {
    Statement rows(database_.get(),
                   fmt::format("SELECT count(*) FROM {} WHERE NOT {}", table.name, sum_holds(table.name)));
    if (rows.step()) damaged += rows.integer();
  }
  return damaged;
}

bool Store::has_record(const std::string& device, const MatrixSpec& spec, const std::string& kernel,
                       Precision precision, int threads) const {
  return Statement(database_.get(),
                   "SELECT 1 FROM records JOIN matrices ON records.matrix = matrices.id WHERE device = ? AND spec = ? "
                   "AND kernel = ? "
                   "AND precision = ? AND threads = ?")
      .bind(device, base::json_text(spec_to_json(spec)), kernel, to_string(precision), threads)
      .step();
}

void Store::add_records(const std::string& device, const BenchmarkMatrix& matrix, const std::vector<Record>& records) {
  Transaction transaction(database_.get(), file_);
  const std::string spec = base::json_text(spec_to_json(matrix.spec));
  Statement(database_.get(), "INSERT INTO matrices(device, spec, structure) VALUES(?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(device, spec, base::json_text(matrix::structure_to_json(matrix.structure)))
      .step();
  if (sqlite3_changes(database_.get()) > 0) sum_last("matrices");
  Statement find(database_.get(), "SELECT id FROM matrices WHERE device = ? AND spec = ?");
  if (!find.bind(device, spec).step())
    throw Error(ErrorCode::failed, "store: a benchmark matrix was not kept", {file_.string()});
  const auto id = static_cast<int>(find.integer());
  for (Record record : records) {
    record.matrix = id;
    insert(database_.get(), "records", record);
    sum_last("records");
  }
  transaction.commit();
}

void Store::add_curves(const std::string& device, const std::vector<Curve>& curves) {
  Transaction transaction(database_.get(), file_);
  for (const Curve& curve : curves) {
    Statement(database_.get(), "INSERT OR REPLACE INTO curves(device, name, threads, points) VALUES(?, ?, ?, ?)")
        .bind(device, curve.name, curve.threads, base::json_text(curve_to_json(curve)))
        .step();
    sum_last("curves");
  }
  transaction.commit();
}

void Store::add_micro_benchmarks(const std::string& device, const std::vector<MicroBenchmark>& benchmarks) {
  Transaction transaction(database_.get(), file_);
  for (const MicroBenchmark& benchmark : benchmarks) {
    Statement(database_.get(),
              "INSERT OR REPLACE INTO micro_benchmarks(device, name, throughput, readings) VALUES(?, ?, ?, ?)")
        .bind(device, benchmark.name, benchmark.throughput ? 1 : 0, base::json_text(micro_benchmark_to_json(benchmark)))
        .step();
    sum_last("micro_benchmarks");
  }
  transaction.commit();
}

void Store::add_measurement(const Measurement& m) {
  Transaction transaction(database_.get(), file_);
  Statement(database_.get(),
            "INSERT INTO measurements(taken, matrix, rows, cols, nonzeros, device, kernel, precision, threads, status, "
            "seconds, low_s, high_s, spread, repeats, preprocess_s, step_s, launch_s) "
            "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(m.taken.empty() ? base::utc_now() : m.taken, m.matrix, m.rows, m.cols, m.nonzeros, m.device, m.kernel,
            to_string(m.precision), m.threads, m.status(), m.timing.seconds, m.timing.low_s, m.timing.high_s,
            m.timing.spread, m.timing.repeats, m.preprocess_s, m.timing.step_s, m.timing.launch_s)
      .step();
  sum_last("measurements");
  transaction.commit();
}

// Of the row that was written last, from what stands in it.
void Store::sum_last(const char* table) {
  Statement(database_.get(), set_sums(table, "rowid = last_insert_rowid()")).step();
}

std::vector<Measurement> Store::measurements(const Structure& matrix, const std::string& device, Precision precision,
                                             int threads) const {
  // SQLite takes the other columns of a group from the row that holds its maximum.
  Statement rows(
      database_.get(),
      "SELECT kernel, max(taken), status, seconds, low_s, high_s, spread, repeats, preprocess_s, step_s, launch_s "
      "FROM measurements WHERE matrix = ? AND rows = ? AND cols = ? AND nonzeros = ? AND device = ? "
      "AND precision = ? AND threads = ? AND " +
          sum_holds("measurements") + " GROUP BY kernel");
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
    m.failure = rows.text();
    if (m.failure == Measurement::timed_word) m.failure.clear();
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

std::optional<Store> kept_store() {
  const std::filesystem::path home = base::home_folder_if_any(), file = home / "store.sqlite";
  std::error_code error;
  if (home.empty()) return std::nullopt;
  if (const auto bytes = std::filesystem::file_size(file, error); error || bytes == 0) return std::nullopt;
  return Store(file, true);
}

std::optional<Profile> kept_profile(const std::string& device) {
  const std::optional<Store> store = kept_store();
  return store ? store->profile(device) : std::nullopt;
}

std::string kept_processor_of_another_host() {
  const std::optional<Store> store = kept_store();
  const std::optional<DeviceProperties> then = store ? store->properties("host") : std::nullopt;
  if (!then || then->model.empty()) return {};
  const std::string now = hardware::open_device("host")->properties().model;
  return now.empty() || now == then->model ? std::string() : then->model;
}
}  // namespace sparsecast::calibration
