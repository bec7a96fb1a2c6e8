#pragma once
// Curve: one quantity of a device measured over another. Thread safety: as a value type.

#include <string>
#include <vector>

namespace sparsecast {

/// A curve measured on the device: y over x (bytes/s over footprint bytes; seconds over footprint bytes; …).
struct Curve {
  std::string name;  ///< "read_bandwidth", "gather_latency", "launch", …
  int threads = 0;
  std::vector<double> x, y;
};

}  // namespace sparsecast
