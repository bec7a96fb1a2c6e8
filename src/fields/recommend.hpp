#pragma once
// The fields of <sparsecast/recommend.hpp>.

#include <sparsecast/recommend.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<Recommendation> {
  static constexpr std::string_view about = "The kernel that finishes first.";
  static constexpr auto table =
      std::tuple(field<&Recommendation::kernel>("empty where nothing could be forecast, or no model's formula reaches"),
                 field<&Recommendation::seconds>("forecast, one product", at_least(0)),
                 field<&Recommendation::reason>("by which model, and what is near it"),
                 field<&Recommendation::advice>("beside csr; empty where csr has no forecast"));
};

}  // namespace sparsecast
