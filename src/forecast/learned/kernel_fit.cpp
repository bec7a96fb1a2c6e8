#include "forecast/learned/kernel_fit.hpp"

#include <numeric>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"
#include "base/random.hpp"
#include "forecast/learned/residual_features.hpp"

namespace sparsecast::forecast {
namespace {
std::vector<bool> all_of(int families) { return std::vector<bool>(static_cast<std::size_t>(families), true); }

Eigen::VectorXd fit_terms(const Observations& seen, const PhysicalTerms& terms, const Eigen::VectorXd* start) {
  LogPrior prior = terms.prior();
  // The prior weighs as a part of one family does.
  prior.weight = constants::prior_weight * static_cast<double>(seen.size()) / std::max(1, seen.family_count());
  const LogFormula formula = terms.formula(seen.workloads);
  if (start != nullptr) return fit_log_formula(formula, seen.log_seconds, prior, *start, constants::usual_error);
  return fit_log_formula(formula, seen.log_seconds, prior, prior.centre, constants::usual_error);
}

Eigen::VectorXd physical_logs(const Observations& seen, const PhysicalTerms& terms, const Eigen::VectorXd& p) {
  Eigen::VectorXd logs;
  terms.formula(seen.workloads)(p, logs);
  return logs;
}

// Mean of the counted |log error| of the terms alone on families that they were not fitted to.
double held_back_error(const Observations& seen, const PhysicalTerms& terms, const Eigen::VectorXd& start) {
  const int families = seen.family_count(), folds = constants::count(constants::term_folds);
  double sum = 0;
  for (int fold = 0; fold < std::min(folds, families); ++fold) {
    std::vector<bool> keep(static_cast<std::size_t>(families)), drop(static_cast<std::size_t>(families));
    for (int f = 0; f < families; ++f) {
      keep[static_cast<std::size_t>(f)] = f % folds != fold;
      drop[static_cast<std::size_t>(f)] = !keep[static_cast<std::size_t>(f)];
    }
    const Observations rest = seen.subset(keep, seen.size()), held_back = seen.subset(drop, seen.size());
    if (rest.size() == 0 || held_back.size() == 0) continue;
    const Eigen::VectorXd p = fit_terms(rest, terms, &start);
    sum += (physical_logs(held_back, terms, p) - held_back.log_seconds)
               .array()
               .abs()
               .min(constants::most_counted_error)
               .sum();
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, seen.size()));
}

Covariance start_covariance(Eigen::Index features) {
  Covariance covariance;
  covariance.lengths = Eigen::VectorXd::Constant(features, constants::residual_length);
  return covariance;
}

// Everything that is learned beside the residual's weights, from the observations given.
struct Learned {
  bool longest_row = false;
  Eigen::VectorXd parameters;
  std::vector<Covariance> covariances;  // none: too few observations for a residual
  ExtraTrees trees;
};

// A random half of the families, another for every turn.
std::vector<bool> half_of(int families, int turn) {
  base::Random random(static_cast<std::uint64_t>(turn));
  std::vector<bool> kept(static_cast<std::size_t>(families));
  for (std::size_t f = 0; f < kept.size(); ++f) kept[f] = random.below(2) == 1;
  return kept;
}

Covariance covariance_of(const Observations& few, const PhysicalTerms& terms, const Learned& learned) {
  Eigen::MatrixXd x = features_of(few.workloads);
  x.rowwise() -= x.colwise().mean().eval();
  const Eigen::VectorXd y = few.log_seconds - physical_logs(few, terms, learned.parameters);
  const double centre = base::median({y.begin(), y.end()});
  return tune_covariance(start_covariance(x.cols()), x, (y.array() - centre).matrix(), few.families);
}

// Lengths tuned on one sample of the families fit its accidents: on another they came out differently, and single
// forecasts with them by tens of percent. The mean of several is steadier (bagging, Breiman 1996).
std::vector<Covariance> bagged_covariances(const Observations& all, const PhysicalTerms& terms,
                                           const Learned& learned) {
  std::vector<Covariance> covariances;
  const auto most = constants::count<std::size_t>(constants::observations_for_tuning / 2);
  for (int turn = 0; turn < constants::count(constants::tuned_processes); ++turn) {
    const Observations half = all.subset(half_of(all.family_count(), turn), most);
    if (can_learn_residual(half)) covariances.push_back(covariance_of(half, terms, learned));
  }
  return covariances;
}

Learned learn(const Observations& all, const TermChoice& terms) {
  Learned learned;
  const std::vector<bool> everyone = all_of(all.family_count());
  const Observations seen = all.subset(everyone, constants::count<std::size_t>(constants::observations_for_terms));
  learned.parameters = fit_terms(seen, terms.without, nullptr);
  if (all.family_count() >= constants::fewest_families && can_learn_residual(seen)) {
    const Eigen::VectorXd with = fit_terms(seen, terms.with, nullptr);
    if (held_back_error(seen, terms.with, with) <
        (1 - constants::worthwhile) * held_back_error(seen, terms.without, learned.parameters)) {
      learned.longest_row = true;
      learned.parameters = with;
    }
    const PhysicalTerms& chosen = terms(learned.longest_row);
    // What a feature record does not tell is noise to the residual; trees average it, and they learn from all records.
    // Where everything is counted they bring nothing, and cost every forecast more than all the rest of it.
    if (!all.workloads.front().exact) {
      learned.trees = {features_of(all.workloads), all.log_seconds - physical_logs(all, chosen, learned.parameters),
                       constants::count(constants::residual_trees)};
    } else if (all.family_count() >= constants::fewest_to_halve) {
      learned.covariances = bagged_covariances(all, chosen, learned);
    }
    // Beside trees, which are a mean of many already, one process.
    if (learned.covariances.empty())
      learned.covariances = {covariance_of(
          all.subset(everyone, constants::count<std::size_t>(constants::observations_for_tuning)), chosen, learned)};
  }
  return learned;
}

// A fit under construction: the factorised covariance of all observations, from which fits without one family follow.
class Study {
 public:
  Study(const Observations& all, const TermChoice& terms, const Learned& learned)
      : seen_(all.subset(all_of(all.family_count()),
                         constants::count<std::size_t>(constants::observations_for_residual))),
        terms_(terms(learned.longest_row)),
        learned_(learned),
        features_(features_of(seen_.workloads)),
        centre_(features_.colwise().mean()) {
    features_.rowwise() -= centre_.transpose();
    for (const Covariance& covariance : learned.covariances)
      processes_.emplace_back(covariance, features_, seen_.families);
  }

  // The fit of all observations, or without one family.
  [[nodiscard]] KernelFit fit(std::optional<int> left_out) const {
    KernelFit fit;
    fit.longest_row = learned_.longest_row;
    fit.centre = centre_;
    fit.parameters = left_out ? parameters_without(*left_out) : learned_.parameters;
    fit.trees = learned_.trees;
    fit.tree_parameters = learned_.parameters;
    if (processes_.empty()) return fit;
    Eigen::VectorXd y = seen_.log_seconds - physical_logs(seen_, terms_, fit.parameters);
    std::vector<double> rest;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (!left_out || seen_.families[i] != *left_out) rest.push_back(y[static_cast<Eigen::Index>(i)]);
    if (rest.empty()) return fit;
    fit.offset = base::median(std::move(rest));
    y.array() -= fit.offset;
    // A family that is left out has weight 0; its rows go, so that the range of the features is that of the others.
    std::vector<Eigen::Index> kept;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (!left_out || seen_.families[i] != *left_out) kept.push_back(static_cast<Eigen::Index>(i));
    fit.features = features_(kept, Eigen::all);
    std::vector<ProcessWeights> processes;
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      const Eigen::VectorXd weights = left_out ? processes_[p].weights_without(*left_out, y) : processes_[p].weights(y);
      processes.push_back({learned_.covariances[p], weights(kept)});
    }
    fit.processes = {fit.features, std::move(processes)};
    return fit;
  }

  // Judges every family by the fit without it and keeps the errors for the interval. A residual of few observations may
  // be worse than none: unless it lowers the error on the families held back, the terms stand alone.
  void judge(KernelFit& fit) const {
    const Eigen::Index count = static_cast<Eigen::Index>(seen_.size());
    Eigen::VectorXd errors(count), alone(count);
    for (int family = 0; family < seen_.family_count(); ++family) {
      KernelFit without = this->fit(family);
      without.trees = {};  // they have seen the family
      for (Eigen::Index i = 0; i < count; ++i)
        if (seen_.families[static_cast<std::size_t>(i)] == family) {
          const auto estimate = without.estimate(seen_.workloads[static_cast<std::size_t>(i)], terms_);
          errors[i] = std::abs(estimate.log - seen_.log_seconds[i]);
          alone[i] = std::abs(estimate.physical_log - seen_.log_seconds[i]);
        }
    }
    if (fit.trees.empty() && !is_less(errors, alone)) {
      fit.processes = {};
      fit.held_back_error = counted_mean(alone);
      fit.interval_factor = conformal_quantile(largest_of_families(alone), constants::interval_share);
      return;
    }
    fit.held_back_error = counted_mean(errors);
    fit.set_judged(features_, errors);
    fit.interval_factor = interval_factor(fit, errors);
  }

 private:
  [[nodiscard]] Eigen::VectorXd parameters_without(int family) const {
    // Where there are many families, the terms are fitted without a tenth of them at once: the one and some others.
    const bool many = seen_.family_count() > constants::many_families;
    const int folds = constants::count(constants::term_folds);
    if (many) {
      const auto known = fold_parameters_.find(family % folds);
      if (known != fold_parameters_.end()) return known->second;
    }
    std::vector<bool> keep = all_of(seen_.family_count());
    for (int f = 0; f < seen_.family_count(); ++f)
      if (many ? f % folds == family % folds : f == family) keep[static_cast<std::size_t>(f)] = false;
    const Observations rest = seen_.subset(keep, constants::count<std::size_t>(constants::observations_for_terms));
    Eigen::VectorXd parameters = rest.size() == 0 ? learned_.parameters : fit_terms(rest, terms_, &learned_.parameters);
    if (many) fold_parameters_.emplace(family % folds, parameters);
    return parameters;
  }

  // The unit of conformal prediction is the family, as a new matrix belongs to none: of every family the largest
  // |error| over the error expected at that place from the other families, then the 90 % quantile of those. The largest
  // and not a quantile, because imitations of a matrix vary less than real matrices of the same features do.
  [[nodiscard]] double interval_factor(const KernelFit& fit, const Eigen::VectorXd& errors) const {
    const double overall = errors.mean();
    Eigen::VectorXd scores(errors.size());
    for (Eigen::Index i = 0; i < errors.size(); ++i) {
      const Eigen::ArrayXd near = fit.judged_points.correlations(features_.row(i)).col(0);
      double weight = constants::overall_weight, sum = constants::overall_weight * overall;
      for (Eigen::Index j = 0; j < errors.size(); ++j) {
        if (seen_.families[static_cast<std::size_t>(j)] == seen_.families[static_cast<std::size_t>(i)]) continue;
        weight += near[j];
        sum += near[j] * errors[j];
      }
      scores[i] = errors[i] / std::max(sum / weight, 1e-9);
    }
    return conformal_quantile(largest_of_families(scores), constants::interval_share);
  }

  // By more than the standard error of the mean over families, as trees are pruned (Breiman et al. 1984, 3.4.3).
  [[nodiscard]] bool is_less(const Eigen::VectorXd& errors, const Eigen::VectorXd& than) const {
    const double most = constants::most_counted_error;
    std::vector<double> means;
    for (const std::vector<double>& gains : by_family(than.cwiseMin(most) - errors.cwiseMin(most)))
      means.push_back(std::accumulate(gains.begin(), gains.end(), 0.0) / static_cast<double>(gains.size()));
    const Eigen::Map<const Eigen::ArrayXd> of(means.data(), static_cast<Eigen::Index>(means.size()));
    const auto families = static_cast<double>(means.size());
    return of.mean() > std::sqrt((of - of.mean()).square().sum() / (families * std::max(1.0, families - 1)));
  }
  [[nodiscard]] std::vector<double> largest_of_families(const Eigen::VectorXd& of) const {
    std::vector<double> values;
    for (const std::vector<double>& family : by_family(of)) values.push_back(*std::ranges::max_element(family));
    return values;
  }
  // The numbers of each family that has some.
  [[nodiscard]] std::vector<std::vector<double>> by_family(const Eigen::VectorXd& of) const {
    std::vector<std::vector<double>> families(static_cast<std::size_t>(seen_.family_count()));
    for (Eigen::Index i = 0; i < of.size(); ++i)
      families[static_cast<std::size_t>(seen_.families[static_cast<std::size_t>(i)])].push_back(of[i]);
    std::erase_if(families, [](const std::vector<double>& family) { return family.empty(); });
    return families;
  }

  Observations seen_;
  const PhysicalTerms& terms_;
  Learned learned_;
  Eigen::MatrixXd features_;
  Eigen::VectorXd centre_;
  std::vector<GaussianProcess> processes_;
  mutable std::map<int, Eigen::VectorXd> fold_parameters_;  // of parameters_without, by fold
};

// Where a residual could not be learned: by what the terms are off on each family when they are fitted without it.
void judge_terms_alone(KernelFit& fit, const Observations& seen, const PhysicalTerms& terms) {
  Eigen::VectorXd errors = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(seen.size()));
  std::vector<double> largest(static_cast<std::size_t>(seen.family_count()));
  for (int family = 0; family < seen.family_count(); ++family) {
    std::vector<bool> keep = all_of(seen.family_count());
    keep[static_cast<std::size_t>(family)] = false;
    const Observations rest = seen.subset(keep, constants::count<std::size_t>(constants::observations_for_terms));
    const Eigen::VectorXd parameters = rest.size() == 0 ? terms.prior().centre : fit_terms(rest, terms, nullptr);
    const Eigen::VectorXd off = (physical_logs(seen, terms, parameters) - seen.log_seconds).cwiseAbs();
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen.families[i] == family) {
        errors[static_cast<Eigen::Index>(i)] = off[static_cast<Eigen::Index>(i)];
        double& most = largest[static_cast<std::size_t>(family)];
        most = std::max(most, off[static_cast<Eigen::Index>(i)]);
      }
  }
  const double unseen = std::log(constants::prior_doubt);
  fit.interval_factor = width_of_few(std::move(largest), unseen);
  fit.held_back_error = mean_of_few(errors, unseen);
}
}  // namespace

double counted_mean(const Eigen::VectorXd& errors) {
  return errors.size() == 0 ? 0 : errors.array().abs().min(constants::most_counted_error).mean();
}

double mean_of_few(const Eigen::VectorXd& errors, double unseen) {
  const auto count = static_cast<double>(errors.size());
  return (count * counted_mean(errors) + unseen / 2) / (count + 1);
}

double width_of_few(std::vector<double> sizes, double unseen) {
  const double least = unseen / std::sqrt(static_cast<double>(sizes.size()) + 1);
  if (sizes.empty()) return least;
  const double usual = base::median(sizes), largest = std::ranges::max(sizes);
  const double width = conformal_quantile(std::move(sizes), constants::interval_share);
  return std::max(least, width < largest ? width : std::min(width, constants::odd_error * usual));
}

double conformal_quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const auto k = static_cast<std::size_t>(std::ceil(static_cast<double>(values.size() + 1) * q));
  return values[std::min(values.size(), std::max<std::size_t>(k, 1)) - 1];
}

void KernelFit::set_judged(Eigen::MatrixXd at, Eigen::VectorXd log_errors) {
  judged_features = std::move(at);
  judged_errors = std::move(log_errors);
  Eigen::ArrayXd logs = Eigen::ArrayXd::Zero(judged_features.cols());
  for (const ProcessWeights& process : processes.processes()) logs += process.covariance.lengths.array().log();
  const auto count = static_cast<double>(std::max<std::size_t>(1, processes.processes().size()));
  judged_points = {judged_features, {(logs / count).exp().matrix()}};
}

KernelFit::Estimate KernelFit::estimate(const Workload& workload, const PhysicalTerms& terms) const {
  Estimate estimate;
  estimate.physical_log = estimate.log = terms.log_seconds(workload, parameters);
  estimate.half_width = interval_factor;
  if (processes.empty()) return estimate;
  Eigen::RowVectorXd x = (residual_features(workload) - centre).transpose();
  // Beyond the benchmark matrices the process forgets what it learned with the distance and leaves the word to the
  // physical terms; only its linear part would go on, and is held at the edge.
  Eigen::RowVectorXd held = x;
  double beyond = 0;  // how far, in the features' own unit
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double low = processes.points().low()[j] - constants::trusted_margin;
    const double high = processes.points().high()[j] + constants::trusted_margin;
    if (x[j] < low || x[j] > high) estimate.extrapolated = true;
    held[j] = std::clamp(x[j], low, high);
    beyond = std::hypot(beyond, x[j] - held[j]);
  }
  estimate.log += offset + processes(x, held);
  if (!trees.empty()) {
    const double by_trees =
        terms.log_seconds(workload, tree_parameters) + trees.predict(residual_features(workload).transpose());
    estimate.log = (estimate.log + by_trees) / 2;
  }
  if (judged_errors.size() == 0) return estimate;
  const Eigen::VectorXd near = judged_points.correlations(x).col(0);
  const double others = constants::overall_weight;
  const double local = (near.dot(judged_errors) + others * judged_errors.mean()) / (near.sum() + others);
  estimate.half_width = interval_factor * std::max(local, 1e-9) * (1 + constants::interval_growth * beyond);
  return estimate;
}

bool can_learn_residual(const Observations& observations) {
  return static_cast<double>(observations.size()) >= constants::fewest_to_learn;
}

KernelFit fit_kernel(const Observations& observations, const TermChoice& terms) {
  const Learned learned = learn(observations, terms);
  const Study study(observations, terms, learned);
  KernelFit fit = study.fit({});
  if (!learned.covariances.empty()) {
    study.judge(fit);
  } else {
    judge_terms_alone(fit, observations, terms(fit.longest_row));
  }
  return fit;
}

std::vector<KernelFit> fit_kernel_without_each(const Observations& observations, const TermChoice& terms,
                                               const std::vector<int>& families) {
  std::vector<KernelFit> fits(families.size());
  const int folds = constants::count(constants::leave_out_folds);
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> wanted;
    std::vector<bool> keep = all_of(observations.family_count());
    for (std::size_t i = 0; i < families.size(); ++i) {
      if (static_cast<int>(i) % folds != fold) continue;
      wanted.push_back(i);
      keep[static_cast<std::size_t>(families[i])] = false;
    }
    if (wanted.empty()) continue;
    const Observations rest = observations.subset(keep, observations.size());
    if (rest.size() == 0) continue;
    const Learned learned = learn(rest, terms);
    KernelFit judged;
    if (!learned.covariances.empty()) {
      const Study without_fold(rest, terms, learned);
      judged = without_fold.fit({});
      without_fold.judge(judged);
    } else {
      judged.parameters = learned.parameters;
      judge_terms_alone(judged, rest, terms(learned.longest_row));
    }
    const Study study(observations, terms, learned);
    for (const std::size_t i : wanted) {
      fits[i] = study.fit(families[i]);
      fits[i].interval_factor = judged.interval_factor;
      if (judged.processes.empty()) {
        fits[i].processes = {};
        continue;
      }
      // The held-back errors stand in the coordinates of their own centre.
      Eigen::MatrixXd at = judged.judged_features;
      if (at.size() > 0) at.rowwise() += (judged.centre - fits[i].centre).transpose();
      fits[i].set_judged(std::move(at), judged.judged_errors);
    }
  }
  return fits;
}
}  // namespace sparsecast::forecast
