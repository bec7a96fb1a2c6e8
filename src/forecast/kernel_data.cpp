#include "forecast/kernel_data.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "base/median.hpp"
#include "forecast/physical/at_speed.hpp"
#include "forecast/physical/workload.hpp"

namespace sparsecast::forecast {
namespace {
bool fits(const Record& record, const RecordSet& records) {
  return record.precision == records.precision && record.threads == records.threads && record.seconds > 0;
}

// A disturbed measurement says nothing: blocks that scatter by more than a fifth, and far more than is usual here.
double most_spread(const Profile& profile, const RecordSet& records, const std::string& kernel) {
  std::vector<double> spreads{0};
  for (const Record& record : profile.records)
    if (record.kernel == kernel && fits(record, records)) spreads.push_back(record.spread);
  return std::max(constants::most_spread, constants::spread_of_usual * base::median(std::move(spreads)));
}

// Nor does one that moved its bytes in less time than the device takes to read as many: the difference of two disturbed
// runs. The margin is for what the kernels' prefetching gains over the loop that measured the bandwidth. On the host
// alone: what a driver makes of that loop is no bound for what it makes of others (PoCL reads 2 GB/s with it).
bool impossible(const Profile& profile, const RecordSet& records, const Workload& w, double seconds) {
  const Curve* curve = profile.curve("read_bandwidth", records.threads);
  if (!w.exact || w.gpu || curve == nullptr || !base::usable(*curve)) return false;
  return w.format_bytes / seconds >
         constants::most_over_read * base::value_at(*curve, constants::footprint_read * w.format_bytes);
}

// The papers' grids have constant, normal and uniform rows at random columns. They are for the papers' lines; beside
// enough matrices of the survey they teach ours nothing (benchmarks/forecaster/bench_learning), and every record costs
// each forecast time.
bool in_grid(const Profile& profile, const Record& record) {
  return profile.matrices[static_cast<std::size_t>(record.matrix)].spec.strips > 0;
}

bool survey_is_enough(const Profile& profile, const RecordSet& records, const std::string& kernel) {
  return std::ranges::count_if(profile.records, [&](const Record& record) {
           return record.kernel == kernel && fits(record, records) && !in_grid(profile, record);
         }) >= static_cast<std::ptrdiff_t>(constants::survey_enough);
}
}  // namespace

std::string family_of(const BenchmarkMatrix& matrix) {
  if (!matrix.twin_of.empty()) return matrix.twin_of;
  const MatrixSpec& spec = matrix.spec;
  if (spec.kind.empty() || spec.kind == "imported") return matrix.structure.name;
  return spec.kind + "/" + std::to_string(spec.row_length) + "/" + spec.parameters.json();
}

std::string column_of(const BenchmarkMatrix& matrix, const std::string& column) {
  return column == "twin_of" ? matrix.twin_of : matrix.structure.name;
}

KernelData kernel_data(const Profile& profile, const RecordSet& records, const std::string& kernel,
                       const std::function<std::string(const BenchmarkMatrix&)>& family) {
  KernelData data;
  std::vector<double> logs;
  const double bound = most_spread(profile, records, kernel), step = reference_step(profile, records);
  const bool survey_alone = survey_is_enough(profile, records, kernel);
  for (const Record& record : profile.records) {
    if (record.kernel != kernel || !fits(record, records) || record.spread > bound) continue;
    if (survey_alone && in_grid(profile, record)) continue;
    const BenchmarkMatrix& matrix = profile.matrices[static_cast<std::size_t>(record.matrix)];
    if (matrix.structure.nonzeros == 0) continue;
    Workload w = workload(matrix.structure, kernel, profile.properties, records.precision, records.threads);
    w.launch_s = record.launch_s;
    const double seconds = record.seconds * speed_factor(profile.properties, w.format_bytes, record.step_s, step);
    if (impossible(profile, records, w, seconds)) continue;
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

std::vector<std::string> kernels_with_records(const Profile& profile, const RecordSet& records) {
  std::set<std::string> kernels;
  for (const Record& record : profile.records)
    if (fits(record, records)) kernels.insert(record.kernel);
  return {kernels.begin(), kernels.end()};
}
}  // namespace sparsecast::forecast
