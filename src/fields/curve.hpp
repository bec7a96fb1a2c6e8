#pragma once
// The fields of <sparsecast/curve.hpp>.

#include <sparsecast/curve.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<Curve> {
  static constexpr std::string_view about = "One quantity of a device measured over another.";
  static constexpr auto table =
      std::tuple(field<&Curve::name>("read_bandwidth, gather_latency, launch, …"),
                 field<&Curve::threads>("of the host; 0 elsewhere", between(0, 1e6)).or_default(),
                 field<&Curve::x>("bytes of the footprint, mostly", between(0, 1e18)),
                 field<&Curve::y>("bytes/s or seconds", between(0, 1e18)));
};

}  // namespace sparsecast
