#include "forecast/shipped/shipped_beside.hpp"

#include <fmt/format.h>
#include <set>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"
#include "calibration/shipped/stand_in.hpp"

namespace sparsecast::forecast {
namespace {
double median_of(const Eigen::VectorXd& values) { return base::median({values.begin(), values.end()}); }

std::size_t measured_matrices(const Profile& profile, const RecordSet& records) {
  std::set<int> matrices;
  for (const Record& record : profile.records)
    if (record.threads == records.threads && record.precision == records.precision) matrices.insert(record.matrix);
  return matrices.size();
}
}  // namespace

std::optional<ShippedBeside> ShippedBeside::of(const Profile& profile, const RecordSet& records) {
  if (profile.properties.kind != DeviceKind::host || records.precision != Precision::double_ ||
      profile.tier == Tier::shipped)
    return std::nullopt;
  const std::size_t measured = measured_matrices(profile, records);
  if (measured == 0 || measured >= constants::count<std::size_t>(constants::enough_without_shipped))
    return std::nullopt;
  const calibration::ShippedProcessor& processor = calibration::processor_like(profile);
  const auto text = processor.fits.find(records.threads);
  if (text == processor.fits.end() || processor.taken == profile.taken) return std::nullopt;
  ShippedBeside beside;
  beside.stamp_ = fmt::format("-{:016x}", std::hash<std::string_view>()(text->second));
  const TermChoice priors{PhysicalTerms(profile, records, true, false), PhysicalTerms(profile, records, true, true)};
  ShippedFits all = shipped_fits_from(text->second);
  beside.conversions_ = std::move(all.conversions);
  for (auto& [kernel, shipped] : all.kernels) {
    const Eigen::VectorXd& centre = priors(shipped.fit.longest_row).prior().centre;
    if (centre.size() != shipped.fit.parameters.size()) continue;  // of another program's terms
    shipped.fit.parameters += centre;
    beside.fits_.emplace(kernel, std::move(shipped.fit));
  }
  return beside;
}

const KernelFit* ShippedBeside::fit(const std::string& kernel) const {
  const auto found = fits_.find(kernel);
  return found == fits_.end() ? nullptr : &found->second;
}

Eigen::VectorXd ShippedBeside::errors(const std::string& kernel, const Observations& seen,
                                      const TermChoice& terms) const {
  const KernelFit* shipped = fit(kernel);
  if (shipped == nullptr || seen.size() == 0 || !seen.workloads.front().exact) return {};
  const PhysicalTerms& chosen = terms(shipped->longest_row);
  Eigen::VectorXd errors(static_cast<Eigen::Index>(seen.size()));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    errors[at] = seen.log_seconds[at] - shipped->estimate(seen.workloads[i], chosen).log;
  }
  return errors;
}

std::map<std::string, BesideWeight> weigh_shipped(const std::map<std::string, const KernelFit*>& own) {
  std::vector<double> levels;
  for (const auto& [kernel, fit] : own)
    if (fit->shipped_errors.size() > 0) levels.push_back(median_of(fit->shipped_errors));
  std::map<std::string, BesideWeight> weights;
  if (levels.empty()) return weights;
  // One for all: a level of each kernel's own, out of few matrices, puts kernels in the wrong order.
  const double level = base::median(std::move(levels));
  for (const auto& [kernel, fit] : own) {
    if (fit->shipped_errors.size() == 0) continue;
    // Out of few matrices the level is a part of each error that it is taken from.
    const double unseen = 2 * constants::shipped_doubt;
    const Eigen::VectorXd off = fit->shipped_errors.array() - level, sizes = off.cwiseAbs();
    const double there = mean_of_few(off, unseen), here = fit->held_back_error;
    weights[kernel] = {level, here * here / (here * here + there * there),
                       width_of_few({sizes.begin(), sizes.end()}, unseen)};
  }
  return weights;
}
}  // namespace sparsecast::forecast
