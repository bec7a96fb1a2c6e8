#pragma once
// The fields of <sparsecast/trials.hpp>.

#include <sparsecast/trials.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<TriedKernel> {
  static constexpr std::string_view about = "One candidate that was looked at.";
  static constexpr auto table =
      std::tuple(field<&TriedKernel::kernel>("as the kernel table names it; those of a cut joined by +"),
                 field<&TriedKernel::seconds>("one product, by turns beside the best one; 0 where it could not be run",
                                              at_least(0)),
                 field<&TriedKernel::predicted_s>("before anything was tried", at_least(0)),
                 field<&TriedKernel::conversion_s>("as it took", at_least(0)),
                 field<&TriedKernel::spread>("half of the range of its turns, relative", at_least(0)),
                 field<&TriedKernel::products>("that were run, those that warm up among them", at_least(0)),
                 field<&TriedKernel::status>("ok, or why there is no time"));
};

template <>
struct Fields<TrialReport> {
  static constexpr std::string_view about = "What was tried, what it cost and what is left.";
  static constexpr auto table = std::tuple(
      field<&TrialReport::screened>("before, on a sample of the rows, scaled to the whole matrix").or_default(),
      field<&TrialReport::tried>("in the order of the trials"),
      field<&TrialReport::spent_s>("products and conversions, those of the plan's own kernel among them", at_least(0)),
      field<&TrialReport::left_to_win>("share of a product's time that what was not tried is expected to save",
                                       between(0, 1)),
      field<&TrialReport::unsteady>("repeats of one product scatter by a fifth: times are no better than that"),
      field<&TrialReport::settled>("false while an online trial goes on, and where it was interrupted"),
      field<&TrialReport::reason>("why no more was tried"));
};

}  // namespace sparsecast
