#pragma once
// One search for a strategy, stage by stage: single kernels, the best cut, what comes of both.

#include <algorithm>

#include "planning/search/cost.hpp"
#include "planning/search/planner_parts.hpp"

namespace sparsecast {
namespace planning {
/// A block of a cut in its best kernel.
struct PricedBlock {
  std::int64_t first_strip = 1, last_strip = 1;
  double seconds = 0, conversion_s = 0;
  Structure rows = {};     ///< as the model saw them
  Forecast forecast = {};  ///< of those
  /// The best single kernel on the same rows: its share of a product, and that forecast's deviation; never where nobody
  /// asked or the kernel does not take them.
  double single_s = never, single_deviation = 1;
};
}  // namespace planning

// One search for a strategy, stage by stage; each stage adds to the strategy what the next one needs.
struct Planner::Parts::Search {
  Search(const Parts& used, const Matrix& of, const StrategyOptions& options);

  void rank_singles();
  void find_cut();
  void choose();
  void reorder();
  void give_reason();

  const Parts& parts;
  const Matrix& matrix;
  const StrategyOptions& wanted;
  const planning::Cost cost;
  Structure structure;
  std::optional<SingleKernel> plain_csr;   // of the default kernel, whether it may be taken or not
  std::vector<Forecast> whole;             // of every kernel for the whole matrix
  std::vector<planning::PricedBlock> cut;  // the best one
  double cut_s = 0, cut_conversion = 0;
  bool worthwhile = false;  // the best cut, beyond the forecast's uncertainty
  Strategy strategy;

 private:
  [[nodiscard]] std::vector<Forecast> forecast_whole();
  void drop_forms_of_short_rows(std::vector<Forecast>& forecasts) const;
  [[nodiscard]] const Forecast& best_single() const;
  [[nodiscard]] bool may_take(const std::string& kernel) const { return planning::may_take(wanted, kernel); }
  /// Those of blocks that may be taken.
  [[nodiscard]] std::vector<std::string> kernels_of_blocks() const;
  /// What may be cut: complex values, too, take one kernel.
  [[nodiscard]] bool plain() const {
    return ProductKind{wanted.vectors, wanted.transposed}.plain() && !is_complex(parts.options.precision);
  }
  [[nodiscard]] std::vector<planning::PricedBlock> cut_by_recurrence() const;
  [[nodiscard]] std::vector<planning::PricedBlock> cut_where_rows_change() const;
  [[nodiscard]] planning::PricedBlock priced_stretch(std::int64_t first, std::int64_t last) const;
  [[nodiscard]] PlannedBlock planned(std::int64_t first, std::int64_t last, const std::string& kernel, double seconds,
                                     double conversion_s) const;
  [[nodiscard]] double launch_s() const;
  [[nodiscard]] double slowed_by_longest_row() const;
  [[nodiscard]] double doubt_of_cut() const;
};
}  // namespace sparsecast
