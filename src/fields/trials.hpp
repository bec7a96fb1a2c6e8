#pragma once
// The fields of <sparsecast/trials.hpp>.

#include <sparsecast/trials.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<TriedKernel> {
  static constexpr std::string_view about = "One candidate that was considered.";
  static constexpr auto table =
      std::tuple(field<&TriedKernel::kernel>("name of the kernel; the kernels of a cut are joined by +"),
                 field<&TriedKernel::seconds>(
                     "time of one product, taking turns with the best one; 0 if it could not be run", at_least(0)),
                 field<&TriedKernel::predicted_s>("time forecast before anything was tried", at_least(0)),
                 field<&TriedKernel::conversion_s>("measured time of the conversion", at_least(0)),
                 field<&TriedKernel::spread>("half of the range of its repeats, relative", at_least(0)),
                 field<&TriedKernel::products>("number of products that were run, warm-up included", at_least(0)),
                 field<&TriedKernel::status>("ok, or the reason why there is no time"));
};

template <>
struct Fields<TrialReport> {
  static constexpr std::string_view about = "What was tried, what it cost, and what is left to gain.";
  static constexpr auto table =
      std::tuple(field<&TrialReport::screened>(
                     "candidates screened beforehand on a sample of the rows, scaled to the whole matrix")
                     .or_default(),
                 field<&TrialReport::tried>("candidates in the order of the trials"),
                 field<&TrialReport::spent_s>(
                     "time of all products and conversions, including those of the plan's own kernel", at_least(0)),
                 field<&TrialReport::left_to_win>(
                     "share of a product's time that the untried candidates are expected to save", between(0, 1)),
                 field<&TrialReport::unsteady>(
                     "true: repeats of one product scatter by a fifth, so times are no more accurate than that"),
                 field<&TrialReport::settled>("false: an online trial still goes on, or was interrupted"),
                 field<&TrialReport::reason>("why nothing more was tried"));
};

}  // namespace sparsecast
