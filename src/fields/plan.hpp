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
  static constexpr std::string_view about = "Rows of a plan that use one kernel.";
  static constexpr auto table =
      std::tuple(field<&PlannedBlock::first_strip>("first strip, counting from 1", at_least(1)),
                 field<&PlannedBlock::last_strip>("", at_least(1)),
                 field<&PlannedBlock::first_row>("first row, counting from 0", at_least(0)),
                 field<&PlannedBlock::last_row>("", at_least(-1)),
                 field<&PlannedBlock::kernel>("name of the kernel, as in the kernel table"),
                 field<&PlannedBlock::reordered>("true: rows sorted by length within windows of 1024"),
                 field<&PlannedBlock::seconds>("predicted time", between(0, 1e6)),
                 field<&PlannedBlock::conversion_s>("predicted time of the conversion from CSR", between(0, 1e6)),
                 field<&PlannedBlock::extrapolated>(
                     "true: the formula of the model that was asked for does not reach these rows; the time is a guess")
                     .or_default());
};

template <>
struct Fields<SingleKernel> {
  static constexpr std::string_view about = "One kernel for the whole matrix.";
  static constexpr auto table = std::tuple(
      field<&SingleKernel::kernel>("name of the kernel, as in the kernel table"),
      field<&SingleKernel::seconds>("predicted time", between(0, 1e6)),
      field<&SingleKernel::conversion_s>("predicted time of the conversion from CSR", between(0, 1e6)),
      field<&SingleKernel::measured_s>("time measured beside the plan", at_least(0)).where_known(),
      field<&SingleKernel::status>("status of the measurement: ok, or the reason why there is no time").where_known(),
      field<&SingleKernel::low_s>("lower end of the forecast's 90 % interval", between(0, 1e6)).or_default(),
      field<&SingleKernel::high_s>("upper end of the forecast's 90 % interval", between(0, 1e6)).or_default(),
      field<&SingleKernel::bytes>("storage of its format in bytes; 0: not known", at_least(0)).or_default());
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
  static constexpr std::string_view about = "How a plan for A and Aᵀ in turns multiplies by Aᵀ.";
  static constexpr NumberBounds time = between(0, 1e6);
  static constexpr auto table = std::tuple(
      field<&PlannedTranspose::storage>("what it reads: A in its own form, A in a second form, or a stored Aᵀ"),
      field<&PlannedTranspose::blocks>("blocks that are stored for Aᵀ alone"),
      field<&PlannedTranspose::threads>("", host_threads),
      field<&PlannedTranspose::seconds>("time of one product with Aᵀ; 0: neither measured nor forecast", time),
      field<&PlannedTranspose::beside_s>("time of one product with A, taking turns with Aᵀ; 0: not measured", time)
          .or_default(),
      field<&PlannedTranspose::conversion_s>("time to convert its blocks and to make Aᵀ", time),
      field<&PlannedTranspose::normal_share>("how often A is applied", at_least(0)),
      field<&PlannedTranspose::transposed_share>("how often Aᵀ is applied", at_least(0)),
      field<&PlannedTranspose::reason>("why this storage was chosen"));
};

template <>
struct Fields<Strategy> {
  static constexpr std::string_view about = "How to multiply one matrix on one device.";
  static constexpr NumberBounds share = between(-1e9, 1e9), time = between(0, 1e6);
  static constexpr auto table = std::tuple(
      field<&Strategy::blocks>("blocks in the order of rows").as("strategy"),
      field<&Strategy::predicted_s>("time of one product", time),
      field<&Strategy::conversion_s>("time to convert all blocks from CSR", time), field<&Strategy::best_single>(""),
      field<&Strategy::singles>("single kernels, fastest first"),
      field<&Strategy::best_cut>("the best cut into two or more blocks, whether it was taken or not"),
      field<&Strategy::gain>("share of the best single kernel's time that the cut saves", share),
      field<&Strategy::gain_low>("lower end of its 90 % interval", share),
      field<&Strategy::gain_high>("upper end of its 90 % interval", share),
      field<&Strategy::cut>("true: the plan is that cut"),
      field<&Strategy::reason>("why the plan is that cut, or is not"), field<&Strategy::strips>("", at_least(0)),
      field<&Strategy::strip_rows>("", at_least(0)),
      field<&Strategy::iterations>("number of products requested; 0: rank by one product", at_least(0)),
      field<&Strategy::break_even>("number of products after which the conversion, and the reordering if there is one, "
                                   "is earned back compared with csr in the old order; 0: from the first; -1: never; "
                                   "-2: not known",
                                   at_least(-2)),
      field<&Strategy::planning_s>("time from the matrix in memory to the strategy", time),
      field<&Strategy::threads>("host threads; 0 on other devices", host_threads),
      field<&Strategy::vectors>("number of vectors multiplied at once", at_least(1)).or_default(),
      field<&Strategy::transposed>("true: the product is Aᵀ·x").or_default(),
      field<&Strategy::trials>("trials, if any were requested; the plan's times are then measured").where_known(),
      field<&Strategy::transpose>("the product with Aᵀ, if A and Aᵀ are multiplied in turns").where_known(),
      field<&Strategy::powers>("powers of the matrix, if they were requested").where_known());
};

}  // namespace sparsecast
