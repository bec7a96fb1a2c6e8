#pragma once
// The words of <sparsecast/precision.hpp>'s enumerations.

#include <sparsecast/precision.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Words<Precision> {
  static constexpr std::array table{std::pair{Precision::single_, std::string_view("single")},
                                    std::pair{Precision::double_, std::string_view("double")},
                                    std::pair{Precision::complex_single_, std::string_view("complex-single")},
                                    std::pair{Precision::complex_double_, std::string_view("complex-double")}};
};

template <>
struct Words<ValueStorage> {
  static constexpr std::array table{std::pair{ValueStorage::given, std::string_view("given")},
                                    std::pair{ValueStorage::single_, std::string_view("single")},
                                    std::pair{ValueStorage::half, std::string_view("half")},
                                    std::pair{ValueStorage::bfloat16, std::string_view("bfloat16")}};
};

}  // namespace sparsecast
