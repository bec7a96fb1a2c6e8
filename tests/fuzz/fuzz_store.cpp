// A store in which one text is not what it should be, though the checksums hold: the first byte says which.
#include <algorithm>
#include <array>
#include <filesystem>

#include "base/files.hpp"
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
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fs::path folder = sound_store();
  if (size == 0) return 0;
  return sparsecast::fuzz::parse_only(data, size, [](std::string_view bytes) {
    const Place& place = places[static_cast<unsigned char>(bytes.front()) % places.size()];
    const fs::path file = folder / "store.sqlite";
    fs::copy_file(folder / "sound.sqlite", file, fs::copy_options::overwrite_existing);
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    sparsecast::calibration::define_checksum(database);
    Statement(database, fmt::format("UPDATE {} SET {} = ?", place.table, place.column)).bind(bytes.substr(1)).step();
    sparsecast::calibration::execute(database, sparsecast::calibration::set_sums(place.table, {}), file);
    sqlite3_close(database);
    const Store store(file);
    (void)store.damaged_rows();
    sparsecast::Structure named;
    named.name = "A";
    (void)store.measurements(named, "host", sparsecast::Precision::double_, 0);
    (void)store.profile("host");
  });
}
