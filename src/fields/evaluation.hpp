#pragma once
// The fields of <sparsecast/evaluation.hpp>.

#include <sparsecast/evaluation.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<EvaluationCase> {
  static constexpr std::string_view about = "One forecast compared with one measured time.";
  static constexpr auto table = std::tuple(
      field<&EvaluationCase::matrix>(""), field<&EvaluationCase::device>(""), field<&EvaluationCase::kernel>(""),
      field<&EvaluationCase::model>("model that made the forecast"),
      field<&EvaluationCase::predicted_s>("forecast time", above(0)),
      field<&EvaluationCase::low_s>("lower end of the 90 % interval", at_least(0)),
      field<&EvaluationCase::high_s>("upper end of the 90 % interval", above(0)),
      field<&EvaluationCase::measured_s>("measured time of one product", above(0)),
      field<&EvaluationCase::error>("|predicted − measured| / measured", at_least(0)),
      field<&EvaluationCase::spread>(
          "relative scatter of the measurement's repeats: the part of an error that is noise", at_least(0)),
      field<&EvaluationCase::core_speed>(
          "speed of a core while measuring, relative to the calibration; the forecast allows for it", above(0)),
      field<&EvaluationCase::launch_ratio>(
          "time to start the threads while measuring, relative to the calibration; the forecast allows for it",
          above(0)),
      field<&EvaluationCase::preprocess_predicted_s>("forecast time of the conversion", at_least(0)),
      field<&EvaluationCase::preprocess_measured_s>("measured time of the conversion", at_least(0)),
      field<&EvaluationCase::repeat_error>(
          "relative difference between two measurements minutes apart; no forecast can be more accurate", at_least(0))
          .where_known(),
      field<&EvaluationCase::extrapolated>("true: the matrix lies outside the range that was calibrated"),
      field<&EvaluationCase::nonzeros>("non-zeros of the matrix", at_least(0)),
      field<&EvaluationCase::recommended>("kernel that the model recommends for this matrix"));
};

template <>
struct Fields<ErrorSummary> {
  static constexpr std::string_view about = "Errors of one model on one kernel, as fractions.";
  static constexpr auto table =
      std::tuple(field<&ErrorSummary::device>(""), field<&ErrorSummary::kernel>(""), field<&ErrorSummary::model>(""),
                 field<&ErrorSummary::cases>("", at_least(0)), field<&ErrorSummary::mean_error>("", at_least(0)),
                 field<&ErrorSummary::median_error>("", at_least(0)),
                 field<&ErrorSummary::p90_error>("error that 90 % of the cases stay below", at_least(0)),
                 field<&ErrorSummary::max_error>("", at_least(0)),
                 field<&ErrorSummary::coverage>("share of the cases that lie within the interval", between(0, 1)),
                 field<&ErrorSummary::mean_spread>("mean scatter of the repeats", at_least(0)),
                 field<&ErrorSummary::preprocess_mean_error>(
                     "mean error of the conversion, over the cases whose conversion time is known", at_least(0)),
                 field<&ErrorSummary::mean_repeat_error>(
                     "mean difference between two measurements, over the cases that were measured twice", at_least(0))
                     .where_known());
};

template <>
struct Fields<SelectionSummary> {
  static constexpr std::string_view about = "What following a model's recommendations costs.";
  static constexpr auto table =
      std::tuple(field<&SelectionSummary::device>(""), field<&SelectionSummary::model>(""),
                 field<&SelectionSummary::cases>("number of matrices", at_least(0)),
                 field<&SelectionSummary::hits>(
                     "number of matrices on which the chosen kernel is the fastest or within 2 % of it", at_least(0)),
                 field<&SelectionSummary::mean_regret>(
                     "mean of the chosen kernel's time / the fastest kernel's time − 1", at_least(0)),
                 field<&SelectionSummary::max_regret>("", at_least(0)));
};

}  // namespace sparsecast
