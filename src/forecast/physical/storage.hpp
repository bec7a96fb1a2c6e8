#pragma once
// Bytes that a kernel's format takes on a kind of device, from the Structure alone.

#include <optional>
#include <sparsecast/device.hpp>
#include <sparsecast/precision.hpp>
#include <sparsecast/structure.hpp>

namespace sparsecast::forecast {
/// Of a kernel in an imported profile by the format in its name (`cusparse-coo`, `csr-vector`, `sell-32`). nullopt
/// where it is not known: where the name tells none, and of a feature record in a format whose size is in the lengths
/// of the rows.
[[nodiscard]] std::optional<std::int64_t> storage_bytes(DeviceKind kind, const Structure& structure,
                                                        const std::string& kernel, Precision precision);
/// Whether a kernel multiplies the Matrix's own arrays where they are: CSR on the host, in the precision of matrix
/// files.
[[nodiscard]] bool borrows_matrix(DeviceKind kind, std::string_view kernel, Precision precision);

/// Of one product, in GF/s.
inline double gflops_of(const Structure& structure, double seconds, Precision precision = Precision::double_) {
  return flops_of(precision) * static_cast<double>(structure.nonzeros) / seconds / 1e9;
}
}  // namespace sparsecast::forecast
