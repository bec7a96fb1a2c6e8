#pragma once
// Bytes that a kernel's format takes on a kind of device, from the Structure alone.

#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>
#include <string>

namespace sparsecast::forecast {

/// 0 for a kernel whose format this program does not know (a vendor's, in an imported profile).
std::int64_t storage_bytes(DeviceKind kind, const Structure& structure, const std::string& kernel, Precision precision);

}  // namespace sparsecast::forecast
