#pragma once
// The fields of <sparsecast/recommend.hpp>.

#include <sparsecast/recommend.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<Recommendation> {
  static constexpr std::string_view about = "The kernel that finishes first.";
  static constexpr auto table =
      std::tuple(field<&Recommendation::kernel>(
                     "name of the kernel; empty if nothing could be forecast or no model's formula applies"),
                 field<&Recommendation::seconds>("forecast time of one product", at_least(0)),
                 field<&Recommendation::reason>("which model recommends it, and which kernels are close"),
                 field<&Recommendation::advice>("comparison with csr; empty if csr has no forecast"));
};

}  // namespace sparsecast
