#pragma once
// The words of <sparsecast/ordering.hpp>'s enumeration.

#include <sparsecast/ordering.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Words<Ordering> {
  static constexpr std::array table{std::pair{Ordering::none, std::string_view("none")},
                                    std::pair{Ordering::rcm, std::string_view("rcm")}};
};

}  // namespace sparsecast
