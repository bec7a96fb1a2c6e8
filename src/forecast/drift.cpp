#include "forecast/drift.hpp"

#include <fmt/format.h>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/generate.hpp>
#include <sstream>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/median.hpp"
#include "calibration/timing.hpp"
#include "forecast/record_choice.hpp"

namespace sparsecast::forecast {
namespace {
constexpr std::size_t most_products = 10, fewest_products = 3;
constexpr double most_probing_s = 0.5;
constexpr double hour_s = 3600;
// Small enough to be made and timed in some 20 ms, large enough to be more than the start of a loop.
constexpr std::int64_t fewest_nonzeros = 20'000, most_nonzeros = 200'000;

// Records of different matrices that can be made again, evenly from all that there are.
std::vector<const Record*> chosen(const Profile& profile, const RecordSet& from) {
  std::vector<const Record*> all;
  std::set<int> matrices;
  for (const Record& record : profile.records) {
    const BenchmarkMatrix& matrix = profile.matrices[static_cast<std::size_t>(record.matrix)];
    const bool made_here = !matrix.spec.kind.empty() && matrix.spec.kind != "imported";
    if (made_here && record.precision == from.precision && record.threads == from.threads && record.seconds > 0 &&
        matrix.structure.nonzeros >= fewest_nonzeros && matrix.structure.nonzeros <= most_nonzeros &&
        matrices.insert(record.matrix).second)
      all.push_back(&record);
  }
  std::vector<const Record*> some;
  const std::size_t count = std::min(most_products, all.size());
  for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

std::filesystem::path file_of(const Profile& profile, const FitOptions& options) {
  return base::home_folder() / "probes" /
         fmt::format("{}-{}-{}.json", profile.name, to_string(options.precision), options.threads);
}
}  // namespace

Drift judge_drift(std::span<const ProbedProduct> products) {
  std::vector<double> logs, widths;
  for (const ProbedProduct& product : products) {
    if (!(product.measured_s > 0) || !(product.recorded_s > 0)) continue;
    logs.push_back(std::log(product.measured_s / product.recorded_s));
    widths.push_back(product.half_width);
  }
  Drift drift;
  drift.products = static_cast<int>(logs.size());
  if (logs.empty()) return drift;
  const bool enough = logs.size() >= fewest_products;
  const double change = base::median(std::move(logs)), allowed = base::median(std::move(widths));
  drift.ratio = std::exp(change);
  drift.interval = std::expm1(allowed);
  drift.seen = enough && std::abs(change) > allowed;
  return drift;
}

std::vector<ProbedProduct> probe(hardware::Device& device, const Profile& profile, const FitOptions& options) {
  const double start = base::now_s();
  const RecordSet from = records_for(profile, options);
  const std::unique_ptr<FittedModel> model =
      fit_model(model_names().front(), profile, {from.precision, from.threads, options.notice});
  // As a quick calibration times them.
  calibration::TimingOptions timing;
  timing.block_s = 1e-3;
  timing.min_blocks = timing.max_blocks = 5;
  timing.max_s = most_probing_s / most_products;
  std::vector<ProbedProduct> products;
  for (const Record* record : chosen(profile, from)) {
    base::throw_if_interrupted();
    if (base::now_s() - start > most_probing_s) break;
    const BenchmarkMatrix& benchmark = profile.matrices[static_cast<std::size_t>(record->matrix)];
    const std::optional<Forecast> forecast = model->forecast(benchmark.structure, record->kernel);
    if (!forecast) continue;
    try {
      const Matrix matrix = generate(benchmark.spec, device.threads());
      const auto product = device.prepare(matrix, benchmark.structure, record->kernel, from.precision);
      hardware::Product* const one[] = {product.get()};
      products.push_back({record->seconds, calibration::time_interleaved(one, timing).front().seconds,
                          std::log(forecast->high_s / forecast->low_s) / 2});
    } catch (const Error& error) {
      // A recipe of another version of the program: the others will do.
      if (error.code() == ErrorCode::interrupted) throw;
    }
  }
  return products;
}

std::optional<Drift> recent_drift(const Profile& profile, const FitOptions& options, double now_s) try {
  const std::filesystem::path file = file_of(profile, options);
  if (!std::filesystem::exists(file)) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(base::read_file(file, {.most_bytes = 1 << 16}));
  const double age = now_s - json.at("at").get<double>();
  if (json.at("profile_taken").get<std::string>() != profile.taken || age < 0 || age > hour_s) return std::nullopt;
  return Drift{json.at("products").get<int>(), json.at("ratio").get<double>(), json.at("interval").get<double>(),
               json.at("seen").get<bool>()};
} catch (const std::exception&) {
  return std::nullopt;  // a damaged file is as good as none
}

void keep_drift(const Profile& profile, const FitOptions& options, double now_s, const Drift& drift) noexcept try {
  const nlohmann::json json{{"at", now_s},          {"profile_taken", profile.taken}, {"products", drift.products},
                            {"ratio", drift.ratio}, {"interval", drift.interval},     {"seen", drift.seen}};
  const std::filesystem::path file = file_of(profile, options);
  std::filesystem::create_directories(file.parent_path());
  base::write_file_atomically(file, json.dump());
} catch (const std::exception&) {
  // A folder that cannot be written is no error: the next forecast probes again.
}

bool just_taken(const Profile& profile, double now_s) {
  std::tm taken{};
  std::istringstream text(profile.taken);
  text >> std::get_time(&taken, "%Y-%m-%dT%H:%M:%SZ");
  if (!text) return false;
  const double age = now_s - static_cast<double>(timegm(&taken));
  return age >= 0 && age <= hour_s;
}
}  // namespace sparsecast::forecast
