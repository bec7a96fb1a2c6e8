#pragma once
// What a profile holds of a device, or a forecast rests on, and the words that documents have for it.

#include <array>
#include "fields/fields.hpp"
#include <string_view>
#include <utility>

namespace sparsecast::calibration {
enum class Tier {
  measured,    ///< a calibration, or an imported table
  table,       ///< an imported table of a described GPU
  anchors,     ///< some products and the device's description
  probe,       ///< a short calibration
  data_sheet,  ///< the device's description and nothing measured
  observed     ///< that very product, measured before
};

/// Error bad_input for a word that is none of them.
[[nodiscard]] Tier tier_of(std::string_view word);
}  // namespace sparsecast::calibration

namespace sparsecast {
template <>
struct Words<calibration::Tier> {
  static constexpr std::array<std::pair<calibration::Tier, std::string_view>, 6> table{
      {{calibration::Tier::measured, "measured"},
       {calibration::Tier::table, "table"},
       {calibration::Tier::anchors, "anchors"},
       {calibration::Tier::probe, "probe"},
       {calibration::Tier::data_sheet, "data sheet"},
       {calibration::Tier::observed, "observed"}}};
};
}  // namespace sparsecast
