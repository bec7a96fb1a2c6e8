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
  static constexpr std::string_view about = "Powers of the matrix times a vector: how they are computed, and how long.";
  static constexpr NumberBounds time = between(0, 1e6);
  static constexpr auto table = std::tuple(
      field<&PowersStrategy::k>("powers that were asked for", at_least(1)),
      field<&PowersStrategy::pays>("false: the plan multiplies k times"),
      field<&PowersStrategy::all_pays>("false: all powers kept are products one after the other").where_known(),
      field<&PowersStrategy::seconds>("of the last power alone", time).where_known(),
      field<&PowersStrategy::low_s>("least of its 90 % interval", time).where_known(),
      field<&PowersStrategy::high_s>("most of its 90 % interval", time).where_known(),
      field<&PowersStrategy::all_s>("of all powers kept", time).where_known(),
      field<&PowersStrategy::products_s>("of k products of the fastest kernel", time).where_known(),
      field<&PowersStrategy::reason>("why it pays, or does not"),
      field<&PowersStrategy::order>("of the rows while powers are computed"),
      field<&PowersStrategy::kernel>("that every block is in, or would be; empty where blocks were not looked at"),
      field<&PowersStrategy::depth>("powers for which a block is read once", at_least(0)),
      field<&PowersStrategy::block_rows>("of the largest block", at_least(0)),
      field<&PowersStrategy::blocks>("blocks of rows", at_least(0)),
      field<&PowersStrategy::resident_bytes>("that the caches are to hold between powers", at_least(0)));
};

template <>
struct Fields<MeasuredPowers> {
  static constexpr std::string_view about = "What powers of the matrix times a vector took.";
  static constexpr auto table =
      std::tuple(field<&MeasuredPowers::k>("powers that were asked for", at_least(1)),
                 field<&MeasuredPowers::pays>("false: the plan multiplies k times"),
                 field<&MeasuredPowers::seconds>("of the last power alone", at_least(0)),
                 field<&MeasuredPowers::all_s>("of all powers kept", at_least(0)),
                 field<&MeasuredPowers::products_s>("of k products of the fastest kernel", at_least(0)));
};

}  // namespace sparsecast
