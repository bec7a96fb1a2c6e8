#pragma once
// The fields of <sparsecast/answers/compare.hpp>.

#include <sparsecast/answers/compare.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/places.hpp"
#include "fields/precision.hpp"
#include "fields/tier.hpp"

namespace sparsecast {

template <>
struct Fields<CompareRequest> {
  static constexpr std::string_view about = "Which machines are ranked, and for what.";
  static constexpr auto table = std::tuple(
      field<&CompareRequest::matrices>(
          "matrix files or ss:GROUP/NAME, folders of files, or structures (.json) as info prints them"),
      field<&CompareRequest::devices>(
          "all, or names and descriptions (FILE.json) separated by commas: what is measured "
          "or described; NAME=FILE: with products measured there, as the anchors of predict"),
      field<&CompareRequest::iterations>("so many products, with conversion and upload", at_least(1)),
      field<&CompareRequest::solver>("rank by iterations of this method (cg, bicgstab, gmres[:m], …) instead of "
                                     "products"),
      field<&CompareRequest::cost>(
          "rank by money: a file (.json) of prices per hour by machine, {\"aws:c7g.16xlarge\": 2.5}, in any currency; "
          "all machines are those with a price then"),
      field<&CompareRequest::precision>("of the product"),
      field<&CompareRequest::threads>("of the host; 0: all", at_least(0)),
      field<&CompareRequest::places>("on a described processor: where threads run when they are fewer than its cores"));
};

template <>
struct Fields<MachinePlace> {
  static constexpr std::string_view about = "One machine's place for one matrix.";
  static constexpr auto table = std::tuple(
      field<&MachinePlace::device>("its name"),
      field<&MachinePlace::tier>("what the forecast rests on: a profile, seconds on the machine, its description"),
      field<&MachinePlace::kernel>("that finishes first there"), field<&MachinePlace::seconds>("one product", above(0)),
      field<&MachinePlace::low_s>("least of the 90 % interval", above(0)),
      field<&MachinePlace::high_s>("most of the 90 % interval", above(0)),
      field<&MachinePlace::total_s>("the products, conversion and upload", above(0)),
      field<&MachinePlace::cost>("of total_s by the price of an hour; absent without prices", above(0)).where_known(),
      field<&MachinePlace::preprocess_s>("the conversion; null: not known", at_least(0)),
      field<&MachinePlace::upload_s>("the format, once, where the device has memory of its own", at_least(0)),
      field<&MachinePlace::extrapolated>("beyond what was measured anywhere that the forecast rests on"),
      field<&MachinePlace::gflops>("2 × nonzeros / seconds / 10⁹", at_least(0)),
      field<&MachinePlace::bytes>("storage of the format", at_least(0)),
      field<&MachinePlace::fits>("format and vectors in the device's memory"),
      field<&MachinePlace::bound_by>("the term that binds; empty where the model has none"),
      field<&MachinePlace::roof_share>("of the data sheet's bandwidth, if every byte were moved once", at_least(0)),
      field<&MachinePlace::faster_probability>(
          "that it finishes before the next, with prices that it costs less; absent for the last", between(0, 1))
          .where_known(),
      field<&MachinePlace::learned_of>("of a library's kernel: the versions, or years, that it was learned of")
          .where_known(),
      field<&MachinePlace::tie>("the first is faster, or cheaper, with less than four fifths probability"));
};

template <>
struct Fields<WorthMeasuring> {
  static constexpr std::string_view about = "One product that is worth measuring.";
  static constexpr auto table =
      std::tuple(field<&WorthMeasuring::matrix>("a family and its parameters, or a file, as a probe takes it"),
                 field<&WorthMeasuring::kernel>("that multiplies"), field<&WorthMeasuring::rows>("", at_least(1)),
                 field<&WorthMeasuring::nonzeros>("", at_least(1)));
};

template <>
struct Fields<MeasureNext> {
  static constexpr std::string_view about = "What would make the first place surer.";
  static constexpr auto table = std::tuple(
      field<&MeasureNext::device>("one of the first two, where they are to be measured"),
      field<&MeasureNext::doubt>("that the second finishes before the first after all", between(0, 1)),
      field<&MeasureNext::doubt_after>("the same in the mean of what they may tell", between(0, 1)),
      field<&MeasureNext::products>("at most sixteen, what teaches most first; half the doubt needs no more"));
};

template <>
struct Fields<MatrixRanking> {
  static constexpr std::string_view about = "Machines ranked for one matrix, best first.";
  static constexpr auto table = std::tuple(field<&MatrixRanking::matrix>("").in_its_place(),
                                           field<&MatrixRanking::ranking>("those that it does not fit come last"),
                                           field<&MatrixRanking::measure_next>("where the first place is in doubt, and "
                                                                               "a GPU known by its data sheet alone")
                                               .where_known());
};

template <>
struct Fields<MachineTotal> {
  static constexpr std::string_view about = "A machine over all matrices.";
  static constexpr auto table = std::tuple(
      field<&MachineTotal::device>(""), field<&MachineTotal::tier>("what the forecasts rest on"),
      field<&MachineTotal::matrices>("that it has a forecast of", at_least(0)),
      field<&MachineTotal::first>("where it is first", at_least(0)),
      field<&MachineTotal::tied>("where it is not told apart from the first", at_least(0)),
      field<&MachineTotal::mean_ratio>("geometric mean over the matrices of the time, with prices the cost, over that "
                                       "of the first",
                                       above(0)),
      field<&MachineTotal::total_s>("of all matrices", above(0)),
      field<&MachineTotal::cost>("of all matrices; absent without prices", above(0)).where_known(),
      field<&MachineTotal::fits>("every matrix"));
};

template <>
struct Fields<Comparison> {
  static constexpr std::string_view about = "What compare() answers: machines ranked for each matrix, and over all";
  static constexpr auto table =
      std::tuple(field<&Comparison::iterations>("products, or iterations of the solver", at_least(1)),
                 field<&Comparison::precision>("of the product"), field<&Comparison::matrices>(""),
                 field<&Comparison::summary>("best first"),
                 field<&Comparison::solver>("the method whose iterations are ranked; absent: products").where_known());
};

}  // namespace sparsecast
