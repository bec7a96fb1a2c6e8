#pragma once
// The fields of <sparsecast/evaluation.hpp>.

#include <sparsecast/evaluation.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<EvaluationCase> {
  static constexpr std::string_view about = "One forecast held against one measured time.";
  static constexpr auto table = std::tuple(
      field<&EvaluationCase::matrix>(""), field<&EvaluationCase::device>(""), field<&EvaluationCase::kernel>(""),
      field<&EvaluationCase::model>("that forecast it"), field<&EvaluationCase::predicted_s>("forecast", above(0)),
      field<&EvaluationCase::low_s>("least of the 90 % interval", at_least(0)),
      field<&EvaluationCase::high_s>("most of the 90 % interval", above(0)),
      field<&EvaluationCase::measured_s>("one product", above(0)),
      field<&EvaluationCase::error>("|predicted − measured| / measured", at_least(0)),
      field<&EvaluationCase::spread>("of the measurement's repeats, relative: the part of an error that is noise",
                                     at_least(0)),
      field<&EvaluationCase::core_speed>(
          "of the host while measured over that of the calibration; the forecast is for it", above(0)),
      field<&EvaluationCase::launch_ratio>(
          "of the time that its threads took to start over that of the calibration; likewise", above(0)),
      field<&EvaluationCase::preprocess_predicted_s>("the conversion, forecast", at_least(0)),
      field<&EvaluationCase::preprocess_measured_s>("the conversion, measured", at_least(0)),
      field<&EvaluationCase::repeat_error>("of one round's time beside another's, minutes apart: no forecast errs less",
                                           at_least(0))
          .where_known(),
      field<&EvaluationCase::extrapolated>("outside of what was calibrated"),
      field<&EvaluationCase::nonzeros>("of the matrix", at_least(0)),
      field<&EvaluationCase::recommended>("the kernel that the model recommends for this matrix"));
};

template <>
struct Fields<ErrorSummary> {
  static constexpr std::string_view about = "Errors of one model on one kernel, as fractions.";
  static constexpr auto table = std::tuple(
      field<&ErrorSummary::device>(""), field<&ErrorSummary::kernel>(""), field<&ErrorSummary::model>(""),
      field<&ErrorSummary::cases>("", at_least(0)), field<&ErrorSummary::mean_error>("", at_least(0)),
      field<&ErrorSummary::median_error>("", at_least(0)),
      field<&ErrorSummary::p90_error>("90 % are below", at_least(0)), field<&ErrorSummary::max_error>("", at_least(0)),
      field<&ErrorSummary::coverage>("share of cases within the interval", between(0, 1)),
      field<&ErrorSummary::mean_spread>("of the repeats", at_least(0)),
      field<&ErrorSummary::preprocess_mean_error>("over the cases whose conversions are known", at_least(0)),
      field<&ErrorSummary::mean_repeat_error>("of one round beside another, over the cases that were measured twice",
                                              at_least(0))
          .where_known());
};

template <>
struct Fields<SelectionSummary> {
  static constexpr std::string_view about = "What using the kernel that a model recommends would cost.";
  static constexpr auto table =
      std::tuple(field<&SelectionSummary::device>(""), field<&SelectionSummary::model>(""),
                 field<&SelectionSummary::cases>("matrices", at_least(0)),
                 field<&SelectionSummary::hits>("where the choice is the fastest or within 2 % of it", at_least(0)),
                 field<&SelectionSummary::mean_regret>("time of the choice over that of the fastest, − 1", at_least(0)),
                 field<&SelectionSummary::max_regret>("", at_least(0)));
};

}  // namespace sparsecast
