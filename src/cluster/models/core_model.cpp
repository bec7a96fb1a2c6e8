#include "cluster/models/core_model.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>
#include <utility>

#include "cluster/models/nonnegative_fit.hpp"

namespace sparsecast::cluster {
namespace {
std::vector<const TimedBlock*> blocks_of(const ClusterProfile& profile, LocalFormat format) {
  std::vector<const TimedBlock*> blocks;
  for (const TimedBlock& block : profile.blocks)
    if (block.format == format) blocks.push_back(&block);
  return blocks;
}
}  // namespace

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
}  // namespace sparsecast::cluster
