#pragma once
// The fields of <sparsecast/powers.hpp>.

#include <sparsecast/powers.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Words<PowersOrder> {
  static constexpr std::array table{std::pair{PowersOrder::as_given, std::string_view("as given")},
                                    std::pair{PowersOrder::levels, std::string_view("levels")}};
};

template <>
struct Fields<PowersStrategy> {
  static constexpr std::string_view about =
      "Powers of the matrix times a vector: how they are computed, and how long it takes.";
  static constexpr NumberBounds time = between(0, 1e6);
  static constexpr auto table = std::tuple(
      field<&PowersStrategy::k>("number of powers requested", at_least(1)),
      field<&PowersStrategy::pays>(
          "true: computing the last power by blocks of rows pays; false: the plan multiplies k times"),
      field<&PowersStrategy::all_pays>("true: keeping all powers pays by blocks of rows; false: all powers kept are "
                                       "computed by one product after the other")
          .where_known(),
      field<&PowersStrategy::seconds>("time to compute the last power without keeping the others", time).where_known(),
      field<&PowersStrategy::low_s>("lower end of its 90 % interval", time).where_known(),
      field<&PowersStrategy::high_s>("upper end of its 90 % interval", time).where_known(),
      field<&PowersStrategy::all_s>("time to compute all powers and keep them", time).where_known(),
      field<&PowersStrategy::products_s>("time of k products by the fastest kernel", time).where_known(),
      field<&PowersStrategy::reason>("why it pays, or does not"),
      field<&PowersStrategy::order>("order of the rows while powers are computed"),
      field<&PowersStrategy::kernel>("kernel of every block; empty if blocks were not considered"),
      field<&PowersStrategy::depth>("number of powers for which a block is read once", at_least(0)),
      field<&PowersStrategy::block_rows>("rows of the largest block", at_least(0)),
      field<&PowersStrategy::blocks>("number of blocks of rows", at_least(0)),
      field<&PowersStrategy::resident_bytes>("bytes that the caches have to hold between powers", at_least(0)));
};

template <>
struct Fields<MeasuredPowers> {
  static constexpr std::string_view about = "The measured time of powers of the matrix times a vector.";
  static constexpr auto table = std::tuple(
      field<&MeasuredPowers::k>("number of powers requested", at_least(1)),
      field<&MeasuredPowers::pays>(
          "true: computing the last power by blocks of rows pays; false: the plan multiplies k times"),
      field<&MeasuredPowers::seconds>("time to compute the last power without keeping the others", at_least(0)),
      field<&MeasuredPowers::all_s>("time to compute all powers and keep them", at_least(0)),
      field<&MeasuredPowers::products_s>("time of k products by the fastest kernel", at_least(0)));
};

}  // namespace sparsecast
