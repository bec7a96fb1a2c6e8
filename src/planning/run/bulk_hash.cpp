#include "planning/run/bulk_hash.hpp"

#include <fmt/format.h>
#include <bit>
#include <type_traits>

#include "base/machine/simd.hpp"

namespace sparsecast::planning {
namespace {
constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;

template <class Number>
SPARSECAST_INLINE std::uint64_t word_of(Number number) {
  if constexpr (std::is_floating_point_v<Number>)
    return std::bit_cast<std::uint64_t>(static_cast<double>(number));
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

SPARSECAST_INLINE std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  const std::uint64_t product = (lane ^ word) * golden;
  return product << 29 | product >> 35;
}

template <class Number>
SPARSECAST_INLINE void mix_all(const Number* numbers, std::size_t count, std::uint64_t* lanes) {
  constexpr std::size_t width = BulkHash::lane_count;
  std::size_t k = 0;
  for (; k + width <= count; k += width)
    for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] = mixed(lanes[lane], word_of(numbers[k + lane]));
  for (std::size_t lane = 0; k < count; ++k, ++lane) lanes[lane] = mixed(lanes[lane], word_of(numbers[k]));
}
}  // namespace

BulkHash::BulkHash() {
  std::uint64_t state = 0x243F6A8885A308D3ULL;
  for (std::uint64_t& lane : lanes_) lane = state += golden;
}

template <class Number>
void BulkHash::add(std::span<const Number> numbers) {
  static const auto mix_here = base::compiled_for<mix_all<Number>>(base::best_simd());
  mix_here(numbers.data(), numbers.size(), lanes_.data());
  lanes_[0] = mixed(lanes_[0], numbers.size());
}
template void BulkHash::add(std::span<const std::int32_t>);
template void BulkHash::add(std::span<const std::int64_t>);
template void BulkHash::add(std::span<const float>);
template void BulkHash::add(std::span<const double>);

std::string BulkHash::text() const {
  std::uint64_t a = lane_count, b = ~a;
  for (const std::uint64_t lane : lanes_) {
    a = std::rotl((a ^ lane) * 0xC2B2AE3D27D4EB4FULL, 31);
    b = std::rotl((b + lane) * golden, 27) ^ a;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}
}  // namespace sparsecast::planning
