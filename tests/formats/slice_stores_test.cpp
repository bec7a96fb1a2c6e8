// Rows written into slices: in every instruction set the same as entry by entry.

#include "formats/simd/slice_stores.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace sparsecast::formats {
namespace {
constexpr std::int64_t entries = 1200;

// Rows of 0 to `most` entries anywhere among them; sometimes with more room than the longest needs.
SliceRows some_rows(unsigned most, std::mt19937& random) {
  SliceRows rows;
  for (std::size_t i = 0; i < SliceRows::rows; ++i) {
    rows.length[i] = random() % (most + 1);
    rows.from[i] = static_cast<std::int64_t>(random() % (entries - most));
    rows.width = std::max(rows.width, rows.length[i]);
  }
  return rows;
}

template <class To, class Store>
std::vector<To> stored(const SliceRows& rows, To rest, const Store& store) {
  std::vector<To> to(static_cast<std::size_t>(8 * rows.width + 16), rest);  // with what must stay behind it
  store(to.data());
  return to;
}

// What stands in slot (k, i): entry k of row i, or what is padded.
template <class To, class Of>
std::vector<To> by_definition(const SliceRows& rows, To rest, To padding, const Of& of) {
  return stored<To>(rows, rest, [&](To* to) {
    for (std::int64_t k = 0; k < rows.width; ++k)
      for (std::int64_t i = 0; i < 8; ++i) {
        const auto at = static_cast<std::size_t>(i);
        to[8 * k + i] = k < rows.length[at] ? of(static_cast<std::size_t>(rows.from[at] + k)) : padding;
      }
  });
}

TEST(SliceStores, AreTheSameInEveryInstructionSet) {
  std::mt19937 random(3);
  std::vector<std::int32_t> columns(entries);
  std::vector<double> values(entries);
  std::vector<float> floats(entries);
  for (std::size_t k = 0; k < entries; ++k) {
    columns[k] = static_cast<std::int32_t>(1000 + random() % 60000);
    values[k] = static_cast<double>(random() % 16) + 0.5;
    floats[k] = static_cast<float>(values[k]);
  }
  std::vector<std::uint8_t> codes(1 << 16);
  CodeTable table{codes.data(), 0x9E3779B97F4A7C15U, 48};
  std::iota(codes.begin(), codes.end(), std::uint8_t{0});
  ASSERT_FALSE(supported_simd().empty());
  for (const Simd simd : supported_simd()) {
    for (int trial = 0; trial < 500; ++trial) {
      const SliceRows rows = some_rows(std::array{3U, 9U, 40U, 600U}[static_cast<std::size_t>(trial % 4)], random);
      constexpr std::uint16_t near_rest = 7;
      EXPECT_EQ(stored(rows, near_rest,
                       [&](auto* to) { store_columns<std::uint16_t>(simd)(columns.data(), rows, 1000, to); }),
                by_definition(rows, near_rest, std::uint16_t{0xffff},
                              [&](std::size_t k) { return static_cast<std::uint16_t>(columns[k] - 1000); }))
          << simd_name(simd) << ' ' << trial;
      EXPECT_EQ(stored(rows, 7, [&](auto* to) { store_columns<std::int32_t>(simd)(columns.data(), rows, 0, to); }),
                by_definition(rows, 7, -1, [&](std::size_t k) { return columns[k]; }));
      EXPECT_EQ(stored(rows, 7.0, [&](auto* to) { store_values<double, double>(simd)(values.data(), rows, to); }),
                by_definition(rows, 7.0, 0.0, [&](std::size_t k) { return values[k]; }));
      EXPECT_EQ(stored(rows, 7.0F, [&](auto* to) { store_values<double, float>(simd)(values.data(), rows, to); }),
                by_definition(rows, 7.0F, 0.0F, [&](std::size_t k) { return static_cast<float>(values[k]); }));
      EXPECT_EQ(stored(rows, 7.0, [&](auto* to) { store_values<float, double>(simd)(floats.data(), rows, to); }),
                by_definition(rows, 7.0, 0.0, [&](std::size_t k) { return static_cast<double>(floats[k]); }));
      EXPECT_EQ(
          stored(rows, std::uint8_t{7}, [&](auto* to) { store_codes<double>(simd)(values.data(), rows, table, to); }),
          by_definition(rows, std::uint8_t{7}, std::uint8_t{0}, [&](std::size_t k) { return table.code(values[k]); }));
    }
  }
}
}  // namespace
}  // namespace sparsecast::formats
