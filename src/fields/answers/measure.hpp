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
  static constexpr std::string_view about = "What to measure, and where.";
  static constexpr auto table = std::tuple(
      field<&MeasureRequest::matrix>("matrix files, ss:GROUP/NAME, or folders of files"),
      field<&MeasureRequest::device>("device: host, opencl:N or cuda:N"),
      field<&MeasureRequest::kernels>("consider only these kernels, separated by commas"),
      field<&MeasureRequest::every>(
          "also time kernels that are forecast to take more than ten times as long as the best"),
      field<&MeasureRequest::product>("").in_its_place(),
      field<&MeasureRequest::threads>("host threads; 0: one per available core", host_threads),
      field<&MeasureRequest::iterations>("rank by the total time of N products, including the conversion", at_least(0)),
      field<&MeasureRequest::powers>("also time Ax to A^kx, computed together (square matrices)", at_least(0)),
      field<&MeasureRequest::no_store>("do not keep the times for later forecasts of this matrix"));
};

template <>
struct Fields<KernelTime> {
  static constexpr std::string_view about = "The time of a kernel on a matrix.";
  static constexpr auto table = std::tuple(
      field<&KernelTime::kernel>("name of the kernel, as in the kernel table"),
      field<&KernelTime::seconds>("time of one product (robust centre); null if status is not ok", above(0)),
      field<&KernelTime::low_s>("5th percentile of the blocks", above(0)),
      field<&KernelTime::high_s>("95th percentile of the blocks", above(0)),
      field<&KernelTime::gflops>("rate in Gflop/s: 2 × nonzeros × vectors / seconds / 10⁹", at_least(0)),
      field<&KernelTime::preprocess_s>("time of the conversion from CSR into newly allocated memory", at_least(0)),
      field<&KernelTime::total_s>("time of the conversion and the requested number of products; null if no number was "
                                  "requested or the conversion time is unknown",
                                  at_least(0)),
      field<&KernelTime::repeats>("number of products that were timed", at_least(0)),
      field<&KernelTime::spread>("median absolute deviation of the blocks, relative to the centre", at_least(0)),
      field<&KernelTime::status>("ok, or the reason why there is no time"));
};

template <>
struct Fields<MeasuredTimes> {
  static constexpr std::string_view about =
      "Result of measure() for one matrix: fastest first; times are null if status is not ok";
  static constexpr auto table =
      std::tuple(field<&MeasuredTimes::matrix>(""), field<&MeasuredTimes::device>(""),
                 field<&MeasuredTimes::product>("").in_its_place(),
                 field<&MeasuredTimes::measurements>("kernels, fastest first; those without a time come last"),
                 field<&MeasuredTimes::powers>("powers of the matrix, if they were requested").where_known());
};

}  // namespace sparsecast
