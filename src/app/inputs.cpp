#include "app/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>
#include <utility>

#include "app/terminal/progress_bar.hpp"
#include "base/nearest.hpp"
#include "base/threads.hpp"
#include "calibration/store.hpp"
#include "devices/description.hpp"
#include "devices/properties_json.hpp"
#include "forecast/record_choice.hpp"

namespace sparsecast::app {
namespace {

constexpr std::array<std::string_view, 7> endings{".mtx", ".rb", ".rua", ".rsa", ".pua", ".psa", ".npz"};
constexpr std::array<std::string_view, 4> compressed_endings{".gz", ".bz2", ".xz", ".zst"};

bool is_matrix_file(const std::filesystem::path& file) {
  const std::string whole = file.filename().string();
  std::string_view name = whole;
  for (const std::string_view ending : compressed_endings)
    if (name.ends_with(ending)) {
      name.remove_suffix(ending.size());
      break;
    }
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool may_be_here(const std::string& device) {
  return device == "host" || device.starts_with("opencl:") || device.starts_with("cuda:");
}

[[noreturn]] void refuse_device(const std::string& reason, const std::string& device, std::vector<std::string> known,
                                const std::string& otherwise, const std::string& remedy) {
  known.insert(known.begin(), {"host", "opencl:0", "cuda:0"});
  std::string hint = base::did_you_mean(device, known);
  if (base::nearest(device, known).size() < 3 && !otherwise.empty()) hint += (hint.empty() ? "" : " ") + otherwise;
  throw Error(ErrorCode::usage, reason, {}, hint.empty() ? remedy : hint + " " + remedy);
}

}  // namespace

std::filesystem::path matrix_file(const std::string& given, const Globals& globals) {
  if (!given.starts_with(collection_prefix)) return given;
  ProgressBar bar(globals);
  return matrix::Collection(collection_options({}, bar, globals)).matrix(given.substr(collection_prefix.size()));
}

void Failures::attempt(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    if (inputs_ < 2 || error.code() != ErrorCode::bad_input) throw;
    errors_.push_back(error);
  }
}

void Failures::finish() const {
  if (errors_.empty()) return;
  for (const Error& error : std::span(errors_).first(errors_.size() - 1)) complain(error.what());
  throw Error(errors_.back());
}

std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths, const Globals& globals) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(matrix_file(path, globals));
      continue;
    }
    std::vector<std::filesystem::path> found;
    for (std::filesystem::recursive_directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->is_regular_file(error) && is_matrix_file(entry->path())) found.push_back(entry->path());
    if (error) throw Error(ErrorCode::bad_input, "cannot read the folder: " + error.message(), {path});
    if (found.empty())
      throw Error(ErrorCode::bad_input, "no matrix in the folder", {path},
                  fmt::format("looked for *{}, also compressed", fmt::join(endings, ", *")));
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

Matrix read_input(const std::filesystem::path& file, const Globals& globals) {
  {
    const std::lock_guard lock(lent_mutex);
    if (const auto lent = lent_matrices().find(file.string()); lent != lent_matrices().end()) return lent->second;
  }
  return read_matrix(file,
                     {.threads = globals.threads, .remark = [&](std::string_view line) { remark(globals, line); }});
}

namespace {

// A word that --quiet does not silence: what was measured is not all there.
Profile told(Profile profile) {
  if (const std::int64_t damaged = calibration::Store().damaged_rows(); damaged > 0)
    complain(
        fmt::format("{} rows of the store are damaged and left out; `sparsecast calibrate --device {}` measures "
                    "them again",
                    damaged, profile.name));
  return profile;
}

}  // namespace

Profile load_profile(const std::string& device, const std::string& profile_file) {
  if (!profile_file.empty()) return read_profile(profile_file);
  const std::vector<std::string> measured = calibration::Store().profile_names();
  if (!may_be_here(device) && std::ranges::find(measured, device) == measured.end())
    refuse_device(fmt::format("nothing was measured on a device '{}'", device), device, measured, {},
                  "`sparsecast profiles list` names the profiles; --profile FILE opens another");
  return told(calibrated_profile(device));
}

Profile load_machine(const std::string& device, const std::string& profile_file) {
  if (!profile_file.empty()) return read_profile(profile_file);
  if (device.ends_with(".json")) return described_profile(read_device(device));
  if (may_be_here(device)) return told(calibrated_profile(device));
  if (std::optional<Profile> measured = calibration::Store().profile(device)) return told(std::move(*measured));
  std::vector<std::string> known = described_devices();
  if (std::ranges::find(known, device) != known.end()) return described_profile(describe_device(device));
  const std::vector<std::string> measured = calibration::Store().profile_names();
  known.insert(known.begin(), measured.begin(), measured.end());
  refuse_device(fmt::format("nothing is known of a device '{}'", device), device, known,
                fmt::format("the nearest names are {};", fmt::join(devices::nearest_descriptions(device), ", ")),
                "`sparsecast devices --catalogue` lists all, a description of your own is --device FILE.json");
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
