#pragma once
// The store: one SQLite file in the home folder with everything that was measured. A record is committed as soon as it
// is taken, so a killed run loses at most the record being measured. Nothing fitted is kept here.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sparsecast/profile.hpp>

#include "calibration/measurement.hpp"

struct sqlite3;

namespace sparsecast::calibration {
class Store {
 public:
  /// Opens (and creates) store.sqlite in the home folder, or the file named. Error failed with the file and reason, and
  /// for a store of another version, which stays as it is.
  /// With `only_read` a store that may not be written is opened to be read; without, it is an Error.
  explicit Store(const std::filesystem::path& file = {}, bool only_read = false);
  [[nodiscard]] bool writable() const { return writable_; }

  // Profiles: one per device name, filled record by record.

  /// Makes the profile of properties.name if it is missing, and brings its properties up to date. Rows whose
  /// checksum does not hold are removed, so that they are measured again; returns how many those were.
  int begin_profile(const DeviceProperties& properties, const std::string& software);
  /// Forgets everything measured on that device.
  void forget_profile(const std::string& device);
  [[nodiscard]] std::vector<std::string> profile_names() const;
  /// nullopt for a device that was never calibrated. What is damaged is left out (damaged_rows).
  [[nodiscard]] std::optional<Profile> profile(const std::string& device) const;
  /// The device as it was described there; nullopt also where that is damaged.
  [[nodiscard]] std::optional<DeviceProperties> properties(const std::string& device) const;
  /// True where that record is there already.
  [[nodiscard]] bool has_record(const std::string& device, const MatrixSpec& spec, const std::string& kernel,
                                Precision precision, int threads) const;
  void add_records(const std::string& device, const BenchmarkMatrix& matrix, const std::vector<Record>& records);
  /// Replaces curves of the same name and threads.
  void add_curves(const std::string& device, const std::vector<Curve>& curves);
  /// Replaces those of the same name and mode.
  void add_micro_benchmarks(const std::string& device, const std::vector<MicroBenchmark>& benchmarks);

  void add_measurement(const Measurement& measurement);
  /// The newest measurement of each kernel on a matrix of that name and size, for one device, precision and thread
  /// count.
  [[nodiscard]] std::vector<Measurement> measurements(const Structure& matrix, const std::string& device,
                                                      Precision precision, int threads) const;

  /// Rows of all tables whose checksum does not hold, or that are no times at all.
  [[nodiscard]] std::int64_t damaged_rows() const;

 private:
  [[nodiscard]] std::map<std::int64_t, int> read_matrices(Profile& profile) const;
  void sum_last(const char* table);

  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  std::filesystem::path file_;
  bool writable_ = true;
  std::unique_ptr<sqlite3, Close> database_;
};
/// The user's store where there is one, so that looking makes none: nothing in a home folder that is not there, or
/// where a disk was full when it was begun. One that may not be written is read. Error as of Store.
[[nodiscard]] std::optional<Store> kept_store();

/// The profile of `device` out of it.
[[nodiscard]] std::optional<Profile> kept_profile(const std::string& device);

/// The processor that it has measurements of in place of this host's, where hosts share a home; empty where it has
/// none.
[[nodiscard]] std::string kept_processor_of_another_host();
}  // namespace sparsecast::calibration
