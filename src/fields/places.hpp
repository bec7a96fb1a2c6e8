#pragma once
// The words of <sparsecast/places.hpp>'s enumeration.

#include <sparsecast/places.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Words<Places> {
  static constexpr std::array table{std::pair{Places::spread, std::string_view("spread")},
                                    std::pair{Places::close, std::string_view("close")}};
};

}  // namespace sparsecast
