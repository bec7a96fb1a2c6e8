#pragma once
// The words of <sparsecast/tier.hpp>'s enumeration.

#include <sparsecast/tier.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Words<Tier> {
  static constexpr std::array<std::pair<Tier, std::string_view>, 8> table{{{Tier::measured, "measured"},
                                                                           {Tier::table, "table"},
                                                                           {Tier::anchors, "anchors"},
                                                                           {Tier::probe, "probe"},
                                                                           {Tier::data_sheet, "data sheet"},
                                                                           {Tier::observed, "observed"},
                                                                           {Tier::simulated, "simulated"},
                                                                           {Tier::shipped, "shipped"}}};
};

}  // namespace sparsecast
