#pragma once
// What a Planner holds, and one search of it for a strategy.

#include <sparsecast/plan.hpp>

#include "planning/search/numbers.hpp"

namespace sparsecast {
namespace planning {
/// Rows like these, so many times as many; what is counted is multiplied, shares stay.
[[nodiscard]] Structure repeated(const Structure& rows, double times);

/// Standard deviation of the error of log(seconds), from the forecast's interval.
[[nodiscard]] double deviation_of(const Forecast& forecast);

/// Strategy::break_even, by what is predicted or was measured.
void find_break_even(Strategy& strategy);

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

struct Planner::Parts {
  Parts(const Profile& from, Precision precision, int threads, const FitNotice& notice, const std::string& model);

  Profile profile;  // without what the models were fitted to
  FitOptions options;
  bool asks_model;  // another model than the product's own: it is asked for every block
  forecast::ModelSet models;
  std::vector<std::string> kernels;  // that may multiply the whole matrix

  struct Search;
  [[nodiscard]] bool on_host() const { return profile.properties.kind == DeviceKind::host; }
  [[nodiscard]] std::int64_t strip_rows(const Matrix& matrix, const StrategyOptions& wanted) const;
  [[nodiscard]] Structure structure(const Matrix& matrix, std::int64_t iterations = 0) const;
  [[nodiscard]] Structure structure_of_block(const Matrix& rows) const;
  [[nodiscard]] std::vector<Forecast> forecasts(const Structure& structure, const ProductKind& task) const;
  [[nodiscard]] std::vector<std::string> kernels_of_blocks() const;
};

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
  Structure structure;
  std::vector<Forecast> whole;             // of every kernel for the whole matrix
  std::vector<planning::PricedBlock> cut;  // the best one
  double cut_s = 0, cut_conversion = 0;
  bool worthwhile = false;  // the best cut, beyond the forecast's uncertainty
  Strategy strategy;

 private:
  [[nodiscard]] std::vector<Forecast> forecast_whole();
  [[nodiscard]] const Forecast& best_single() const;
  /// What may be cut: complex values, too, take one kernel.
  [[nodiscard]] bool plain() const {
    return ProductKind{wanted.vectors, wanted.transposed}.plain() && !is_complex(parts.options.precision);
  }
  [[nodiscard]] double cost(double seconds, double conversion_s) const {
    return wanted.iterations > 0 ? planning::number(wanted.iterations) * seconds + conversion_s : seconds;
  }
  [[nodiscard]] double cost(const Forecast& forecast) const {
    return cost(forecast.seconds, forecast.preprocess_s.value_or(0));
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
