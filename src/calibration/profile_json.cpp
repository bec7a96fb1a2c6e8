#include "calibration/profile_json.hpp"
#include "calibration/store.hpp"
#include "fields/curve.hpp"
#include "fields/matrix_spec.hpp"
#include "fields/micro_benchmark.hpp"
#include "fields/profile.hpp"
#include "fields/wording.hpp"

#include "base/files.hpp"
#include "base/guard/number_ranges.hpp"
#include "base/guard/parse_json.hpp"
#include "calibration/timing.hpp"
#include "fields/json.hpp"
#include "fields/tier.hpp"
#include "hardware/description.hpp"
#include "matrix/structure/structure_json.hpp"

namespace sparsecast {
namespace {
using nlohmann::ordered_json;

constexpr const char* schema_name = "sparsecast/profile/1";

// A wrong type or a missing key reads as nlohmann's message, with what was being read in front.
template <class Read>
auto reading(const char* what, Read&& read) {
  try {
    return read();
  } catch (const ordered_json::exception& wrong) {
    throw Error(ErrorCode::bad_input, fmt::format("{}: {}", what, base::json_reason(wrong)));
  }
}

// What a profile's conversions were made into. Files without the word hold times of memory used before, which tell
// little of what users wait for.
constexpr const char* fresh_conversions = "fresh memory";

// A GPU's clock beside the product, null where its driver does not tell.
ordered_json clock_json(const Record& record) {
  return record.step_s > 0 ? ordered_json(1 / record.step_s) : ordered_json(nullptr);
}

Record record_from(const ordered_json& value, std::size_t matrices) {
  auto record = fields::read_struct<Record>(value);
  if (static_cast<std::size_t>(record.matrix) >= matrices)
    throw Error(ErrorCode::bad_input, fmt::format("a record names matrix {} of {}", record.matrix, matrices));
  return record;
}
}  // namespace

Precision calibration::precision_from(std::string_view text) {
  if (text == "single") return Precision::single_;
  if (text == "double") return Precision::double_;
  throw Error(ErrorCode::bad_input, fmt::format("precision is 'single' or 'double', not '{}'", text));
}

ordered_json calibration::spec_to_json(const MatrixSpec& spec) { return fields::written(spec); }
ordered_json calibration::curve_to_json(const Curve& curve) { return fields::written(curve); }
ordered_json calibration::micro_benchmark_to_json(const MicroBenchmark& benchmark) {
  return fields::written(benchmark);
}

ordered_json calibration::profile_to_json(const Profile& profile) {
  ordered_json out{{"schema", schema_name},
                   {"name", profile.name},
                   {"properties", hardware::properties_to_json(profile.properties)},
                   {"software", profile.software},
                   {"taken", profile.taken},
                   {"conversions", fresh_conversions}};
  if (profile.tier != Tier::measured) out["tier"] = to_string(profile.tier);
  out["curves"] = ordered_json::array();
  for (const Curve& curve : profile.curves) out["curves"].push_back(calibration::curve_to_json(curve));
  if (!profile.micro_benchmarks.empty()) {
    auto& list = out["micro_benchmarks"] = ordered_json::array();
    for (const MicroBenchmark& benchmark : profile.micro_benchmarks)
      list.push_back(calibration::micro_benchmark_to_json(benchmark));
  }
  out["matrices"] = ordered_json::array();
  for (const BenchmarkMatrix& matrix : profile.matrices) {
    ordered_json entry{{"spec", calibration::spec_to_json(matrix.spec)},
                       {"structure", matrix::structure_to_json(matrix.structure)}};
    // σ and P of the papers: of the row lengths as they came out, not as they were asked for.
    entry["sigma"] = matrix.structure.row_std;
    entry["P"] = matrix.structure.row_mean;
    if (!matrix.twin_of.empty()) entry["twin_of"] = matrix.twin_of;
    out["matrices"].push_back(std::move(entry));
  }
  out["records"] = ordered_json::array();
  const bool cores = calibration::runs_on_cores(profile.properties);
  for (const Record& record : profile.records) {
    ordered_json entry = fields::written(record);
    if (profile.properties.kind != DeviceKind::host)
      entry["clock_hz"] = cores ? ordered_json(nullptr) : clock_json(record);
    out["records"].push_back(std::move(entry));
  }
  return out;
}

MatrixSpec calibration::spec_from_json(const ordered_json& value) { return fields::read_struct<MatrixSpec>(value); }

Curve calibration::curve_from_json(const ordered_json& value) {
  auto curve = fields::read_struct<Curve>(value);
  if (curve.x.size() != curve.y.size())
    throw Error(ErrorCode::bad_input,
                fmt::format("curve '{}' has {} x and {} y", curve.name, curve.x.size(), curve.y.size()));
  return curve;
}

MicroBenchmark calibration::micro_benchmark_from_json(const ordered_json& value) {
  auto benchmark = fields::read_struct<MicroBenchmark>(value);
  if (benchmark.longer.steps <= benchmark.shorter.steps)
    throw Error(ErrorCode::bad_input,
                fmt::format("micro-benchmark '{}': the longer run has no more steps than the shorter", benchmark.name));
  return benchmark;
}

Profile calibration::profile_from_json(const ordered_json& value) {
  return reading("profile", [&] {
    if (value.at("schema").get<std::string>() != schema_name)
      throw Error(ErrorCode::bad_input, fmt::format("schema is '{}', and this version reads '{}'",
                                                    value.at("schema").get<std::string>(), schema_name));
    base::check_ranges(value, base::schema_ranges("profile"));
    Profile profile;
    profile.name = value.at("name").get<std::string>();
    profile.properties = hardware::properties_from_json(value.at("properties"), {});
    profile.software = value.value("software", std::string());
    profile.taken = value.value("taken", std::string());
    const std::string tier = value.value("tier", std::string(to_string(Tier::measured)));
    if (std::ranges::none_of(std::array{Tier::measured, Tier::probe, Tier::table},
                             [&](Tier kept) { return tier == to_string(kept); }))
      throw Error(ErrorCode::bad_input, fmt::format("tier is 'measured', 'table' or 'probe', not '{}'", tier));
    profile.tier = tier_from(tier);
    for (const ordered_json& curve : value.value("curves", ordered_json::array()))
      profile.curves.push_back(calibration::curve_from_json(curve));
    for (const ordered_json& benchmark : value.value("micro_benchmarks", ordered_json::array()))
      profile.micro_benchmarks.push_back(calibration::micro_benchmark_from_json(benchmark));
    for (const ordered_json& matrix : value.at("matrices"))
      profile.matrices.push_back({calibration::spec_from_json(matrix.at("spec")),
                                  matrix::structure_from_json(matrix.at("structure")),
                                  matrix.value("twin_of", std::string())});
    const bool fresh = value.value("conversions", std::string()) == fresh_conversions;
    for (const ordered_json& record : value.at("records")) {
      profile.records.push_back(record_from(record, profile.matrices.size()));
      if (!fresh) profile.records.back().preprocess_s = 0;  // not measured so
    }
    return profile;
  });
}

Profile calibration::profile_from_text(std::string_view text, const std::string& file) {
  const wording::Text remedy = wording::ask("export_profile") + " writes a profile";
  const ordered_json document = base::parse_json(text, {file, remedy});
  try {
    return profile_from_json(document);
  } catch (const Error& wrong) {
    throw Error(wrong.code(), wrong.reason(), {file}, remedy);
  }
}

Profile read_profile(const std::filesystem::path& file) {
  return calibration::profile_from_text(base::read_file(file, {.what = "profile"}), file.string());
}

void write_profile(const Profile& profile, const std::filesystem::path& file) {
  base::write_file_atomically(file, base::json_text(calibration::profile_to_json(profile), 1) + '\n',
                              {.what = "profile"});
}
}  // namespace sparsecast
