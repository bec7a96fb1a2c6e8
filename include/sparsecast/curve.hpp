#pragma once
// Curve: one quantity of a device measured over another. Thread safety: as a value type.

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A curve measured on the device: y over x (bytes/s over footprint bytes; seconds over footprint bytes; …).
struct Curve {
  std::string name;       ///< "read_bandwidth", "gather_latency", "launch", …
  int threads = 0;        ///< of the host; 0 elsewhere
  std::vector<double> x;  ///< bytes of the footprint, mostly
  std::vector<double> y;  ///< bytes/s or seconds
};

}  // namespace sparsecast
#pragma GCC visibility pop
