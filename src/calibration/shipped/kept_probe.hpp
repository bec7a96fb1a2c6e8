#pragma once
// The probe of this host: points of its curves and one product by csr, looked at within some 50 ms and kept in the home
// folder for as long as processor, microcode, cores and compiler stay the same. One look cannot tell that another
// tenant slowed it down all the while; a look by a later process can. So processes look until two looks agree.

#include <span>
#include <sparsecast/profile.hpp>

namespace sparsecast::calibration {
struct HostProbe {
  std::vector<Curve> curves;  ///< hardware/host/host_probe.hpp, and "csr_product": seconds over non-zeros
  std::string taken;          ///< UTC, of the first look
  double doubt = 0;           ///< of logarithms: by what the level may be off for looks that no other confirmed
};

/// Of one thread and of all cores; in a child of fork(), which has one thread, of one. A process looks once, and only
/// where no two kept looks agree and fewer than five are kept. Kept where the home folder can be written and no other
/// program had the cores, else as long as the process lives. Several processes may look at once: each writes a whole
/// file.
[[nodiscard]] HostProbe probe_of_host(const DeviceProperties& properties);

/// Of several looks at the same points the fastest at every one, as what disturbs only slows down.
[[nodiscard]] HostProbe joined(std::span<const HostProbe> looks);

/// The curve of a profile that tells HostProbe::doubt with so many threads.
constexpr const char* probe_doubt_curve = "probe_doubt";

/// The matrix of the product.
[[nodiscard]] MatrixSpec probed_matrix();
}  // namespace sparsecast::calibration
