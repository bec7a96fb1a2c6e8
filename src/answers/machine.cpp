#include "answers/machine.hpp"

#include <fmt/format.h>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/threads.hpp>
#include <sparsecast_constants.hpp>
#include <system_error>

#include "answers/inputs.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/home.hpp"
#include "base/median.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "calibration/observations.hpp"
#include "calibration/staleness.hpp"
#include "calibration/store.hpp"
#include "fields/places.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"
#include "forecast/memory_fit.hpp"
#include "forecast/model_set.hpp"
#include "forecast/record_choice.hpp"
#include "hardware/description.hpp"

namespace sparsecast::answers {
namespace {
namespace fs = std::filesystem;

bool may_be_here(const std::string& device) {
  return device == "host" || device.starts_with("opencl:") || device.starts_with("cuda:");
}

[[noreturn]] void refuse_device(const std::string& reason, const std::string& device, std::vector<std::string> known,
                                const std::string& otherwise, const wording::Text& remedy) {
  known.insert(known.begin(), {"host", "opencl:0", "cuda:0"});
  std::string hint = base::did_you_mean(device, known);
  if (base::nearest(device, known).size() < 3 && !otherwise.empty()) hint += (hint.empty() ? "" : " ") + otherwise;
  throw Error(ErrorCode::usage, reason, {}, hint.empty() ? remedy : hint + " " + remedy);
}

wording::Text measured_anew(const std::string& device) {
  return wording::ask("calibrate", {{"device", device}, {"quick", false}, {"fresh", true}});
}

// What was measured is not all there, or not of this processor: nobody should miss that.
Profile told(Profile profile, const Listener& listener) {
  if (const std::string other = profile.name == "host" ? calibration::kept_processor_of_another_host() : std::string();
      !other.empty())
    remark(listener, wording::format("the profile of host is stale (of another processor, {}): the forecast is by what "
                                     "ships; {} replaces it, or set SPARSECAST_HOME to another folder",
                                     other, measured_anew(profile.name)));
  const std::optional<calibration::Store> store = calibration::kept_store();
  if (const std::int64_t damaged = store ? store->damaged_rows() : 0; damaged > 0)
    warn(listener,
         wording::format(
             "{} rows of the store are damaged or from an older program and were skipped; {} measures them again",
             damaged, wording::ask("calibrate", {{"device", profile.name}, {"quick", false}})));
  return profile;
}

// What tells that a file is the one that was read.
std::string stamp_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) return "none";
  return fmt::format("{} {}", size, fs::last_write_time(file, error).time_since_epoch().count());
}

std::string stamp_of(const std::string& device, const std::string& profile_file) {
  if (!profile_file.empty()) return stamp_of(fs::path(profile_file));
  if (device.ends_with(".json")) return stamp_of(fs::path(device));
  const fs::path home = base::home_folder_if_any(), store = home / "store.sqlite";
  if (home.empty()) return "no home folder";
  return fmt::format("{} {} {}", store.string(), stamp_of(store), stamp_of(store.string() + "-wal"));
}

// A profile begins as a description does not, and says so.
Profile profile_or_description(const std::string& file) {
  const std::string text = base::read_file(file, {.what = "profile or device description"});
  const wording::Text a_description =
      wording::ask("describe", {{"device", wording::placeholder("NAME")}, {"json", true}});
  const auto document = base::parse_json(text, {file, a_description + " shows one"});
  const auto schema = document.is_object() ? document.find("schema") : document.end();
  const bool profile = schema != document.end() && schema->is_string() &&
                       schema->get_ref<const std::string&>().starts_with("sparsecast/profile/");
  return profile ? read_profile(file) : described_profile(read_device(file));
}

// A file says of which machine it is: another one that is named beside it would be answered for by the file.
Profile profile_of(const std::string& device, const std::string& file) {
  Profile profile = read_profile(file);
  const DeviceProperties& described = profile.properties;
  const bool here = device.empty() || device == "host" || (may_be_here(device) && described.kind != DeviceKind::host);
  if (!here && device != profile.name && device != described.name)
    throw Error(ErrorCode::usage,
                fmt::format("the profile is of '{}', and the device '{}' is another", profile.name, device), {file},
                wording::format("omit {} or {}", wording::option("device"), wording::option("predict.profile")));
  return profile;
}

// Nothing where the device of that name is not here.
std::optional<DeviceProperties> present_properties(const std::string& name) try {
  return hardware::open_device(name)->properties();
} catch (const Error&) {
  return std::nullopt;
}
}  // namespace

std::vector<std::string> kept_profile_names() {
  const std::optional<calibration::Store> store = calibration::kept_store();
  return store ? store->profile_names() : std::vector<std::string>();
}

std::optional<calibration::Store> store_to_keep_in(const Listener& listener) try {
  return calibration::Store();
} catch (const Error& error) {
  // One that only another program's version reads, say, is told with a way out; one that may only be read is no reason.
  if (const auto kept = calibration::kept_store(); kept && kept->writable()) throw;
  remark(listener, wording::format("measurements are not kept: {}", error.reason_text()));
  return std::nullopt;
}

Profile load_profile(const std::string& device, const std::string& profile_file, const Listener& listener) {
  if (!profile_file.empty()) return profile_of(device, profile_file);
  const std::vector<std::string> measured = answers::kept_profile_names();
  if (!may_be_here(device) && std::ranges::find(measured, device) == measured.end())
    refuse_device(fmt::format("no device '{}' was measured", device), device, measured, {},
                  wording::format("{} lists the profiles; {} opens another", wording::ask("profiles"),
                                  wording::option("predict.profile", wording::placeholder("FILE"))));
  return told(calibrated_profile(device), listener);
}

Profile load_machine(const std::string& device, const std::string& profile_file, const Listener& listener) {
  if (!profile_file.empty()) return profile_of(device, profile_file);
  if (device.ends_with(".json")) return profile_or_description(device);
  if (may_be_here(device)) return told(calibrated_profile(device), listener);
  if (std::optional<Profile> measured = calibration::kept_profile(device)) return told(std::move(*measured), listener);
  if (hardware::is_described(device)) return described_profile(describe_device(device));
  std::vector<std::string> known = described_devices();
  const std::vector<std::string> measured = answers::kept_profile_names();
  known.insert(known.begin(), measured.begin(), measured.end());
  refuse_device(fmt::format("there is no device '{}'", device), device, known,
                fmt::format("the nearest names are {};", fmt::join(hardware::nearest_descriptions(device), ", ")),
                wording::format("{} lists all; for a description of your own give {}", wording::ask("catalogue"),
                                wording::option("device", wording::placeholder("FILE.json"))));
}

std::set<std::string> require_alike(const Profile& measured, const Profile& described, const fs::path& table,
                                    const Listener& listener) {
  const Precision precision = measured.records.front().precision;
  const forecast::ModelSet models("best", described, fit_options(described, precision, 0, listener));
  std::set<std::string> unknown;
  std::vector<double> ratios;
  for (const Record& record : measured.records) {
    const Structure& structure = measured.matrices[static_cast<std::size_t>(record.matrix)].structure;
    const std::vector<Forecast> forecasts = models.best(structure, {record.kernel});
    if (forecasts.empty())
      unknown.insert(record.kernel);
    else
      ratios.push_back(record.seconds / forecasts.front().seconds);
  }
  const double ratio = ratios.empty() ? 1 : base::median(ratios);
  if (ratio > constants::anchors_apart || ratio * constants::anchors_apart < 1)
    throw Error(ErrorCode::bad_input,
                fmt::format("its products take {:.2g} times as long as the data sheet of {} lets expect", ratio,
                            described.name),
                {table.string()}, "check the unit, which is seconds, and the device");
  return unknown;
}

namespace {
// Of a kernel that machines of that kind are not known to run nothing can be forecast, and nothing corrected.
void leave_unknown_kernels_out(Profile& measured, const std::set<std::string>& unknown, const fs::path& anchors,
                               const Listener& listener) {
  if (unknown.empty()) return;
  const std::string names = fmt::format("{}", fmt::join(unknown, ", "));
  std::erase_if(measured.records, [&](const Record& record) { return unknown.contains(record.kernel); });
  if (measured.records.empty())
    throw Error(ErrorCode::bad_input,
                fmt::format("no kernel of {} is known of {}: {}", anchors.string(), measured.name, names), {},
                wording::format("use the names of kernels that {} prints", wording::ask("predict")));
  remark(listener, fmt::format("{}: left out, as not known of {}: {}", anchors.string(), measured.name, names));
}
}  // namespace

Profile with_anchors(Profile profile, const std::filesystem::path& anchors, const Listener& listener) {
  if (anchors.empty()) return profile;
  if (profile.tier != Tier::data_sheet)
    throw Error(ErrorCode::usage, fmt::format("'{}' itself was measured", profile.name), {},
                wording::format("anchors are for a device that is only described: {} of {}",
                                wording::option("device", wording::placeholder("NAME")), wording::ask("catalogue")));
  const std::vector<calibration::FeatureRecord> records = measurements_of(anchors, listener);
  const bool cores = profile.properties.kind == DeviceKind::host;  // which are all at work, as in a data sheet
  require_kind(records, anchors, cores ? profile.properties.compute_units : 0, Precision::double_);
  Profile measured = calibration::profile_from_records(records, profile.name, profile.properties, Precision::double_);
  leave_unknown_kernels_out(measured, require_alike(measured, profile, anchors, listener), anchors, listener);
  measured.tier = Tier::anchors;
  return measured;
}

void remark_without_effect(const std::string& machine, const wording::Text& option, const Listener& listener) {
  remark(listener, wording::format("{} is without effect on {}", option, machine));
}

void remark_places(const Profile& profile, Places places, const Listener& listener) {
  if (places != Places::spread && (profile.is_measured() || profile.properties.kind != DeviceKind::host))
    remark_without_effect(profile.name, wording::option("predict.places", places), listener);
}

int threads_for(const Profile& profile, int threads) {
  const DeviceProperties& described = profile.properties;
  if (described.kind != DeviceKind::host) return 0;
  if (profile.is_measured()) {
    const bool known = std::ranges::any_of(profile.records, [&](const Record& one) { return one.threads == threads; });
    const bool beyond = described.compute_units > 0 && threads > described.compute_units;
    return beyond && !known ? described.compute_units : base::thread_count(threads);
  }
  return threads > 0 ? std::min(threads, described.compute_units) : described.compute_units;
}

int threads_of_file(const fs::path& file, const Profile& profile, int threads, const Listener& listener) {
  if (threads > 0 || file.empty() || profile.properties.kind != DeviceKind::host) return threads;
  int most = 0;
  for (const Record& record : profile.records) most = std::max(most, record.threads);
  if (most > 0 && most != default_threads())
    remark(listener,
           fmt::format("{} was measured with up to {} threads: the forecast is for as many", file.string(), most));
  return most;
}

FitOptions fit_options(const Profile& profile, Precision precision, int threads, const Listener& listener,
                       Places places) {
  const int fewer = threads_for(profile, threads);
  if (fewer > 0 && threads > fewer)
    remark(listener, wording::format("{} has {} cores: the forecast is for {} threads", profile.name, fewer, fewer));
  if (threads > 0 && profile.properties.kind != DeviceKind::host)
    remark_without_effect(profile.name, wording::option("threads"), listener);
  // One line, however many models of a question are fitted for the first time; they are fitted one after the other.
  return {.precision = precision,
          .threads = fewer,
          .notice =
              [&listener, said = std::make_shared<bool>(false)](std::string_view line) {
                if (!std::exchange(*said, true)) tell(listener.remark, line);
              },
          .places = places};
}

std::string other_precision_text(const Profile& profile, const FitOptions& options, Voice voice) {
  const Precision records = forecast::records_for(profile, options).precision;
  if (records == options.precision) return {};
  if (profile.tier == Tier::data_sheet)  // nobody can calibrate it here
    return fmt::format(
        "the forecast is extrapolated and has a wider interval: what is known of such machines was "
        "measured in {} precision",
        to_string(records));
  std::vector<wording::Argument> measured{{"device", profile.name}, {"quick", false}};
  if (options.precision != Precision::double_) measured.push_back({"precision", options.precision});
  return wording::format("the forecast is based on records in {} precision and has a wider interval; {} measures {}",
                         to_string(records), wording::ask("calibrate", measured), to_string(options.precision))
      .in(voice);
}

std::shared_ptr<Machine> Machine::of(const std::string& device, const std::string& profile_file,
                                     const Listener& listener, bool measured, const std::filesystem::path& anchors) {
  struct Known {
    std::string stamp;
    std::shared_ptr<Machine> machine;
  };
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::string, bool, std::string>, Known> known;
  const auto key = std::tuple(device, profile_file, measured, anchors.string());
  const auto stamped = [&] {
    return stamp_of(device, profile_file) + (anchors.empty() ? std::string() : " " + stamp_of(anchors));
  };
  const std::string stamp = stamped();
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end() && found->second.stamp == stamp)
      return found->second.machine;
  }
  auto machine = std::make_shared<Machine>(
      measured ? load_profile(device, profile_file, listener)
               : with_anchors(load_machine(device, profile_file, listener), anchors, listener));
  constexpr std::size_t most = 32;
  const std::lock_guard lock(mutex);
  if (known.size() >= most) known.clear();
  known[key] = {stamp, machine};
  return machine;
}

std::shared_ptr<const forecast::ModelSet> Machine::models(const std::string& model, const FitOptions& fit) {
  return models_.get({model, fit.precision, fit.threads, fit.places},
                     [&] { return std::make_shared<forecast::ModelSet>(model, profile_, fit); });
}

std::shared_ptr<const Planner> Machine::planner(const std::string& model, const FitOptions& fit) {
  return planners_.get({model, fit.precision, fit.threads, fit.places}, [&] {
    return std::make_shared<Planner>(profile_, fit.precision, fit.threads, fit.notice, model);
  });
}

bool remark_changes(const Profile& profile, const Listener& listener) {
  const std::optional<DeviceProperties> now = present_properties(profile.name);
  if (!now) return true;
  const std::vector<std::string> changes = calibration::changes_since(profile, *now);
  if (changes.empty()) return true;
  remark(listener, wording::format("the profile of {} is stale ({}); {} fixes that", profile.name,
                                   fmt::join(changes, "; "), measured_anew(profile.name)));
  return false;
}

void remark_repeats(double error, const Listener& listener) {
  constexpr double drifts = 0.2;
  if (error >= drifts)
    remark(listener,
           wording::format("this machine drifts: a quarter of its products differed by a factor of {:.2g} or more some "
                           "minutes later; trials ({}) compare kernels by taking turns",
                           std::exp(error), wording::ask("plan", {{"trials", "auto"}})));
}

void remark_memory(const DeviceProperties& device, double bytes, const Listener& listener) {
  if (forecast::holds(device, bytes)) return;
  remark(listener, wording::format("does not fit into the memory of {}: format and vectors take {} of {}; the forecast "
                                   "is of a device that has it",
                                   device.name, base::format_bytes(bytes),
                                   base::format_bytes(static_cast<double>(device.memory_bytes))));
}

std::optional<forecast::Drift> check_profile(const Profile& profile, bool with_products, const FitOptions& fit,
                                             const Listener& listener) {
  if (!remark_changes(profile, listener) || !with_products || profile.properties.kind != DeviceKind::host)
    return std::nullopt;
  const auto now_s = static_cast<double>(std::time(nullptr));
  if (forecast::just_taken(profile, now_s) || !forecast::has_records(profile, fit) ||
      forecast::is_shipped(profile, fit))
    return std::nullopt;
  std::optional<forecast::Drift> drift = forecast::recent_drift(profile, fit, now_s);
  if (!drift) {
    const std::unique_ptr<hardware::Device> device = hardware::open_device(profile.name, fit.threads);
    drift = forecast::judge_drift(forecast::probe(*device, profile, fit));
    forecast::keep_drift(profile, fit, now_s, *drift);
  }
  if (drift->seen)
    remark(listener, wording::format("calibrated on another day, and it has drifted: {} products of {} take {:.2f} "
                                     "times as long as then, beyond the forecasts' interval; {} fixes that",
                                     drift->products, profile.name, drift->ratio, measured_anew(profile.name)));
  return drift;
}

std::optional<DriftAnswer> answer_of(const std::optional<forecast::Drift>& drift) {
  if (!drift) return std::nullopt;
  return DriftAnswer{drift->seen, drift->ratio, drift->interval, drift->products};
}
}  // namespace sparsecast::answers
