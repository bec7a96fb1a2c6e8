#include "forecast/record_choice.hpp"

#include <set>

#include "base/curve.hpp"
#include "base/median.hpp"

namespace sparsecast::forecast {
namespace {
// Fewer are fitted before a line about it is read.
constexpr std::size_t many_records = 150;

bool has_own(const Profile& profile, const FitOptions& options) {
  return std::ranges::any_of(profile.records, [&](const Record& record) {
    return record.precision == options.precision && record.threads == options.threads;
  });
}

bool fits(const Record& record, const FitOptions& options) {
  return record.precision == options.precision && record.threads == options.threads && record.seconds > 0;
}

// A disturbed measurement says nothing: blocks that scatter by more than a fifth, and far more than is usual here.
double most_spread(const Profile& profile, const FitOptions& options, const std::string& kernel) {
  std::vector<double> spreads{0};
  for (const Record& record : profile.records)
    if (record.kernel == kernel && fits(record, options)) spreads.push_back(record.spread);
  return std::max(constants::most_spread, 4 * base::median(std::move(spreads)));
}

// Nor does one that moved its bytes in less time than the device takes to read as many: the difference of two disturbed
// runs. The margin is for what the kernels' prefetching gains over the loop that measured the bandwidth. On the host
// alone: what a driver makes of that loop is no bound for what it makes of others (PoCL reads 2 GB/s with it).
bool impossible(const Profile& profile, const FitOptions& options, const Workload& w, double seconds) {
  const Curve* curve = profile.curve("read_bandwidth", options.threads);
  if (!w.exact || w.gpu || curve == nullptr || !base::usable(*curve)) return false;
  return w.format_bytes / seconds > constants::most_over_read * base::value_at(*curve, w.format_bytes / 2);
}

// The papers' grids have constant, normal and uniform rows at random columns. They are for the papers' lines; beside
// enough matrices of the survey they teach ours nothing (benchmarks/forecaster/bench_learning), and every record costs
// each forecast time.
bool in_grid(const Profile& profile, const Record& record) {
  return profile.matrices[static_cast<std::size_t>(record.matrix)].spec.strips > 0;
}

bool survey_is_enough(const Profile& profile, const FitOptions& options, const std::string& kernel) {
  constexpr int enough = 60;
  return std::ranges::count_if(profile.records, [&](const Record& record) {
           return record.kernel == kernel && fits(record, options) && !in_grid(profile, record);
         }) >= enough;
}
}  // namespace

FitOptions records_for(const Profile& profile, const FitOptions& asked) {
  FitOptions from = asked;
  // Complex ones in double precision tell more of single than real ones do.
  for (const Precision other : {Precision::complex_double_, Precision::double_}) {
    if (has_own(profile, from)) break;
    if (is_complex(asked.precision) || !is_complex(other)) from.precision = other;
  }
  return from;
}

bool has_records(const Profile& profile, const FitOptions& asked) {
  return has_own(profile, records_for(profile, asked));
}

void take_values_of(Precision precision, formats::Workload& w) {
  constexpr double of_double = 12;  // bytes of an entry
  const double bytes = value_bytes(precision);
  w.slots *= (bytes + 4) / of_double;
  w.cols *= bytes / 8;
  w.footprint_bytes = (bytes + 4) * w.nonzeros + (bytes + 4) * w.rows + 8 * w.cols;
}

void FitAnnouncement::before_fit(std::size_t records) {
  if (!notice_ || records < many_records) return;
  std::call_once(once_, [&] {
    notice_("fitting the forecasts of " + profile_ + ": some seconds, once for each state of its measurements");
  });
}

std::string family_of(const BenchmarkMatrix& matrix) {
  if (!matrix.twin_of.empty()) return matrix.twin_of;
  const MatrixSpec& spec = matrix.spec;
  if (spec.kind.empty() || spec.kind == "imported") return matrix.structure.name;
  return spec.kind + "/" + std::to_string(spec.row_length) + "/" + spec.parameters;
}

std::string column_of(const BenchmarkMatrix& matrix, const std::string& column) {
  return column == "twin_of" ? matrix.twin_of : matrix.structure.name;
}

KernelData kernel_data(const Profile& profile, const FitOptions& options, const std::string& kernel,
                       const std::function<std::string(const BenchmarkMatrix&)>& family) {
  KernelData data;
  std::vector<double> logs;
  const double bound = most_spread(profile, options, kernel), step = reference_step(profile, options);
  const bool survey_alone = survey_is_enough(profile, options, kernel);
  for (const Record& record : profile.records) {
    if (record.kernel != kernel || !fits(record, options) || record.spread > bound) continue;
    if (survey_alone && in_grid(profile, record)) continue;
    const BenchmarkMatrix& matrix = profile.matrices[static_cast<std::size_t>(record.matrix)];
    if (matrix.structure.nonzeros == 0) continue;
    Workload w = workload(matrix.structure, kernel, profile.properties, options.precision, options.threads);
    w.launch_s = record.launch_s;
    const double seconds = record.seconds * speed_factor(profile.properties, w.format_bytes, record.step_s, step);
    if (impossible(profile, options, w, seconds)) continue;
    const int number = data.families.emplace(family(matrix), static_cast<int>(data.families.size())).first->second;
    data.observations.workloads.push_back(w);
    data.observations.families.push_back(number);
    logs.push_back(std::log(seconds));
    data.fastest_rate = std::max(data.fastest_rate, (w.exact ? w.format_bytes : w.footprint_bytes) / seconds);
  }
  data.observations.log_seconds =
      Eigen::Map<const Eigen::VectorXd>(logs.data(), static_cast<Eigen::Index>(logs.size()));
  return data;
}

std::vector<std::string> kernels_with_records(const Profile& profile, const FitOptions& options) {
  std::set<std::string> kernels;
  for (const Record& record : profile.records)
    if (fits(record, options)) kernels.insert(record.kernel);
  return {kernels.begin(), kernels.end()};
}
}  // namespace sparsecast::forecast
