// profiles: the store's, one looked into, written to files and made of tables.

#include <sparsecast/answers/profiles.hpp>

#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/interrupt.hpp"
#include "calibration/ginkgo_results.hpp"
#include "calibration/observations.hpp"
#include "calibration/store.hpp"
#include "fields/answers/profiles.hpp"
#include "fields/json.hpp"
#include "fields/wording.hpp"
#include "hardware/description.hpp"
#include "hardware/device.hpp"

namespace sparsecast {
namespace {
ProfileSummary summary_of(const Profile& profile) {
  return {profile.name,  answers::name_of(profile.properties), profile.properties.model,   profile.software,
          profile.taken, std::ssize(profile.matrices),         std::ssize(profile.records)};
}

std::vector<RecordGroup> groups_of(const Profile& profile) {
  std::map<std::tuple<std::string, std::string_view, int>, RecordGroup> groups;
  for (const Record& record : profile.records) {
    RecordGroup& group = groups[{record.kernel, to_string(record.precision), record.threads}];
    group = {record.kernel, record.precision, record.threads, group.records + 1, group.mean_spread + record.spread};
  }
  std::vector<RecordGroup> list;
  for (const auto& [key, group] : groups) {
    list.push_back(group);
    list.back().mean_spread /= static_cast<double>(group.records);
  }
  return list;
}

// What is known of the device: the file given, else the shipped description of that name, else nothing.
DeviceProperties properties_for(const ImportRequest& request) {
  if (!request.properties.empty()) {
    const std::string file = request.properties.string();
    const auto document =
        base::parse_json(base::read_file(request.properties, {.what = "properties"}),
                         {file, wording::ask("describe", {{"device", wording::placeholder("NAME")}, {"json", true}}) +
                                    " shows an example of properties"});
    // The properties alone, or the document that `devices --describe NAME --json` prints.
    const auto inside = document.is_object() ? document.find("properties") : document.end();
    return hardware::properties_from_json(inside != document.end() ? *inside : document, file);
  }
  if (!request.device.empty()) return describe_device(request.device);
  const std::vector<std::string> described = described_devices();
  // A table tells too little of its matrices for a host's models: a processor's is taken like any other device's.
  if (std::ranges::find(described, request.name) != described.end())
    if (DeviceProperties device = describe_device(request.name); device.kind != DeviceKind::host) return device;
  DeviceProperties properties;
  properties.name = properties.model = request.name;
  properties.kind =
      DeviceKind::cuda;  // measured times alone do not tell; nothing but the host differs in the forecasts
  return properties;
}

calibration::TimeUnit unit_of(const ImportRequest& request) {
  if (request.unit.empty()) return calibration::TimeUnit::told;
  if (request.unit == "s") return calibration::TimeUnit::seconds;
  if (request.unit == "ns") return calibration::TimeUnit::nanoseconds;
  throw Error(ErrorCode::usage, fmt::format("no unit of time '{}'", request.unit), {}, "the units are s and ns");
}

constexpr const char* observations_schema = "sparsecast/observations/1";

void require_possible(const calibration::Observations& store, bool possible) {
  if (!possible)
    throw Error(ErrorCode::failed, store.why(), {}, "set SPARSECAST_HOME to another folder that you may write");
}
void require_kept(const calibration::Observations& store) { require_possible(store, store.why().empty()); }

// Those that take no newer one's place.
std::vector<ObservedProduct> to_add(std::vector<ObservedProduct> offered, const std::vector<ObservedProduct>& kept) {
  const auto task = [](const ObservedProduct& o) {
    return std::tuple(o.pattern, o.device, o.machine, o.precision, o.threads, o.vectors, o.transposed, o.kernel);
  };
  std::map<decltype(task(offered.front())), std::string_view> present;  // when it was taken
  for (const ObservedProduct& one : kept) present[task(one)] = one.taken;
  std::erase_if(offered, [&](const ObservedProduct& one) {
    const auto other = present.find(task(one));
    return other != present.end() && one.taken < other->second;
  });
  return offered;
}

void import_observations(calibration::Observations& store, const std::filesystem::path& file,
                         const Listener& listener) {
  const wording::Text remedy =
      wording::ask("observations", {{"export_to", wording::placeholder("FILE")}}) + " writes one";
  const auto json = base::parse_json(base::read_file(file, {.what = "observations"}), {file.string(), remedy});
  if (!json.is_object() || json.value("schema", nlohmann::ordered_json()) != observations_schema)
    throw Error(ErrorCode::bad_input, "no observations", {file.string()}, remedy);
  ObservedProducts offered;
  try {
    offered = fields::read_struct<ObservedProducts>(json);
  } catch (const Error& wrong) {
    throw Error(wrong.code(), "not observations: " + wrong.reason_text(), {file.string()}, remedy);
  }
  const std::size_t all = offered.observations.size();
  const std::vector<ObservedProduct> added = to_add(std::move(offered.observations), store.all());
  store.add(added);
  require_kept(store);
  answers::remark(listener,
                  fmt::format("{} observations added", added.size()) +
                      (added.size() == all ? std::string()
                                           : fmt::format("; of the other {} a later time stays", all - added.size())));
}

// What was measured, without what ships in its place.
Profile measured_profile(const std::string& name, const Listener& listener) {
  Profile profile = answers::load_profile(name, {}, listener);
  if (profile.shipped.empty()) return profile;
  if (std::optional<Profile> kept = calibration::kept_profile(name)) return std::move(*kept);
  throw Error(
      ErrorCode::failed, fmt::format("no measurements of the device '{}' yet", name), {},
      wording::format("run {} (half a minute)", wording::ask("calibrate", {{"device", name}, {"quick", true}})));
}
}  // namespace

ProfileList profiles(const ProfilesRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const std::optional<calibration::Store> store = calibration::kept_store();
  if (!store) return {};
  if (const std::int64_t damaged = store->damaged_rows(); damaged > 0)
    answers::warn(
        request.listener,
        wording::format(
            "{} rows of the store are damaged or from an older program and were skipped; {} measures them again",
            damaged, wording::ask("calibrate", {{"quick", false}})));
  ProfileList list;
  for (const std::string& name : store->profile_names()) {
    try {
      list.profiles.push_back(summary_of(*store->profile(name)));
    } catch (const Error& damaged) {  // which costs the others nothing
      answers::warn(request.listener, wording::format("{}; {}", damaged.reason_text(), damaged.remedy_text()));
    }
  }
  return list;
}

ProfileContents profile_contents(const ProfileRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const std::string& name = request.profile;
  std::error_code no_path;  // a name may be too long for a file
  const Profile profile =
      std::filesystem::exists(name, no_path) ? read_profile(name) : measured_profile(name, request.listener);
  return {summary_of(profile), profile.properties, profile.curves, profile.micro_benchmarks, groups_of(profile)};
}

ProfileSummary export_profile(const ExportRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const Profile profile = measured_profile(request.profile, request.listener);
  write_profile(profile, request.file);
  return summary_of(profile);
}

ProfileSummary import_profile(const ImportRequest& request) {
  const base::StopScope stop(request.listener.stop);
  DeviceProperties properties = properties_for(request);
  if (properties.kind == DeviceKind::host)
    throw Error(ErrorCode::usage, "a host's profile is measured, not imported", {},
                wording::format("run {}", wording::ask("calibrate", {{"quick", false}})));
  const std::vector<calibration::FeatureRecord> records =
      answers::measurements_of(request.table, request.listener, unit_of(request));
  answers::require_kind(records, request.table, 0, request.precision);
  Profile profile = calibration::profile_from_records(records, request.name, properties, request.precision);
  if (!request.device.empty()) {
    (void)answers::require_alike(profile, described_profile(properties), request.table, request.listener);
    profile.tier = Tier::table;
    profile.properties = std::move(properties);
  }
  profile.software = "imported from " + request.table.filename().string();
  profile.taken = base::utc_now();
  write_profile(profile, request.file);
  return summary_of(profile);
}

ObservedProducts observations(const ObservationsRequest& request) {
  const base::StopScope stop(request.listener.stop);
  calibration::Observations store;
  const bool changes = !request.import_from.empty() || request.forget;
  if (changes) require_kept(store);
  if (!request.import_from.empty()) import_observations(store, request.import_from, request.listener);
  ObservedProducts answer{store.all()};
  if (!request.export_to.empty()) {
    // Rather than leave an empty file in the place of what was exported before.
    require_possible(store, store.readable());
    nlohmann::ordered_json json{{"schema", observations_schema}};
    json.update(fields::written(answer));
    base::write_file_atomically(request.export_to, base::json_text(json, 2) + '\n', {.what = "observations"});
  }
  if (request.forget) {
    store.forget();
    require_kept(store);
  }
  if (!store.why().empty()) answers::warn(request.listener, store.why());
  return answer;
}
}  // namespace sparsecast
