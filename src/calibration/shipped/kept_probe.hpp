#pragma once
// The probe of this host: points of its curves and one product by csr, taken within some 50 ms and kept in the home
// folder for as long as processor, microcode, cores and compiler stay the same.

#include <sparsecast/profile.hpp>

namespace sparsecast::calibration {
struct HostProbe {
  std::vector<Curve> curves;  ///< hardware/host/host_probe.hpp, and "csr_product": seconds over non-zeros
  std::string taken;          ///< UTC
};

/// Of one thread and of all cores; in a child of fork(), which has one thread, of one. Kept where the home folder can
/// be written and no other program disturbed it, else as long as the process lives. Several processes may take it at
/// once: each writes a whole file.
[[nodiscard]] HostProbe probe_of_host(const DeviceProperties& properties);

/// The matrix of the product.
[[nodiscard]] MatrixSpec probed_matrix();
}  // namespace sparsecast::calibration
