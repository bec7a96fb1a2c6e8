#include "app/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/threads.hpp"
#include "calibration/store.hpp"
#include "devices/description.hpp"
#include "devices/properties_json.hpp"
#include "forecast/record_choice.hpp"

namespace sparsecast::app {
namespace {

constexpr std::array<std::string_view, 9> endings{".mtx", ".mtx.gz", ".rb",  ".rb.gz", ".rua",
                                                  ".rsa", ".pua",    ".psa", ".npz"};

bool is_matrix_file(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<std::filesystem::path> found;
    for (std::filesystem::recursive_directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->is_regular_file(error) && is_matrix_file(entry->path())) found.push_back(entry->path());
    if (error) throw Error(ErrorCode::bad_input, "cannot read the folder: " + error.message(), {path});
    if (found.empty())
      throw Error(ErrorCode::bad_input, "no matrix in the folder", {path},
                  fmt::format("looked for *{}", fmt::join(endings, ", *")));
    std::ranges::sort(found);
    std::ranges::move(found, std::back_inserter(files));
  }
  return files;
}

namespace {

std::mutex lent_mutex;
std::map<std::string, Matrix>& lent_matrices() {
  static std::map<std::string, Matrix> lent;
  return lent;
}

}  // namespace

LentMatrix::LentMatrix(Matrix matrix) {
  static int count = 0;
  const std::lock_guard lock(lent_mutex);
  path_ = fmt::format("memory:{}", ++count);
  lent_matrices().emplace(path_, std::move(matrix));
}

LentMatrix::~LentMatrix() {
  const std::lock_guard lock(lent_mutex);
  lent_matrices().erase(path_);
}

Matrix input_matrix(const std::filesystem::path& file, const ReadOptions& options) {
  {
    const std::lock_guard lock(lent_mutex);
    if (const auto lent = lent_matrices().find(file.string()); lent != lent_matrices().end()) return lent->second;
  }
  return read_matrix(file, options);
}

Profile load_profile(const std::string& device, const std::string& profile_file) {
  if (!profile_file.empty()) return read_profile(profile_file);
  return calibrated_profile(device);
}

Profile load_machine(const std::string& device, const std::string& profile_file) {
  if (!profile_file.empty()) return read_profile(profile_file);
  if (device.ends_with(".json")) return described_profile(read_device(device));
  const bool here = device == "host" || device.starts_with("opencl:") || device.starts_with("cuda:");
  if (here) return calibrated_profile(device);
  if (std::optional<Profile> measured = calibration::Store().profile(device)) return std::move(*measured);
  const std::vector<std::string> known = described_devices();
  if (std::ranges::find(known, device) != known.end()) return described_profile(describe_device(device));
  throw Error(ErrorCode::unavailable, fmt::format("nothing is known of a device '{}'", device), {},
              fmt::format("the nearest names are {}; `sparsecast devices --catalogue` lists all, a description of your "
                          "own is --device FILE.json",
                          fmt::join(devices::nearest_descriptions(device), ", ")));
}

int threads_for(const Profile& profile, const Globals& globals) {
  return profile.properties.kind == DeviceKind::host ? base::thread_count(globals.threads) : 0;
}

FitOptions fit_options(const Profile& profile, const Globals& globals) {
  // One line, however many models of a command are fitted for the first time; they are fitted one after the other.
  return {globals.value_precision(), threads_for(profile, globals),
          [&globals, said = std::make_shared<bool>(false)](std::string_view line) {
            if (!std::exchange(*said, true)) remark(globals, line);
          }};
}

std::string other_precision_text(const Profile& profile, const FitOptions& options) {
  const Precision records = forecast::records_for(profile, options).precision;
  if (records == options.precision) return {};
  return fmt::format(
      "forecast from records in {} precision, with a wider interval; `sparsecast calibrate --device {} --precision {}` "
      "measures {}",
      to_string(records), profile.name, to_string(options.precision), to_string(options.precision));
}

nlohmann::ordered_json matrix_json(const Structure& structure) {
  return {
      {"name", structure.name}, {"rows", structure.rows}, {"cols", structure.cols}, {"nonzeros", structure.nonzeros}};
}

nlohmann::ordered_json device_json(const DeviceProperties& properties) {
  return {{"name", properties.name}, {"kind", to_string(properties.kind)}};
}

}  // namespace sparsecast::app
