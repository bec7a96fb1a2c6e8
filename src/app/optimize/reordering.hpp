#pragma once
// --reorder of optimize: rows within csr blocks (auto, never, always), or rows and columns of the whole matrix (no
// value: where it pays; rcm, metis, degree).

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <sparsecast/reorder.hpp>
#include <string>

#include "plan/reorder/measured_order.hpp"

namespace CLI {
class App;
}

namespace sparsecast::app {

/// What was typed behind --reorder; "auto" where it was not there, empty where nothing was.
struct ReorderArgument {
  std::string text = "auto";
  [[nodiscard]] Reorder of_rows() const;
  [[nodiscard]] bool of_matrix() const;
  [[nodiscard]] Ordering wanted() const;
};
void add_reorder_option(CLI::App& command, ReorderArgument& argument);

/// What is planned: the matrix as it is, or in another order.
struct InOrder {
  Matrix matrix;
  Strategy strategy;
  std::optional<Reordering> found;               ///< where orders of the matrix were asked for
  std::optional<planning::MeasuredOrder> truth;  ///< after measure()

  void measure(const Matrix& as_it_is, const Plan& plan);
  /// Lines for people; empty where nothing was asked for.
  [[nodiscard]] std::string text() const;
  /// Adds "reordering" and what belongs to it.
  void add_to(nlohmann::ordered_json& document) const;
};
InOrder plan_in_order(const Planner& planner, const Matrix& matrix, StrategyOptions options,
                      const ReorderArgument& argument);

}  // namespace sparsecast::app
