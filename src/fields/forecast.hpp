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
  static constexpr auto table = std::tuple(field<&ForecastPart::term>("the term").as("name"),
                                           field<&ForecastPart::seconds>("its share of the time"),
                                           field<&ForecastPart::bytes>("bytes that it moves", at_least(0)).as_whole());
};

template <>
struct Fields<Forecast> {
  static constexpr std::string_view about = "What a model says of one kernel on one matrix.";
  static constexpr auto table = std::tuple(
      field<&Forecast::kernel>("as the kernel table names it"), field<&Forecast::model>("that says so"),
      field<&Forecast::seconds>("one product, caches warm", above(0)),
      field<&Forecast::low_s>("least of the 90 % interval", above(0)),
      field<&Forecast::high_s>("most of the 90 % interval", above(0)),
      field<&Forecast::gflops>("2 × nonzeros × vectors / seconds / 10⁹", at_least(0)),
      field<&Forecast::bytes>("storage of the format on the device", at_least(0)),
      field<&Forecast::preprocess_s>("conversion from CSR into fresh memory; 0: none; null: not known", at_least(0)),
      field<&Forecast::preprocess_low_s>("least of its 90 % interval", at_least(0)),
      field<&Forecast::preprocess_high_s>("most of its 90 % interval", at_least(0)),
      field<&Forecast::extrapolated>("outside of what was calibrated"),
      field<&Forecast::beyond>(
          "where the model's formula does not reach and nothing is recommended: rows whose line was "
          "never measured; below a launch, which is told instead; beyond the grid of what it was "
          "fitted to; faster than the memory was ever read (bandwidth)")
          .where_known(),
      field<&Forecast::records_precision>("of the records that it rests on"),
      field<&Forecast::tier>(
          "what it rests on: this matrix measured here (observed), a profile (measured), seconds on the "
          "machine (probe), its description (data sheet), calibrations of others and a probe (shipped)"),
      field<&Forecast::learned_of>(
          "of a library's kernel where it was not measured: the versions, or years, that it was learned of")
          .where_known(),
      field<&Forecast::moved>("factor by which alike patterns, measured here, have moved it", above(0)).where_known(),
      field<&Forecast::bound_by>("the term that binds").where_known(),
      field<&Forecast::total_s>(
          "the conversion and as many products as were asked for; null where none were, or the conversion is not known",
          at_least(0)),
      field<&Forecast::parts>("terms; they add up to seconds").where_known());
};

}  // namespace sparsecast
