#pragma once
// Curve: one quantity of a device measured over another. Thread safety: as a value type.

#include <sparsecast/fields.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A curve measured on the device: y over x (bytes/s over footprint bytes; seconds over footprint bytes; …).
struct Curve {
  std::string name;  ///< "read_bandwidth", "gather_latency", "launch", …
  int threads = 0;
  std::vector<double> x, y;
};
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
#pragma GCC visibility pop
