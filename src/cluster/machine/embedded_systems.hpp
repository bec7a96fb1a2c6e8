#pragma once
// The tables of machines, parts and HPCG's shares that are linked with this room.

#include "base/embedded.hpp"

namespace sparsecast::embedded {
std::span<const File> systems();  ///< profiles/systems/*.tsv
}  // namespace sparsecast::embedded
