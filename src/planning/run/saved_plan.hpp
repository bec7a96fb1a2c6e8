#pragma once
// A saved plan: what Plan::save writes.

#include <sparsecast/plan.hpp>

#include "fields/plan.hpp"

namespace sparsecast {
namespace planning {
struct SavedMatrix {
  std::int64_t rows = 0, cols = 0;
  std::string checksum;
};
struct SavedPlan {
  SavedMatrix matrix;
  std::string device;
  Precision precision = Precision::double_;
  Strategy strategy;
};
}  // namespace planning

template <>
struct Fields<planning::SavedMatrix> {
  static constexpr std::string_view about = "The matrix that a plan is bound to.";
  static constexpr auto table =
      std::tuple(field<&planning::SavedMatrix::rows>("", at_least(0)).or_default(),
                 field<&planning::SavedMatrix::cols>("", at_least(0)).or_default(),
                 field<&planning::SavedMatrix::checksum>("checksum of sizes, pattern and values"));
};
template <>
struct Fields<planning::SavedPlan> {
  static constexpr std::string_view about = "A saved plan: what Plan::save() writes and Plan::load() reads";
  static constexpr auto table = std::tuple(
      field<&planning::SavedPlan::matrix>(""), field<&planning::SavedPlan::device>("device that the plan is for"),
      field<&planning::SavedPlan::precision>("precision of the values and vectors"),
      field<&planning::SavedPlan::strategy>("").in_its_place());
};
}  // namespace sparsecast
