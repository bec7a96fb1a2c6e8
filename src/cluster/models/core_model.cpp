#include "cluster/models/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"


namespace sparsecast::cluster {
std::vector<double> fit_nonnegative(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                                    std::span<const double> prior, double pull, double stiffness) {
  const std::size_t terms = prior.size();
  std::vector<double> c(prior.begin(), prior.end());
  if (rows.empty()) return c;
  // Normal equations of the relative residuals.
  std::vector<double> gram(terms * terms, 0.0), right(terms, 0.0), share(terms, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < terms; ++j) {
      const double a = rows[i][j] / y[i];
      right[j] += a;
      share[j] += std::abs(a) / static_cast<double>(rows.size());
      for (std::size_t k = 0; k < terms; ++k) gram[j * terms + k] += a * rows[i][k] / y[i];
    }
  for (std::size_t j = 0; j < terms; ++j) {
    const double weight = pull * share[j] * share[j] + (prior[j] > 0 ? std::pow(stiffness / prior[j], 2) : 0);
    gram[j * terms + j] += weight;
    right[j] += weight * prior[j];
  }
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0;
    for (std::size_t j = 0; j < terms; ++j) {
      if (gram[j * terms + j] <= 0) continue;
      double rest = right[j];
      for (std::size_t k = 0; k < terms; ++k)
        if (k != j) rest -= gram[j * terms + k] * c[k];
      const double next = std::max(0.0, rest / gram[j * terms + j]);
      moved = std::max(moved, std::abs(next - c[j]) * share[j]);
      c[j] = next;
    }
    if (moved < 1e-9) break;
  }
  return c;
}

std::vector<double> CoreModel::terms(const BlockFeatures& block, LocalFormat format, double learned_bits) const {
  const double stream = stored_bytes(block, format), footprint = footprint_bytes(block, format);
  // An iterated product repeats its branches: a predictor holds the row lengths of a block up to its capacity, and then
  // mispredicts the changes, soon at most and in the end at all.
  const auto& [soon, later, at_last] = constants::forgetting;
  const double full = block.length_bits / learned_bits - 1;
  std::vector<double> t{1, block.rows, block.nonzeros, block.listed_rows};
  if (format == LocalFormat::csr) {
    t.insert(t.end(), {block.length_changes, block.length_changes * std::clamp(full / soon, 0.0, 1.0),
                       block.length_changes * std::clamp(full / later, 0.0, 1.0),
                       block.length_changes * std::clamp(full / at_last, 0.0, 1.0)});
  } else {
    // No branch depends on a row, but each entry waits for the store of the one before it in its row: the longer the
    // rows, the fewer rows overlap.
    for (const double overlapped : {2, 4, 8}) t.push_back(std::max(0.0, block.nonzeros - overlapped * block.rows));
  }
  t.push_back(block.chained_nonzeros);
  for (std::size_t level = 0; level < caches_.bytes.size(); ++level) {
    t.push_back(stream * share_beyond(footprint, static_cast<double>(caches_.bytes[level])));
    t.push_back(block.misses[level]);
  }
  return t;
}

namespace {
std::vector<const TimedBlock*> blocks_of(const ClusterProfile& profile, LocalFormat format) {
  std::vector<const TimedBlock*> blocks;
  for (const TimedBlock& block : profile.blocks)
    if (block.format == format) blocks.push_back(&block);
  return blocks;
}
}  // namespace

CoreModel::CoreModel(const ClusterProfile& profile)
    : caches_(profile.caches), rates_(profile.node), cores_per_node_(profile.cores_per_node) {
  for (const LocalFormat format : all_formats()) {
    const std::vector<const TimedBlock*> blocks = blocks_of(profile, format);
    if (blocks.empty()) continue;
    // How much the predictor remembers is on no data sheet: the capacity that fits best is taken.
    for (double learned = 4096; learned <= 524288; learned *= std::exp2(1. / 8)) {
      Fit fit = fitted(blocks, format, learned);
      if (const auto found = fits_.find(format); found == fits_.end() || fit.error < found->second.error)
        fits_.insert_or_assign(format, std::move(fit));
    }
  }
}

CoreModel::CoreModel(const ClusterProfile& profile, const CoreModel& like)
    : caches_(profile.caches), rates_(profile.node), cores_per_node_(profile.cores_per_node) {
  for (const auto& [format, fit] : like.fits_) {
    const std::vector<const TimedBlock*> blocks = blocks_of(profile, format);
    if (!blocks.empty()) fits_.insert_or_assign(format, fitted(blocks, format, fit.learned_bits));
  }
}

CoreModel::Fit CoreModel::fitted(const std::vector<const TimedBlock*>& blocks, LocalFormat format,
                                 double learned) const {
  std::vector<std::vector<double>> rows;
  std::vector<double> y;
  for (const TimedBlock* block : blocks) {
    rows.push_back(terms(block->features, format, learned));
    y.push_back(block->seconds);
  }
  const std::vector<double> prior(rows[0].size(), 0.0);
  Fit fit{fit_nonnegative(rows, y, prior, 1e-3), learned, 0};
  // Once more with the worst tenth of the blocks left out: a disturbed timing is no property of the machine.
  std::vector<std::pair<double, std::size_t>> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < rows[i].size(); ++j) sum += fit.coefficients[j] * rows[i][j];
    errors.emplace_back(std::abs(std::log(std::max(sum, 1e-9) / y[i])), i);
  }
  std::ranges::sort(errors);
  std::vector<std::vector<double>> good_rows;
  std::vector<double> good_y;
  for (std::size_t k = 0; k < (errors.size() * 9 + 9) / 10; ++k) {
    good_rows.push_back(rows[errors[k].second]);
    good_y.push_back(y[errors[k].second]);
    fit.error += errors[k].first;
  }
  fit.error /= static_cast<double>(good_y.size());
  fit.coefficients = fit_nonnegative(good_rows, good_y, prior, 1e-3);
  return fit;
}

double CoreModel::seconds(const BlockFeatures& block, LocalFormat format) const {
  const auto found = fits_.find(format);
  if (found == fits_.end() || block.rows == 0) return 0;
  const std::vector<double> t = terms(block, format, found->second.learned_bits);
  double sum = 0;
  for (std::size_t j = 0; j < t.size(); ++j) sum += found->second.coefficients[j] * t[j];
  return sum;
}

double CoreModel::shared_seconds(const BlockFeatures& block, LocalFormat format, int busy) const {
  const double alone = seconds(block, format);
  return alone > 0 ? alone + sharing_seconds(block, format, rates_, caches_, busy) : 0;
}

double CoreModel::rank_seconds(const RankFeatures& rank, LocalFormat format, int busy) const {
  return shared_seconds(rank.own, format, busy) + seconds_around_messages(rank, format, busy);
}

double CoreModel::seconds_around_messages(const RankFeatures& rank, LocalFormat format, int busy) const {
  double sum = 0;
  if (rank.remote.nonzeros > 0) sum += shared_seconds(rank.remote, format, busy);
  // Packing gathers one entry per entry sent, as a product with one non-zero in each row would.
  if (rank.sent > 0) sum += seconds({rank.sent, rank.sent, 0, 0, 0, 0, 0, {}}, LocalFormat::csr);
  return sum;
}

double CoreModel::slowest(const SchemeFeatures& features, LocalFormat format) const {
  return slowest_of(features, format, &CoreModel::rank_seconds);
}

double CoreModel::slowest_around_messages(const SchemeFeatures& features, LocalFormat format) const {
  return slowest_of(features, format, &CoreModel::seconds_around_messages);
}

double CoreModel::slowest_of(const SchemeFeatures& features, LocalFormat format, SecondsOfRank seconds_of) const {
  const int busy = busy_ranks(features.processes, cores_per_node_);
  double most = 0;
  for (const RankFeatures& rank : features.ranks) most = std::max(most, (this->*seconds_of)(rank, format, busy));
  return most;
}

double NodeBlend::seconds(double by_blocks, double by_node) const {
  if (weight == 0 || by_node <= 0) return by_blocks;
  if (weight == 1) return scale * by_node;
  return std::pow(by_blocks, 1 - weight) * std::pow(scale * by_node, weight);
}

namespace {
// What runs say of the node's forecasts, beside one that stands for many runs: all of a calibration share the state
// that the machine was in. Ranks that share a core take a whole number of times as long, and that stays.
double drawn_to_one(double ratio, std::size_t runs) {
  const double shared = ratio > constants::node_shared ? std::round(ratio) : 1, count = static_cast<double>(runs);
  return shared * std::pow(ratio / shared, count / (count + constants::node_runs));
}
}  // namespace

NodeBlend fit_blend(std::span<const BlendSample> samples) {
  // The blocks are taken in only where many runs err clearly less by them: blocks know no machine beside this one.
  constexpr std::size_t fewest = 3, many = 15;
  std::vector<double> of_blocks, of_node;
  for (const BlendSample& s : samples) {
    if (s.measured <= 0 || s.by_node <= 0) continue;
    of_node.push_back(std::log(s.measured / s.by_node));
    if (s.by_blocks > 0) of_blocks.push_back(std::log(s.measured / s.by_blocks));
  }
  if (of_node.size() < fewest) return {};
  const double middle_node = base::median(of_node);
  const NodeBlend by_node{1, drawn_to_one(std::exp(middle_node), of_node.size())};
  if (of_blocks.size() < std::max(many, of_node.size())) return by_node;
  const double middle_blocks = base::median(of_blocks);
  const auto error = [&](double weight) {
    std::vector<double> errors;
    for (std::size_t k = 0; k < of_blocks.size(); ++k)
      errors.push_back(std::abs((1 - weight) * (of_blocks[k] - middle_blocks) + weight * (of_node[k] - middle_node)));
    return base::median(errors);
  };
  NodeBlend best = by_node;
  double least = constants::blocks_clearly * error(1);
  for (double weight = 0; weight < 1; weight += 1. / 4)
    if (error(weight) < least) {
      least = error(weight);
      best = {weight, std::exp(middle_node - middle_blocks)};
    }
  return best;
}
}  // namespace sparsecast::cluster
