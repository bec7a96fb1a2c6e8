#pragma once
// What a Planner holds, and one search of it for a strategy.

#include <algorithm>
#include <memory>
#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "forecast/model_set.hpp"
#include "formats/kernels.hpp"
#include "plan/search/allowance.hpp"
#include "plan/search/block_times.hpp"
#include "plan/search/quick_forecast.hpp"
#include "plan/search/refined_cut.hpp"
#include "plan/search/strip_sums.hpp"

namespace sparsecast {

struct Planner::Parts {
  Parts(const Profile& from, Precision precision, int threads, const FitNotice& notice, const std::string& model)
      : profile(from),
        options{precision, threads, notice},
        asks_model(model != "best" && model != "sparsecast"),
        models(asks_model ? model : "sparsecast", from, options),
        kernels(forecast::kernels_of(from)),
        quick(from, options) {
    options.notice = {};  // it may refer to what does not outlive this call
    profile.records.clear();
    profile.matrices.clear();
  }

  Profile profile;  // without what the models were fitted to
  FitOptions options;
  bool asks_model;  // another model than the product's own: it is asked for every block
  forecast::ModelSet models;
  std::vector<std::string> kernels;  // that may multiply the whole matrix
  planning::QuickForecast quick;     // of those that may take blocks of it

  struct Search;
  // Whether the profile knows a kernel that is made for a structure.
  [[nodiscard]] bool knows_forms() const {
    return std::ranges::any_of(kernels, [](const std::string& kernel) {
      return formats::kernel_or_plain(kernel).made_for != formats::MadeFor::any;
    });
  }
  [[nodiscard]] bool on_host() const { return profile.properties.kind == DeviceKind::host; }
  [[nodiscard]] std::int64_t strip_rows(const Matrix& matrix, const StrategyOptions& wanted,
                                        const planning::Allowance& allowance) const;
  [[nodiscard]] Structure structure(const Matrix& matrix) const;
  [[nodiscard]] std::vector<Forecast> forecasts(const Structure& structure, const devices::ProductTask& task) const;
};

// One search for a strategy, stage by stage; each stage adds to the strategy what the next one needs.
struct Planner::Parts::Search {
  Search(const Parts& used, const Matrix& of, const StrategyOptions& options);

  void describe();
  void rank_singles();
  void find_best_cut();
  void refine_cut();
  void choose();
  void reorder();
  void give_reason();
  void find_break_even();

  const Parts& parts;
  const Matrix& matrix;
  const StrategyOptions& wanted;
  const planning::QuickForecast& quick;
  planning::Allowance allowance;
  std::int64_t strip_rows;
  planning::StripSums strips;
  Structure structure;
  planning::Gathering gathering;
  planning::Objective objective;
  std::vector<Forecast> whole;  // of every kernel for the whole matrix
  std::unique_ptr<planning::BlockPrices> times;
  double cut_s = 0, cut_conversion = 0;  // of the best cut
  bool refined = false;                  // the full models have forecast its blocks
  bool worthwhile = false;               // the best cut, beyond the forecast's uncertainty
  Strategy strategy;

 private:
  [[nodiscard]] std::vector<Forecast> forecast_whole();
  [[nodiscard]] std::vector<double> whole_seconds() const;
  [[nodiscard]] std::vector<bool> whole_only() const;
  [[nodiscard]] int quick_single() const;
  [[nodiscard]] bool plain() const { return devices::ProductTask{wanted.vectors, wanted.transposed}.plain(); }
  [[nodiscard]] std::unique_ptr<planning::BlockPrices> price_blocks() const;
  [[nodiscard]] double cost(double seconds, double conversion_s) const {
    return objective.product * seconds + objective.conversion * conversion_s;
  }
  [[nodiscard]] std::vector<PlannedBlock> blocks_of(const planning::Cut& cut) const;
  [[nodiscard]] std::vector<std::int64_t> borders_worth_refining() const;
  [[nodiscard]] std::vector<std::string> kernels_of_blocks() const;
  [[nodiscard]] double slowed_by_longest_row() const;
  [[nodiscard]] double deviation_of_single() const;
  [[nodiscard]] double doubt_of(const planning::RefinedCut& cut) const;
  void tell_gain(double doubt);
};

}  // namespace sparsecast
