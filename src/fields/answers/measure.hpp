#pragma once
// The fields of <sparsecast/answers/measure.hpp>.

#include <sparsecast/answers/measure.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/powers.hpp"
#include "fields/product.hpp"

namespace sparsecast {

template <>
struct Fields<MeasureRequest> {
  static constexpr std::string_view about = "What is measured, and where.";
  static constexpr auto table = std::tuple(
      field<&MeasureRequest::matrix>("matrix files or ss:GROUP/NAME, or folders of files"),
      field<&MeasureRequest::device>("host, opencl:N or cuda:N"),
      field<&MeasureRequest::kernels>("only these kernels, separated by commas"),
      field<&MeasureRequest::every>("also kernels that are forecast to take ten times as long as the best"),
      field<&MeasureRequest::product>("").in_its_place(),
      field<&MeasureRequest::threads>("of the host; 0: all", at_least(0)),
      field<&MeasureRequest::iterations>("rank by the time of N products, conversion included", at_least(0)),
      field<&MeasureRequest::powers>("also time Ax to A^kx, computed together (square matrices)", at_least(0)),
      field<&MeasureRequest::no_store>("do not keep the times for later forecasts of this matrix"));
};

template <>
struct Fields<KernelTime> {
  static constexpr std::string_view about = "A kernel's time on a matrix.";
  static constexpr auto table = std::tuple(
      field<&KernelTime::kernel>("as the kernel table names it"),
      field<&KernelTime::seconds>("one product, robust centre; null where status is not ok", above(0)),
      field<&KernelTime::low_s>("5th percentile of the blocks", above(0)),
      field<&KernelTime::high_s>("95th percentile of the blocks", above(0)),
      field<&KernelTime::gflops>("2 × nonzeros × vectors / seconds / 10⁹", at_least(0)),
      field<&KernelTime::preprocess_s>("conversion from CSR into fresh memory", at_least(0)),
      field<&KernelTime::total_s>(
          "the conversion and as many products as were asked for; null where none were, or the conversion is not known",
          at_least(0)),
      field<&KernelTime::repeats>("products that were timed", at_least(0)),
      field<&KernelTime::spread>("median absolute deviation of the blocks over the centre", at_least(0)),
      field<&KernelTime::status>("ok, or why there is no time"));
};

template <>
struct Fields<MeasuredTimes> {
  static constexpr std::string_view about =
      "What measure() answers for one matrix: fastest first; null times where status is not ok";
  static constexpr auto table =
      std::tuple(field<&MeasuredTimes::matrix>(""), field<&MeasuredTimes::device>(""),
                 field<&MeasuredTimes::product>("").in_its_place(),
                 field<&MeasuredTimes::measurements>("fastest first, those without a time at the end"),
                 field<&MeasuredTimes::powers>("where powers were asked for").where_known());
};

}  // namespace sparsecast
