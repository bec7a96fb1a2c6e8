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

struct ProfileSummary {
  std::string name = {};
  DeviceName device = {};
  std::string model = {}, software = {}, taken = {};
  std::int64_t matrices = 0, records = 0;
};
template <>
struct Fields<ProfileSummary> {
  static constexpr std::string_view about = "What was measured on one device.";
  static constexpr auto table =
      std::tuple(field<&ProfileSummary::name>("of the profile"), field<&ProfileSummary::device>(""),
                 field<&ProfileSummary::model>("the vendor's name"), field<&ProfileSummary::software>("that measured"),
                 field<&ProfileSummary::taken>("UTC of the newest record"),
                 field<&ProfileSummary::matrices>("that were multiplied", at_least(0)),
                 field<&ProfileSummary::records>("of a kernel on a matrix", at_least(0)));
};

struct ProfileList {
  std::vector<ProfileSummary> profiles = {};
};
template <>
struct Fields<ProfileList> {
  static constexpr std::string_view about = "sparsecast profiles list --json";
  static constexpr auto table = std::tuple(field<&ProfileList::profiles>("in the store"));
};

struct ProfilesRequest {
  Listener listener = {};
};
template <>
struct Fields<ProfilesRequest> {
  static constexpr std::string_view about = "Nothing is asked but what was measured.";
  static constexpr auto table = std::tuple();
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

struct ProfileContents {
  ProfileSummary summary = {};
  DeviceProperties properties = {};
  std::vector<Curve> curves = {};
  std::vector<MicroBenchmark> micro_benchmarks = {};
  std::vector<RecordGroup> groups = {};  ///< in no document
};
template <>
struct Fields<ProfileContents> {
  static constexpr std::string_view about = "sparsecast profiles show --json";
  static constexpr auto table =
      std::tuple(field<&ProfileContents::summary>("").in_its_place(), field<&ProfileContents::properties>(""),
                 field<&ProfileContents::curves>("that were measured"),
                 field<&ProfileContents::micro_benchmarks>("empty for all but CUDA devices"));
};

struct ProfileRequest {
  std::string profile = "host";
  Listener listener = {};
};
template <>
struct Fields<ProfileRequest> {
  static constexpr std::string_view about = "Which profile.";
  static constexpr auto table = std::tuple(field<&ProfileRequest::profile>("its name, or its file"));
};
/// Error usage for an unknown name, with the nearest ones; bad_input where a file is no profile. Thread safety: safe
/// from several threads at once.
[[nodiscard]] ProfileContents profile_contents(const ProfileRequest& request);

struct ExportRequest {
  std::string profile = "host";
  std::filesystem::path file = {};
  Listener listener = {};
};
template <>
struct Fields<ExportRequest> {
  static constexpr std::string_view about = "Which profile, and where it is written.";
  static constexpr auto table = std::tuple(field<&ExportRequest::profile>("its name"), field<&ExportRequest::file>(""));
};
/// Writes a profile to a file. Errors of profile_contents(), and failed where it cannot be written. Thread safety: safe
/// from several threads at once, into different files.
ProfileSummary export_profile(const ExportRequest& request);

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

struct ObservedProducts {
  std::vector<ObservedProduct> observations = {};
};
template <>
struct Fields<ObservedProducts> {
  static constexpr std::string_view about =
      "sparsecast profiles observations --json: what was measured on users' matrices";
  static constexpr auto table = std::tuple(field<&ObservedProducts::observations>("oldest first"));
};
struct ObservationsRequest {
  std::filesystem::path export_to = {};  ///< also write them there, as the document
  std::filesystem::path import_from = {};
  bool forget = false;  ///< and then keep none
  Listener listener = {};
};
/// What is remembered of products on users' matrices (before an import or forgetting). Error failed where a file cannot
/// be written; bad_input where one is no such document. Thread safety: safe from several threads at once.
ObservedProducts observations(const ObservationsRequest& request = {});

/// A number that forecasts rest on.
struct Constant {
  std::string name = {};
  double value = 0;
  std::vector<double> values = {};
  std::string unit = {}, kind = {}, source = {}, file = {};
};
template <>
struct Fields<Constant> {
  static constexpr std::string_view about = "A number that forecasts rest on, and where it is from.";
  static constexpr auto table = std::tuple(
      field<&Constant::name>(""), field<&Constant::value>("of several the first"),
      field<&Constant::values>("all, where there are several").where_known(), field<&Constant::unit>(""),
      field<&Constant::kind>("physical: by a standard or a data sheet; measured here; learned from tables; chosen"),
      field<&Constant::source>("where it is from, or why it was chosen"),
      field<&Constant::file>("of src/, that it stands in"));
};
struct ConstantList {
  std::vector<Constant> constants = {};
};
template <>
struct Fields<ConstantList> {
  static constexpr std::string_view about = "sparsecast profiles constants --json";
  static constexpr auto table = std::tuple(field<&ConstantList::constants>("as in src/constants.tsv"));
};
/// Thread safety: safe from several threads at once.
[[nodiscard]] ConstantList all_constants();

/// A table of measured times that a model was learned from.
struct LearnedTable {
  std::string table = {}, sha256 = {};
  std::int64_t bytes = 0;
};
template <>
struct Fields<LearnedTable> {
  static constexpr std::string_view about = "A table of measured times that a model was learned from.";
  static constexpr auto table =
      std::tuple(field<&LearnedTable::table>("folder and file"), field<&LearnedTable::sha256>("of the file"),
                 field<&LearnedTable::bytes>("of the file", at_least(0)));
};
/// A model whose coefficients are shipped.
struct ShippedModel {
  std::string name = {}, hash = {}, command = {}, licence = {}, date = {};
  std::vector<LearnedTable> learned_from = {};
};
template <>
struct Fields<ShippedModel> {
  static constexpr std::string_view about = "A model whose coefficients are shipped.";
  static constexpr auto table =
      std::tuple(field<&ShippedModel::name>("its card is docs/models/NAME.md").or_default(),
                 field<&ShippedModel::hash>("SHA-256 of its file").or_default(),
                 field<&ShippedModel::command>("that writes the file again"),
                 field<&ShippedModel::licence>("of the tables"), field<&ShippedModel::date>("when it was learned"),
                 field<&ShippedModel::learned_from>("empty where nothing but constants is shipped"));
};
struct VersionDetails {
  std::string version = {};
  std::vector<ShippedModel> models = {};
};
template <>
struct Fields<VersionDetails> {
  static constexpr std::string_view about = "sparsecast --version --json";
  static constexpr auto table =
      std::tuple(field<&VersionDetails::version>("of the library"), field<&VersionDetails::models>(""));
};
/// The library, and what its forecasts were learned from. Thread safety: safe from several threads at once.
[[nodiscard]] VersionDetails version_details();

}  // namespace sparsecast
#pragma GCC visibility pop
