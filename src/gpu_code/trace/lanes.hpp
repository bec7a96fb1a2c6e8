#pragma once
// The lanes of a warp: a value for each, and masks of some of them.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sparsecast::gpu_code {
using Lanes = std::array<std::uint64_t, 32>;
using LaneMask = std::uint32_t;
/// The lanes of a mask, ascending: for (const std::size_t lane : LanesOf{mask}).
struct LanesOf {
  LaneMask mask = 0;
  [[nodiscard]] std::size_t operator*() const { return static_cast<std::size_t>(std::countr_zero(mask)); }
  LanesOf& operator++() {
    mask &= mask - 1;
    return *this;
  }
  bool operator==(const LanesOf&) const = default;
  [[nodiscard]] LanesOf begin() const { return *this; }
  [[nodiscard]] static LanesOf end() { return {}; }
};
}  // namespace sparsecast::gpu_code
