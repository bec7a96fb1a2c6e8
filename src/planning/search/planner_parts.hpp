#pragma once
// What a Planner holds: the fitted models of one device, one precision and one number of threads, and what they are
// asked of a matrix.

#include <sparsecast/plan.hpp>
#include <sparsecast/product.hpp>

#include "planning/search/numbers.hpp"

namespace sparsecast {
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
}  // namespace sparsecast
