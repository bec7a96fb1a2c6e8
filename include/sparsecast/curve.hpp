#pragma once
// Curve: one quantity of a device measured over another. Thread safety: as a value type.

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A curve measured on the device: y over x (bytes/s over footprint bytes; seconds over footprint bytes; …).
struct Curve {
  std::string name;       ///< name of the curve: read_bandwidth, gather_latency, launch, …
  int threads = 0;        ///< host threads; 0 on other devices
  std::vector<double> x;  ///< usually the footprint in bytes
  std::vector<double> y;  ///< bytes/s, or seconds
};

}  // namespace sparsecast
#pragma GCC visibility pop
