#pragma once
// Bytes that a kernel's format takes on a kind of device, from the Structure alone.

#include <optional>
#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>
#include <string>

namespace sparsecast::forecast {

/// Of a kernel in an imported profile by the format in its name (`cusparse-coo`, `csr-vector`, `sell-32`). nullopt
/// where it is not known: where the name tells none, and of a feature record in a format whose size is in the lengths
/// of the rows.
[[nodiscard]] std::optional<std::int64_t> storage_bytes(DeviceKind kind, const Structure& structure,
                                                        const std::string& kernel, Precision precision);

}  // namespace sparsecast::forecast
