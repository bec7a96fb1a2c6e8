// Compact storage: what is left out, that nothing is lost, and every way of storing in every instruction set.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <sparsecast/generate.hpp>

#include "base/small_floats.hpp"
#include "formats/awkward_matrices.hpp"
#include "formats/host_product.hpp"
#include "formats/kernels.hpp"
#include "formats/sell_compact.hpp"
#include "formats/simd/compact_sums.hpp"
#include "formats/within_bound.hpp"
#include "matrix/structure/compact.hpp"

namespace sparsecast {
namespace {
using formats::StoredValues;
using testing::expect_within_bound;
using testing::input_vector;

// Some windows of random columns are far.
Matrix with_distinct(int distinct) { return generate({"uniform", 0, 9, 3000, 100'000, 7, {.distinct = distinct}}); }

// Rows of 1 to 6 entries whose values come in turn.
Matrix holding(const std::vector<double>& values, std::int64_t rows = 700) {
  Csr<std::int32_t, std::int32_t> csr{rows, 90'000, {0}, {}, {}};
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t k = 0; k <= row % 6; ++k)
      csr.column_indices.push_back((row % 50 == 0 ? row * 100 % 80'000 : row) + 3 * k);
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  for (std::size_t k = 0; k < csr.column_indices.size(); ++k) csr.values.push_back(values[k % values.size()]);
  return {std::move(csr), "holding"};
}

std::vector<double> different(int count, double step) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(1 + i * step);
  return values;
}

template <class Value>
void agrees(const Matrix& matrix, StoredValues kind) {
  const std::vector<Value> x = input_vector<Value>(matrix.cols());
  const auto expected = formats::reference_product<Value>(matrix, x);
  for (const int threads : {1, 3}) {
    const auto sell = formats::to_sell_compact<Value>(matrix, threads);
    EXPECT_EQ(sell.kind, kind);
    for (const formats::Simd simd : formats::supported_simd()) {
      std::vector<Value> y(static_cast<std::size_t>(matrix.rows()), Value{-1});
      formats::compact_sums<Value>(sell.kind, simd)(sell, 0, sell.slices(), x.data(), y.data());
      SCOPED_TRACE(std::string(formats::simd_name(simd)) + ", " + matrix.name());
      expect_within_bound(y, expected);
    }
  }
}

TEST(CompactStorage, EveryKindAgreesInEveryInstructionSet) {
  const double third = 1.0 / 3;
  const std::vector<std::pair<int, StoredValues>> cases{
      {1, StoredValues::one},     {2, StoredValues::sixteen}, {16, StoredValues::sixteen}, {17, StoredValues::codes},
      {256, StoredValues::codes}, {257, StoredValues::plain}, {1500, StoredValues::plain}};
  for (const auto& [count, kind] : cases) {
    agrees<double>(holding(different(count, third)), kind);
    agrees<float>(holding(different(count, third)), kind == StoredValues::codes ? StoredValues::plain : kind);
  }
  // Beyond the dictionary: values that a smaller type holds, and others.
  std::vector<double> tiny = different(2000, 1), huge;  // integers up to 2,000
  agrees<double>(holding(tiny), StoredValues::half);
  agrees<float>(holding(tiny), StoredValues::half);
  for (double& value : tiny) value *= std::ldexp(1.0, -24);  // denormal numbers among them
  agrees<double>(holding(tiny), StoredValues::half);
  for (const int power : {20, -30, 90})
    for (const double value : different(128, 1.0 / 128)) huge.push_back(std::ldexp(value, power));
  agrees<double>(holding(huge), StoredValues::bfloat16);
  agrees<float>(holding(huge), StoredValues::bfloat16);
  agrees<double>(holding(different(20'000, 0.25), 20'000), StoredValues::single);
  agrees<float>(holding(different(20'000, 0.25), 20'000), StoredValues::plain);
  agrees<double>(holding(different(20'000, third), 20'000), StoredValues::plain);
}

TEST(CompactStorage, ColumnsAreNearOrFarByWindows) {
  const MatrixSpec band{"banded", 0, 5, 5000, 0, 3, {.bandwidth = 40, .distinct = 3}};
  const MatrixSpec random{"uniform", 0, 5, 5000, 200'000, 3, {.distinct = 3}};
  for (const MatrixSpec& spec : {band, random}) {
    const Matrix matrix = generate(spec);
    const auto sell = formats::to_sell_compact<double>(matrix, 2);
    EXPECT_EQ(sell.near.empty(), spec.kind == "uniform");
    EXPECT_EQ(sell.far.empty(), spec.kind == "banded");
    EXPECT_EQ(analyze(matrix).compact.far_slots, std::ssize(sell.far));
    agrees<double>(matrix, StoredValues::sixteen);
  }
  // One row that reaches far takes its window with it.
  std::vector<std::vector<std::int64_t>> rows(2048);
  for (std::int64_t row = 0; row < 2048; ++row) rows[static_cast<std::size_t>(row)] = {row, row + 65'534};
  rows[1500].back() += 1000;
  const Matrix matrix = testing::from_rows(80'000, rows);
  const auto bases = matrix::window_bases(matrix, 2);
  EXPECT_EQ(std::vector<int>(bases.begin(), bases.end()), (std::vector<int>{-1, -1}));
  rows.assign(2048, {5, 65'539});
  rows[1500].back() += 1;
  const auto others = matrix::window_bases(testing::from_rows(80'000, rows), 2);
  EXPECT_EQ(std::vector<int>(others.begin(), others.end()), (std::vector<int>{5, -1}));
}

// Bits of values are told apart, so nothing is rounded, and no sign, infinity or payload is lost.
TEST(CompactStorage, SpecialValuesAreExact) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> special{-0.0, 0.0, inf, -inf, nan, 5e-324, -2.5e-310, 1e-45, 1.5};
  const Matrix diagonal = [&] {
    Csr<std::int32_t, std::int32_t> csr{9, 9, {0}, {}, {}};
    for (std::int32_t row = 0; row < 9; ++row) csr.column_indices.push_back(row), csr.row_pointers.push_back(row + 1);
    csr.values.assign(special.begin(), special.end());
    return Matrix(std::move(csr), "special");
  }();
  EXPECT_EQ(analyze(diagonal).compact.distinct_values, 9);
  const std::vector<double> ones(9, 1.0);
  for (const int threads : {1, 2}) {
    std::vector<double> y(9);
    formats::find_host_kernel("sell-compact")->build_double(diagonal, threads)->apply(ones, y);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(y[i] == special[i] || (std::isnan(y[i]) && i == 4)) << i;
  }
  for (const double one : special) {  // one value in rows with padding: 0·∞ of an entry that is not there never shows
    const Matrix same = holding({one});
    std::vector<double> y(700);
    const auto product = formats::find_host_kernel("sell-compact")->build_double(same, 2);
    product->apply(std::vector<double>(90'000, 1.0), y);
    for (std::size_t row = 0; row < 700; ++row) {
      const double expected = one * static_cast<double>(row % 6 + 1);
      EXPECT_TRUE(y[row] == expected || (std::isnan(y[row]) && std::isnan(one))) << one << " in row " << row;
    }
  }
}

TEST(CompactStorage, ADenormalOrANaNThatFloatDoesNotHoldIsNoSingle) {
  const auto single_holds = [](double value) {
    return matrix::value_storage(holding({1.5, -0.0, value}), 0, 2).single_exact == 1;
  };
  EXPECT_TRUE(single_holds(std::ldexp(1.0, -149)));
  EXPECT_FALSE(single_holds(std::ldexp(1.0, -150)));
  EXPECT_FALSE(single_holds(1e300));
  EXPECT_FALSE(single_holds(std::bit_cast<double>(0x7ff8000000000001U)));
}

TEST(CompactStorage, TwoBytesHoldWhatTheyHoldBitForBit) {
  using enum ValueStorage;
  const auto two_bytes = [](const std::vector<double>& values) {
    return matrix::value_storage(holding(values), 0, 2).two_bytes;
  };
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(two_bytes({2047, -0.0, 65504, -inf, std::ldexp(1, -24)}), half);
  EXPECT_EQ(two_bytes({65536, 1.5}), bfloat16);          // beyond half
  EXPECT_EQ(two_bytes({std::ldexp(1, -25)}), bfloat16);  // below its least
  EXPECT_EQ(two_bytes({2049, 1.5}), given);              // twelve digits
  EXPECT_EQ(two_bytes({257, 65536}), given);             // nine digits, and beyond half
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto code = static_cast<std::uint16_t>(bits);
    EXPECT_EQ(base::bfloat16_bits(base::bfloat16_value(code)), code);
    if ((code & 0x7fffU) <= 0x7c00U) {
      EXPECT_EQ(base::half_bits(base::half_value(code)), code);
    }
  }
  EXPECT_EQ(base::half_value(0x3c01), 1 + std::ldexp(1.0F, -10));
  EXPECT_EQ(base::half_value(0x8001), -std::ldexp(1.0F, -24));
  EXPECT_EQ(base::half_value(0x7c00), std::numeric_limits<float>::infinity());
}

TEST(CompactStorage, TheDictionaryIsTheSameForAnyNumberOfThreads) {
  const Matrix matrix = with_distinct(200);
  const auto alone = matrix::distinct_values(matrix, 1);
  for (const int threads : {2, 5}) {
    const auto together = matrix::distinct_values(matrix, threads);
    ASSERT_EQ(together.size(), 200);
    for (int code = 0; code < 200; ++code) ASSERT_EQ(together.value(code), alone.value(code)) << code;
  }
  EXPECT_EQ(matrix::distinct_values(with_distinct(257), 2).size(), 0);
}

TEST(CompactStorage, IsRefusedWhereItSavesLittle) {
  EXPECT_EQ(formats::refusal_of("sell-compact", analyze(with_distinct(1))), "");
  const Matrix far = generate({"uniform", 0, 30, 9000, 200'000, 1, {}});
  Structure structure = analyze(far);
  structure.compact.distinct_values = 0, structure.compact.single_exact = 0;
  EXPECT_NE(formats::refusal_of("sell-compact", structure), "");
}

TEST(CompactStorage, NewValuesHaveToBeBuiltAgain) {
  const Matrix one = holding({2.0}), many = holding(different(300, 0.1));
  const auto product = formats::find_host_kernel("sell-compact")->build_double(one, 2);
  EXPECT_FALSE(product->update_values(many));
}
}  // namespace
}  // namespace sparsecast
