#pragma once
// profiles: what was measured, on which devices, as files to carry elsewhere; and what forecasts rest on beside it.

#include <optional>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/curve.hpp>
#include <sparsecast/micro_benchmark.hpp>
#include <sparsecast/observed_product.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// What was measured on one device.
struct ProfileSummary {
  std::string name = {};
  DeviceName device = {};
  std::string model = {};     ///< the vendor's name for the device
  std::string software = {};  ///< program that measured
  std::string taken = {};     ///< date and time (UTC) of the newest record
  std::int64_t matrices = 0;  ///< matrices that were multiplied
  std::int64_t records = 0;   ///< number of records: one kernel on one matrix each
};

/// The profiles of the store.
struct ProfileList {
  std::vector<ProfileSummary> profiles = {};
};

/// A request for the profiles of the store; it has a listener alone.
struct ProfilesRequest {
  Listener listener = {};
};

/// The profiles of the store; a warning where rows of it are damaged. Error failed where it cannot be opened. Thread
/// safety: safe from several threads at once.
[[nodiscard]] ProfileList profiles(const ProfilesRequest& request = {});

/// Records of one kernel, precision and number of threads.
struct RecordGroup {
  std::string kernel = {};
  Precision precision = Precision::double_;
  int threads = 0;
  std::int64_t records = 0;
  double mean_spread = 0;
};

/// What a profile holds, its records in groups.
struct ProfileContents {
  ProfileSummary summary = {};
  DeviceProperties properties = {};
  std::vector<Curve> curves = {};
  std::vector<MicroBenchmark> micro_benchmarks = {};  ///< micro-benchmarks; empty except for CUDA devices
  std::vector<RecordGroup> groups = {};               ///< in no document
};

/// Which profile.
struct ProfileRequest {
  std::string profile = "host";  ///< name of the profile, or its file
  Listener listener = {};
};

/// Error usage for an unknown name, with the nearest ones; bad_input where a file is no profile. Thread safety: safe
/// from several threads at once.
[[nodiscard]] ProfileContents profile_contents(const ProfileRequest& request);

/// The profile to export, and the file to write.
struct ExportRequest {
  std::string profile = "host";
  std::filesystem::path file = {};
  Listener listener = {};
};

/// Writes a profile to a file. Errors of profile_contents(), and failed where it cannot be written. Thread safety: safe
/// from several threads at once, into different files.
ProfileSummary export_profile(const ExportRequest& request);

/// A table of times that were measured anywhere, and the profile that is made of it.
struct ImportRequest {
  /// Separated by tabs or commas, plain or gzip: matrix, kernel, seconds, and rows, nonzeros, features, or the matrix
  /// as a file or ss:GROUP/NAME; or Ginkgo's .json.
  std::filesystem::path table = {};
  std::string name = {};                  ///< of the profile
  std::string device = {};                ///< the described GPU that was measured; empty: `name` or `properties` tell
  std::string unit = {};                  ///< of the times, "s" or "ns"; empty: as the file tells, of tables seconds
  std::filesystem::path properties = {};  ///< what is known of the device; empty: its description of the catalogue
  std::filesystem::path file = {};        ///< the profile to write
  Precision precision = Precision::double_;
  Listener listener = {};
};

/// Makes a profile of times that were measured anywhere. Error usage for a host, which is calibrated instead; bad_input
/// with the place of what the table has wrong. Thread safety: safe from several threads at once, into different files.
ProfileSummary import_profile(const ImportRequest& request);

/// What was measured on users' matrices.
struct ObservedProducts {
  std::vector<ObservedProduct> observations = {};  ///< products, oldest first
};

/// What is done with what was measured on users' matrices.
struct ObservationsRequest {
  std::filesystem::path export_to = {};    ///< also write them there, as the document
  std::filesystem::path import_from = {};  ///< before that, add what such a document has
  bool forget = false;                     ///< and then keep none
  Listener listener = {};
};

/// What is remembered of products on users' matrices: after an import, before forgetting. What is imported takes the
/// place of what is older or of another machine, not of what was measured here. Error failed where a file cannot be
/// written, or nothing can be kept or read that was to be; bad_input where one is no such document. Thread safety: safe
/// from several threads at once.
ObservedProducts observations(const ObservationsRequest& request = {});

/// A number that forecasts rest on.
struct Constant {
  std::string name = {};
  double value = 0;                 ///< the value; the first one if there are several
  std::vector<double> values = {};  ///< all values, if there are several
  std::string unit = {};
  /// "physical" (by a standard or a data sheet), "measured" here, "learned" from tables or "chosen".
  std::string kind = {};
  std::string source = {};  ///< where the number comes from, or why it was chosen
  std::string file = {};    ///< file under src/ that holds it
};

/// The numbers that forecasts rest on.
struct ConstantList {
  std::vector<Constant> constants = {};  ///< in the order of src/constants.tsv
};

/// Thread safety: safe from several threads at once.
[[nodiscard]] ConstantList all_constants();

/// A table of measured times that a model was learned from.
struct LearnedTable {
  std::string table = {};   ///< folder and file name of the table
  std::string sha256 = {};  ///< SHA-256 of the file
  std::int64_t bytes = 0;   ///< size of the file in bytes
};

/// A model whose coefficients are shipped.
struct ShippedModel {
  std::string name = {};     ///< name of the model, which is described in docs/models/NAME.md
  std::string hash = {};     ///< SHA-256 of its file
  std::string command = {};  ///< command that produces the file again
  std::string licence = {};  ///< licence of the tables
  std::string date = {};     ///< date when the model was learned
  /// Tables that it was learned from; empty if only constants are shipped.
  std::vector<LearnedTable> learned_from = {};
};

/// The library's version, and the models that it ships.
struct VersionDetails {
  std::string version = {};  ///< version of the library
  std::vector<ShippedModel> models = {};
};

/// The library, and what its forecasts were learned from. Thread safety: safe from several threads at once.
[[nodiscard]] VersionDetails version_details();

}  // namespace sparsecast
#pragma GCC visibility pop
