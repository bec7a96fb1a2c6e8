#pragma once
// What the handles of the C interface stand for.

#include <cstdint>
#include <memory>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/plan.hpp>

#include "c_interface/handles.hpp"

namespace sparsecast::c_interface {

/// A matrix that callers lent, or that the library made.
struct LentMatrix {
  Matrix matrix;
  std::shared_ptr<const Matrix> pattern = nullptr;  ///< whose arrays the pattern is, where values were replaced
  std::int64_t copied_bytes = 0;                    ///< of the library's own

  /// Of the values, or of both parts of complex ones: what requests take.
  [[nodiscard]] Precision precision() const;
};

/// The pattern of a matrix with as many other values of its type; with NULL in the same arrays.
[[nodiscard]] LentMatrix with_values(const LentMatrix& lent, const void* values);

struct HeldPlan {
  LentMatrix lent;
  Strategy strategy;  ///< whose texts callers hold
  Plan plan;
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
