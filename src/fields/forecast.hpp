#pragma once
// The fields of <sparsecast/forecast.hpp>.

#include <sparsecast/forecast.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"
#include "fields/terms.hpp"
#include "fields/tier.hpp"

namespace sparsecast {

template <>
struct Words<Beyond> {
  static constexpr std::array<std::pair<Beyond, std::string_view>, 4> table{{{Beyond::never_measured, "never measured"},
                                                                             {Beyond::launch, "launch"},
                                                                             {Beyond::grid, "grid"},
                                                                             {Beyond::bandwidth, "bandwidth"}}};
};

template <>
struct Fields<ForecastPart> {
  static constexpr std::string_view about = "One term of a forecast: where the time goes.";
  static constexpr auto table =
      std::tuple(field<&ForecastPart::term>("name of the term").as("name"),
                 field<&ForecastPart::seconds>("the part of the time that the term accounts for"),
                 field<&ForecastPart::bytes>("bytes that the term moves", at_least(0)).as_whole());
};

template <>
struct Fields<Forecast> {
  static constexpr std::string_view about = "What a model forecasts for one kernel on one matrix.";
  static constexpr auto table = std::tuple(
      field<&Forecast::kernel>("name of the kernel, as in the kernel table"),
      field<&Forecast::model>("model that made the forecast"),
      field<&Forecast::seconds>("time of one product with warm caches", above(0)),
      field<&Forecast::low_s>("lower end of the 90 % interval", above(0)),
      field<&Forecast::high_s>("upper end of the 90 % interval", above(0)),
      field<&Forecast::gflops>("rate in Gflop/s: 2 × nonzeros × vectors / seconds / 10⁹", at_least(0)),
      field<&Forecast::bytes>("storage of the format on the device, in bytes", at_least(0)),
      field<&Forecast::preprocess_s>(
          "time of the conversion from CSR into newly allocated memory; 0: none needed; null: not known", at_least(0)),
      field<&Forecast::preprocess_low_s>("lower end of its 90 % interval", at_least(0)),
      field<&Forecast::preprocess_high_s>("upper end of its 90 % interval", at_least(0)),
      field<&Forecast::extrapolated>("true: the matrix lies outside the range that was calibrated"),
      field<&Forecast::fits>("true: the format and the vectors fit into the device's memory").or_default(),
      field<&Forecast::beyond>(
          "why the model's formula does not apply and the kernel is not recommended: rows longer than any that were "
          "measured (never measured), a time below that of a launch, which is reported instead (launch), a matrix "
          "outside the measured grid (grid), or faster than the memory was ever read (bandwidth)")
          .where_known(),
      field<&Forecast::records_precision>("precision of the records that the forecast is based on"),
      field<&Forecast::tier>(
          "basis of the forecast: this matrix measured here (observed), a profile (measured), a short probe of the "
          "machine (probe), its description (data sheet), or calibrations of other machines and a probe (shipped)"),
      field<&Forecast::learned_of>("for a library's kernel that was not measured: the versions or years of the library "
                                   "that the forecast was learned from")
          .where_known(),
      field<&Forecast::moved>("factor by which measurements of similar patterns here changed the forecast", above(0))
          .where_known(),
      field<&Forecast::bound_by>("the term that limits the time").where_known(),
      field<&Forecast::total_s>("time of the conversion and the requested number of products; null if no number was "
                                "requested or the conversion time is unknown",
                                at_least(0)),
      field<&Forecast::parts>("terms; they add up to seconds").where_known());
};

}  // namespace sparsecast
