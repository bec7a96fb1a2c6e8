// A store in which one text is not what it should be, though the checksums hold: the first byte says which.
#include <algorithm>
#include <array>
#include <filesystem>

#include "base/temporary_folder.hpp"
#include "calibration/statement.hpp"
#include "calibration/store.hpp"
#include "calibration/store_checksum.hpp"
#include "fuzz_input.hpp"

namespace {
namespace fs = std::filesystem;
using sparsecast::calibration::Statement;
using sparsecast::calibration::Store;

struct Place {
  const char *table, *column;
};
constexpr std::array places{
    Place{"profiles", "properties"}, Place{"matrices", "spec"},   Place{"matrices", "structure"},
    Place{"curves", "points"},       Place{"records", "kernel"},  Place{"records", "precision"},
    Place{"records", "seconds"},     Place{"records", "threads"}, Place{"micro_benchmarks", "readings"},
    Place{"measurements", "status"}, Place{"records", "spread"},  Place{"profiles", "software"}};

fs::path sound_store() {
  static const sparsecast::base::TemporaryFolder place;
  const fs::path& folder = place.path();
  Store store(folder / "sound.sqlite");
  sparsecast::DeviceProperties host;
  host.name = "host";
  store.begin_profile(host, "fuzz");
  sparsecast::BenchmarkMatrix matrix;
  matrix.spec = {"constant", 1, 2, 4, 4, 1, {}};
  matrix.structure.rows = matrix.structure.cols = 4;
  sparsecast::Record record;
  record.kernel = "csr";
  record.threads = 1;
  record.seconds = 1e-6;
  store.add_records("host", matrix, {record});
  store.add_curves("host", {{"launch", 2, {2}, {1e-6}}});
  store.add_micro_benchmarks("host", {{"fma-f32", false, 1, 32, {64, 300, 1e-6}, {192, 812, 2e-6}, 0}});
  sparsecast::calibration::Measurement measured;
  measured.matrix = "A";
  measured.device = measured.kernel = "host";
  store.add_measurement(measured);
  return folder;
}

// The store and, on a connection of its own, a copy of it that keeps what the texts were. Both stay open: an
// input takes a third of the time.
class Spoiled {
 public:
  Spoiled() : folder_(sound_store()), file_(folder_ / "store.sqlite") {
    fs::copy_file(folder_ / "sound.sqlite", file_);
    store_.emplace(file_);
    sqlite3_open(file_.c_str(), &database_);
    sparsecast::calibration::define_checksum(database_);
    execute("PRAGMA synchronous = OFF");
    execute(fmt::format("ATTACH '{}' AS sound", (folder_ / "sound.sqlite").string()));
  }
  /// With this text in this place, and what was spoiled before mended.
  const Store& with(const Place& place, std::string_view text) {
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);  // of a text that SQLite did not take
    execute("BEGIN");
    if (last_ && last_ != &place) {
      const auto& [table, column] = *last_;
      execute(fmt::format("UPDATE main.{0} SET {1} = (SELECT {1} FROM sound.{0})", table, column));
      execute(sparsecast::calibration::set_sums(table, {}));
    }
    Statement(database_, fmt::format("UPDATE main.{} SET {} = ?", place.table, place.column)).bind(text).step();
    execute(sparsecast::calibration::set_sums(place.table, {}));
    execute("COMMIT");
    last_ = &place;
    return *store_;
  }

 private:
  void execute(const std::string& sql) { sparsecast::calibration::execute(database_, sql, file_); }

  fs::path folder_, file_;
  std::optional<Store> store_;
  sqlite3* database_ = nullptr;
  const Place* last_ = nullptr;
};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Spoiled spoiled;
  if (size == 0) return 0;
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view bytes) {
    const Place& place = places[static_cast<unsigned char>(bytes.front()) % places.size()];
    const Store& store = spoiled.with(place, bytes.substr(1));
    (void)store.damaged_rows();
    sparsecast::Structure named;
    named.name = "A";
    (void)store.measurements(named, "host", sparsecast::Precision::double_, 0);
    (void)store.profile("host");
  });
}
