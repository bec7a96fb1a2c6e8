#pragma once
// What the handles of the C interface stand for.

#include <cstdint>
#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/plan.hpp>
#include <variant>

#include "c_interface/handles.hpp"

namespace sparsecast::c_interface {

/// A matrix, of complex values its two parts, which share the pattern.
struct LentMatrix {
  Matrix real;
  std::optional<Matrix> imaginary = {};
  const void* pairs = nullptr;                      ///< the caller's, of complex values
  std::shared_ptr<const Matrix> pattern = nullptr;  ///< whose arrays the pattern is, where values were replaced
  std::int64_t copied_bytes = 0;                    ///< of the library's own

  [[nodiscard]] bool single() const { return std::holds_alternative<std::span<const float>>(real.values()); }
  [[nodiscard]] Precision precision() const { return single() ? Precision::single_ : Precision::double_; }
  [[nodiscard]] std::int64_t bytes() const;
};

/// The pattern of a matrix with as many other values of its type; with NULL in the same arrays.
[[nodiscard]] LentMatrix with_values(const LentMatrix& matrix, const void* values);

/// A plan, of complex values one of each part.
struct HeldPlan {
  LentMatrix matrix;
  Strategy strategy;  ///< whose texts callers hold
  Plan real;
  std::optional<Plan> imaginary = {};
};

template <>
struct Behind<sparsecast_matrix> {
  using type = LentMatrix;
  static constexpr unsigned kind = 1;
};
template <>
struct Behind<sparsecast_plan> {
  using type = HeldPlan;
  static constexpr unsigned kind = 2;
};
template <>
struct Behind<sparsecast_prediction> {
  using type = Prediction;
  static constexpr unsigned kind = 3;
};

}  // namespace sparsecast::c_interface
