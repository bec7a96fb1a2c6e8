#pragma once
// The fields of <sparsecast/plan.hpp>.

#include <sparsecast/plan.hpp>

#include "fields/fields.hpp"
#include "fields/powers.hpp"
#include "fields/precision.hpp"
#include "fields/trials.hpp"

namespace sparsecast {

template <>
struct Fields<PlannedBlock> {
  static constexpr std::string_view about = "Rows of a plan in one kernel.";
  static constexpr auto table = std::tuple(
      field<&PlannedBlock::first_strip>("from 1", at_least(1)), field<&PlannedBlock::last_strip>("", at_least(1)),
      field<&PlannedBlock::first_row>("from 0", at_least(0)), field<&PlannedBlock::last_row>("", at_least(-1)),
      field<&PlannedBlock::kernel>("as the kernel table names it"),
      field<&PlannedBlock::reordered>("rows sorted by length within windows of 1024"),
      field<&PlannedBlock::seconds>("predicted", between(0, 1e6)),
      field<&PlannedBlock::conversion_s>("predicted, from CSR", between(0, 1e6)));
};

template <>
struct Fields<SingleKernel> {
  static constexpr std::string_view about = "One kernel for the whole matrix.";
  static constexpr auto table =
      std::tuple(field<&SingleKernel::kernel>("as the kernel table names it"),
                 field<&SingleKernel::seconds>("predicted", between(0, 1e6)),
                 field<&SingleKernel::conversion_s>("predicted, from CSR", between(0, 1e6)),
                 field<&SingleKernel::measured_s>("beside the plan", at_least(0)).where_known(),
                 field<&SingleKernel::status>("of that: ok, or why there is no time").where_known(),
                 field<&SingleKernel::low_s>("least of the forecast's 90 % interval", between(0, 1e6)).or_default(),
                 field<&SingleKernel::high_s>("most of the forecast's 90 % interval", between(0, 1e6)).or_default(),
                 field<&SingleKernel::bytes>("of its format; 0: not known", at_least(0)).or_default());
};

template <>
struct Words<TransposeStorage> {
  static constexpr std::array table{std::pair{TransposeStorage::symmetric, std::string_view("symmetric")},
                                    std::pair{TransposeStorage::shared, std::string_view("shared")},
                                    std::pair{TransposeStorage::second_form, std::string_view("second-form")},
                                    std::pair{TransposeStorage::transpose, std::string_view("transpose")}};
};

template <>
struct Fields<PlannedTranspose> {
  static constexpr std::string_view about = "What multiplies by Aᵀ in a plan for A and Aᵀ in turns.";
  static constexpr NumberBounds time = between(0, 1e6);
  static constexpr auto table = std::tuple(
      field<&PlannedTranspose::storage>("what is read: of A, its own or a second form, or Aᵀ"),
      field<&PlannedTranspose::blocks>("of what is stored for it alone"),
      field<&PlannedTranspose::threads>("", between(0, 1024)),
      field<&PlannedTranspose::seconds>("one product of it, as measured or as forecast", time),
      field<&PlannedTranspose::beside_s>("one product of A in turns with it; 0: not measured", time).or_default(),
      field<&PlannedTranspose::conversion_s>("of its blocks, and of making Aᵀ", time),
      field<&PlannedTranspose::normal_share>("how often A is multiplied by", at_least(0)),
      field<&PlannedTranspose::transposed_share>("how often Aᵀ is", at_least(0)),
      field<&PlannedTranspose::reason>("why that storage"));
};

template <>
struct Fields<Strategy> {
  static constexpr std::string_view about = "How to multiply one matrix on one device.";
  static constexpr NumberBounds share = between(-1e9, 1e9), time = between(0, 1e6);
  static constexpr auto table = std::tuple(
      field<&Strategy::blocks>("in order of rows").as("strategy"), field<&Strategy::predicted_s>("one product", time),
      field<&Strategy::conversion_s>("of all blocks, from CSR", time), field<&Strategy::best_single>(""),
      field<&Strategy::singles>("fastest first"), field<&Strategy::best_cut>("into two or more blocks, taken or not"),
      field<&Strategy::gain>("share of the best single kernel's time that it saves", share),
      field<&Strategy::gain_low>("least of its 90 % interval", share),
      field<&Strategy::gain_high>("most of its 90 % interval", share), field<&Strategy::cut>("the plan is that cut"),
      field<&Strategy::reason>("why it is, or is not"), field<&Strategy::strips>("", at_least(0)),
      field<&Strategy::strip_rows>("", at_least(0)),
      field<&Strategy::iterations>("products that were asked for; 0: the product alone", at_least(0)),
      field<&Strategy::break_even>("products after which the conversion, and the reordering where there is one, is "
                                   "earned back against csr in the old order; 0: from the first, -1: never",
                                   at_least(-1)),
      field<&Strategy::planning_s>("from the matrix in memory to the strategy", time),
      field<&Strategy::threads>("of the host; 0 elsewhere", between(0, 1024)),
      field<&Strategy::vectors>("multiplied at once", at_least(1)).or_default(),
      field<&Strategy::transposed>("Aᵀ·x").or_default(),
      field<&Strategy::trials>("where something was to be tried; the plan's times are then measured").where_known(),
      field<&Strategy::transpose>("where A and Aᵀ are multiplied by in turns").where_known(),
      field<&Strategy::powers>("where powers were asked for").where_known());
};

}  // namespace sparsecast
