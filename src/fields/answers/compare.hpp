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
  static constexpr std::string_view about = "Which machines to rank, and for what.";
  static constexpr auto table = std::tuple(
      field<&CompareRequest::matrices>(
          "matrix files, ss:GROUP/NAME, folders of files, or structures (.json) as info prints them"),
      field<&CompareRequest::devices>(
          "all (every measured or described machine), or names and descriptions (FILE.json) separated by commas; "
          "NAME=FILE adds products measured on that machine, like predict's anchors"),
      field<&CompareRequest::iterations>(
          "rank by the total time of this many products, including conversion and upload", at_least(1)),
      field<&CompareRequest::solver>("rank by iterations of this method (cg, bicgstab, gmres[:m], …) instead of "
                                     "products"),
      field<&CompareRequest::cost>(
          "rank by cost: a file (.json) with the price per hour of each machine, such as {\"aws:c7g.16xlarge\": 2.5}, "
          "in any currency; 'all' then means all machines with a price"),
      field<&CompareRequest::precision>("precision of the values and vectors"),
      field<&CompareRequest::threads>("host threads; 0: one per available core", host_threads),
      field<&CompareRequest::places>(
          "on a described processor: where the threads run if there are fewer of them than cores"));
};

template <>
struct Fields<MachinePlace> {
  static constexpr std::string_view about = "One machine's place in the ranking for one matrix.";
  static constexpr auto table = std::tuple(
      field<&MachinePlace::device>("name of the machine"),
      field<&MachinePlace::tier>("basis of the forecast: a profile, a short probe on the machine, or its description"),
      field<&MachinePlace::kernel>("kernel that finishes first there"),
      field<&MachinePlace::seconds>("time of one product", above(0)),
      field<&MachinePlace::low_s>("lower end of the 90 % interval", above(0)),
      field<&MachinePlace::high_s>("upper end of the 90 % interval", above(0)),
      field<&MachinePlace::total_s>("time of the products, the conversion and the upload", above(0)),
      field<&MachinePlace::cost>("cost of total_s at the machine's price; absent without prices", above(0))
          .where_known(),
      field<&MachinePlace::preprocess_s>("time of the conversion, of a solver the set-up; null: not known",
                                         at_least(0)),
      field<&MachinePlace::upload_s>("time to upload the format once, if the device has its own memory", at_least(0)),
      field<&MachinePlace::extrapolated>(
          "true: the matrix lies outside everything that was measured for this forecast"),
      field<&MachinePlace::gflops>("rate in Gflop/s: 2 × nonzeros / seconds / 10⁹", at_least(0)),
      field<&MachinePlace::bytes>("storage of the format in bytes", at_least(0)),
      field<&MachinePlace::fits>("true: the format and the vectors fit into the device's memory"),
      field<&MachinePlace::bound_by>("the term that limits the time; empty if the model has no terms"),
      field<&MachinePlace::roof_share>(
          "share of the data sheet's bandwidth reached if every byte were moved exactly once", at_least(0)),
      field<&MachinePlace::faster_probability>(
          "probability that it finishes before (with prices: costs less than) the next machine; absent for the last",
          between(0, 1))
          .where_known(),
      field<&MachinePlace::learned_of>(
          "for a library's kernel: the versions or years of the library that the forecast was learned from")
          .where_known(),
      field<&MachinePlace::tie>(
          "true: the first machine is faster (with prices: cheaper) with a probability below four fifths"));
};

template <>
struct Fields<WorthMeasuring> {
  static constexpr std::string_view about = "One product that is worth measuring.";
  static constexpr auto table =
      std::tuple(field<&WorthMeasuring::matrix>("matrix as a probe takes it: a family with its parameters, or a file"),
                 field<&WorthMeasuring::kernel>("kernel to measure"), field<&WorthMeasuring::rows>("", at_least(1)),
                 field<&WorthMeasuring::nonzeros>("", at_least(1)));
};

template <>
struct Fields<MeasureNext> {
  static constexpr std::string_view about = "What would make the first place more certain.";
  static constexpr auto table = std::tuple(
      field<&MeasureNext::device>("machine to measure: one of the first two"),
      field<&MeasureNext::doubt>("probability that the second machine finishes before the first", between(0, 1)),
      field<&MeasureNext::doubt_after>(
          "the same probability after the measurements, averaged over their possible outcomes", between(0, 1)),
      field<&MeasureNext::products>(
          "at most sixteen products, the most informative first; the list ends once the doubt is halved"));
};

template <>
struct Fields<MatrixRanking> {
  static constexpr std::string_view about = "Machines ranked for one matrix, best first.";
  static constexpr auto table =
      std::tuple(field<&MatrixRanking::matrix>("").in_its_place(),
                 field<&MatrixRanking::ranking>("machines, best first; those whose memory is too small come last"),
                 field<&MatrixRanking::measure_next>("what to measure next, if the first place is in doubt and one of "
                                                     "the machines is a GPU known only by its data sheet")
                     .where_known());
};

template <>
struct Fields<MachineTotal> {
  static constexpr std::string_view about = "One machine over all matrices.";
  static constexpr auto table = std::tuple(
      field<&MachineTotal::device>(""), field<&MachineTotal::tier>("basis of the forecasts"),
      field<&MachineTotal::matrices>("number of matrices that have a forecast on it", at_least(0)),
      field<&MachineTotal::first>("number of matrices for which it ranks first", at_least(0)),
      field<&MachineTotal::tied>("number of matrices for which it cannot be told apart from the first", at_least(0)),
      field<&MachineTotal::mean_ratio>(
          "geometric mean over the matrices of its time (with prices: its cost) relative to the first machine's",
          above(0)),
      field<&MachineTotal::total_s>("total time over all matrices", above(0)),
      field<&MachineTotal::cost>("total cost over all matrices; absent without prices", above(0)).where_known(),
      field<&MachineTotal::fits>("true: every matrix fits into its memory"));
};

template <>
struct Fields<Comparison> {
  static constexpr std::string_view about =
      "Result of compare(): machines ranked for each matrix, and over all of them";
  static constexpr auto table = std::tuple(
      field<&Comparison::iterations>("number of products, or of iterations of the solver", at_least(1)),
      field<&Comparison::precision>("precision of the values and vectors"), field<&Comparison::matrices>(""),
      field<&Comparison::summary>("machines over all matrices, best first"),
      field<&Comparison::solver>("method whose iterations are ranked; absent for plain products").where_known());
};

}  // namespace sparsecast
