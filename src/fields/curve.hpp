#pragma once
// The fields of <sparsecast/curve.hpp>.

#include <sparsecast/curve.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<Curve> {
  static constexpr std::string_view about = "One measured quantity of a device as a function of another.";
  static constexpr auto table =
      std::tuple(field<&Curve::name>("name of the curve: read_bandwidth, gather_latency, launch, …"),
                 field<&Curve::threads>("host threads; 0 on other devices", between(0, 1e6)).or_default(),
                 field<&Curve::x>("usually the footprint in bytes", between(0, 1e18)),
                 field<&Curve::y>("bytes/s, or seconds", between(0, 1e18)));
};

}  // namespace sparsecast
