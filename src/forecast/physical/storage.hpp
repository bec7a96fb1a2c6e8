#pragma once
// Bytes that a kernel's format takes on a kind of device, from the Structure alone.

#include <optional>
#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>
#include <string>

namespace sparsecast::forecast {

/// nullopt where it is not known: of a kernel whose format this program does not know (in an imported profile), and of
/// a feature record in a format whose size is in the lengths of the rows.
[[nodiscard]] std::optional<std::int64_t> storage_bytes(DeviceKind kind, const Structure& structure,
                                                        const std::string& kernel, Precision precision);

}  // namespace sparsecast::forecast
