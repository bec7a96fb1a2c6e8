#include <sparsecast/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/structure.hpp>

#include "matrix/generate/counter_random.hpp"
#include "matrix/generate/distinct_columns.hpp"
#include "matrix/generate/portable_math.hpp"

namespace sparsecast {
namespace {

MatrixSpec spec(const std::string& kind, std::int64_t rows, double mean, const MatrixParameters& parameters = {},
                std::int64_t cols = 0, std::uint64_t seed = 1) {
  MatrixSpec s;
  s.kind = kind;
  s.rows = rows;
  s.cols = cols;
  s.row_length = mean;
  s.parameters = parameters;
  s.seed = seed;
  return s;
}

// One small recipe of every kind.
std::vector<MatrixSpec> one_of_each() {
  return {
      spec("poisson2d", 0, 0, {.size = 30}),
      spec("poisson3d", 0, 0, {.size = 9}),
      spec("stencil27", 0, 0, {.size = 7}),
      spec("constant", 700, 20, {}, 500),
      spec("normal", 900, 30, {}, 1000),
      spec("uniform", 900, 30, {}, 1000),
      spec("random", 900, 3.5, {}, 1000),
      spec("powerlaw", 2000, 6),
      spec("longrow", 3000, 3),
      spec("structured", 1500, 12, {.row_std = 4, .skew = 10, .bandwidth = 0.3, .neighbours = 0.8, .similarity = 0.5}),
      spec("rmat", 0, 0, {.scale = 10, .edges = 8000}),
      spec("rmat", 0, 0, {.scale = 9, .edges = 6000, .symmetric = 1}),
      spec("geometric", 2000, 9),
      spec("banded", 1000, 7, {.bandwidth = 40}),
      spec("blocks", 1200, 40, {.dof = 3})};
}

// A number for the whole content: positions and values.
std::uint64_t fingerprint(const Matrix& matrix) {
  return matrix.visit([](const auto& csr) {
    std::uint64_t mark = matrix::mix_bits(static_cast<std::uint64_t>(csr.rows * 31 + csr.cols));
    for (std::int64_t r = 0; r < csr.rows; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        mark = matrix::mix_bits(mark ^ static_cast<std::uint64_t>(r) << 32 ^
                                static_cast<std::uint64_t>(csr.column_indices[k])) +
               static_cast<std::uint64_t>(std::llround(csr.values[k] * 1000));
    return mark;
  });
}

double value_at(const Matrix& matrix, std::int64_t row, std::int64_t column) {
  return matrix.visit([&](const auto& csr) {
    for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
      if (csr.column_indices[k] == column) return double{csr.values[k]};
    return 0.0;
  });
}

bool is_symmetric(const Matrix& matrix) {
  return matrix.visit([&](const auto& csr) {
    for (std::int64_t r = 0; r < csr.rows; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        if (value_at(matrix, csr.column_indices[k], r) != csr.values[k]) return false;
    return true;
  });
}

std::string usage_error(const MatrixSpec& s) {
  try {
    (void)generate(s);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "nothing thrown";
}

TEST(Generate, EveryKindIsCanonicalAndTestedHere) {
  std::set<std::string> tested;
  for (const MatrixSpec& s : one_of_each()) {
    const Matrix matrix = generate(s);
    EXPECT_TRUE(matrix.is_canonical()) << s.kind;
    EXPECT_GT(matrix.nonzeros(), matrix.rows() / 2) << s.kind;
    tested.insert(s.kind);
  }
  for (const GeneratorKind& kind : generator_kinds()) EXPECT_TRUE(tested.contains(kind.name)) << kind.name;
}

TEST(Generate, SymmetricKindsAreSymmetricInPatternAndValues) {
  for (const MatrixSpec& s : one_of_each())
    EXPECT_TRUE(!find_generator_kind(s.kind)->symmetric || is_symmetric(generate(s))) << s.kind;
}

TEST(Generate, SameMatrixWithAnyNumberOfThreads) {
  for (const MatrixSpec& s : one_of_each()) {
    const std::uint64_t one = fingerprint(generate(s, 1));
    EXPECT_EQ(one, fingerprint(generate(s, 2))) << s.kind;
    EXPECT_EQ(one, fingerprint(generate(s, 3))) << s.kind;
  }
}

TEST(Generate, AnotherSeedIsAnotherMatrix) {
  for (MatrixSpec s : one_of_each()) {
    if (s.kind.starts_with("poisson") || s.kind == "stencil27") continue;  // nothing random in them
    const std::uint64_t one = fingerprint(generate(s));
    s.seed = 2;
    EXPECT_NE(one, fingerprint(generate(s))) << s.kind;
  }
}

TEST(Generate, Poisson2dIsTheFivePointLaplacian) {
  const Matrix small = generate(spec("poisson2d", 0, 0, {.size = 3}));
  ASSERT_EQ(small.rows(), 9);
  EXPECT_EQ(small.nonzeros(), 33);
  EXPECT_EQ(value_at(small, 4, 4), 4);
  for (const int neighbour : {1, 3, 5, 7}) EXPECT_EQ(value_at(small, 4, neighbour), -1);
  EXPECT_EQ(value_at(small, 2, 3), 0);  // the end of a grid line has no neighbour at the start of the next
  const Matrix large = generate(spec("poisson2d", 0, 0, {.size = 100}));
  EXPECT_EQ(large.rows(), 10000);
  EXPECT_EQ(large.nonzeros(), 49600);
}

TEST(Generate, CubicStencilsHaveTheirCounts) {
  EXPECT_EQ(generate(spec("poisson3d", 0, 0, {.size = 5})).nonzeros(), 7 * 125 - 6 * 25);
  EXPECT_EQ(generate(spec("stencil27", 0, 0, {.size = 5})).nonzeros(), 13 * 13 * 13);
  // Of another depth: (3·5 − 2)² · (3·2 − 2).
  EXPECT_EQ(generate(spec("stencil27", 0, 0, {.size = 5, .depth = 2})).nonzeros(), 13 * 13 * 4);
  EXPECT_EQ(generate(spec("poisson2d", 0, 0, {.size = 5, .depth = 3})).nonzeros(), 5 * 15 - 2 * 3 - 2 * 5);
}

TEST(Generate, ConstantRowsHaveTheirLength) {
  const Structure s = analyze(generate(spec("constant", 300, 64, {}, 100)));
  EXPECT_EQ(s.row_min, 64);
  EXPECT_EQ(s.row_max, 64);
}

TEST(Generate, NormalAndUniformLengthsAreAsTheirNamesSay) {
  const Structure normal = analyze(generate(spec("normal", 40000, 64)));
  EXPECT_NEAR(normal.row_mean, 64, 0.5);
  EXPECT_NEAR(normal.row_std, 16, 0.3);
  const Structure uniform = analyze(generate(spec("uniform", 40000, 64)));
  EXPECT_EQ(uniform.row_min, 1);
  EXPECT_EQ(uniform.row_max, 127);
  EXPECT_NEAR(uniform.row_mean, 64, 0.6);
  EXPECT_NEAR(uniform.row_std, 127 / std::sqrt(12.0), 0.5);
}

TEST(Generate, LongrowHasItsFewLongRows) {
  const Structure s = analyze(generate(spec("longrow", 50000, 3, {.long_rows = 5, .long_share = 0.2})));
  EXPECT_EQ(s.rows_at_least(100), 5);
  EXPECT_NEAR(static_cast<double>(s.row_max), 0.2 * 150000 / 5, 2);
  EXPECT_NEAR(s.row_mean, 3, 0.03);
}

TEST(Generate, PowerlawHasItsMean) {
  const Structure s = analyze(generate(spec("powerlaw", 100000, 8, {.exponent = 3})));
  EXPECT_NEAR(s.row_mean, 8, 0.8);
  EXPECT_GT(s.row_max, 20 * 8);
}

TEST(Generate, BandedStaysInItsBand) {
  const Structure s = analyze(generate(spec("banded", 5000, 9, {.bandwidth = 60})));
  EXPECT_LE(s.diagonal_bandwidth, 60);
  EXPECT_NEAR(s.row_mean, 9, 0.2);
  const Structure full = analyze(generate(spec("banded", 100, 0, {.bandwidth = 2})));
  EXPECT_EQ(full.nonzeros, 5 * 100 - 6);
}

TEST(Generate, BlocksAreDenseSquares) {
  const Structure s = analyze(generate(spec("blocks", 3000, 60, {.dof = 3})));
  EXPECT_GE(s.neighbours, 4.0 / 3);  // two of three have both neighbours within their own block
  for (const RowLengthCount& entry : s.row_histogram) EXPECT_EQ(entry.length % 3, 0);
}

TEST(Generate, DistinctColumnsAreUniform) {
  // Every pair of a few columns must come up equally often, by each of the three ways of drawing.
  struct Case {
    std::int64_t bound;
    std::size_t count;
  };
  for (const Case& c : {Case{9, 3}, Case{9, 7}, Case{2000, 30}, Case{300, 3}}) {
    matrix::DrawScratch scratch;
    std::vector<double> hits(static_cast<std::size_t>(c.bound), 0);
    std::vector<std::int32_t> columns(c.count);
    constexpr int draws = 20000;
    for (int i = 0; i < draws; ++i) {
      matrix::CounterRandom random(5, i, 1);
      matrix::draw_distinct(random, c.bound, columns, scratch);
      ASSERT_TRUE(std::ranges::adjacent_find(columns, std::greater_equal<>()) == columns.end());
      ASSERT_GE(columns.front(), 0);
      ASSERT_LT(columns.back(), c.bound);
      for (const std::int32_t column : columns) hits[static_cast<std::size_t>(column)] += 1;
    }
    const double share = static_cast<double>(c.count) / static_cast<double>(c.bound), expected = draws * share;
    double chi = 0;
    for (const double h : hits) chi += (h - expected) * (h - expected) / (expected * (1 - share));
    const double freedom = static_cast<double>(c.bound - 1);
    EXPECT_LT(chi, freedom + 6 * std::sqrt(2 * freedom)) << c.bound << " " << c.count;
  }
}

TEST(Generate, PortableMathematicsIsAccurate) {
  for (double x = 1e-12; x < 1e12; x *= 3.7)
    EXPECT_NEAR(matrix::portable_log(x), std::log(x), 4e-15 * (1 + std::abs(std::log(x))));
  for (double x = -50; x < 50; x += 0.37) EXPECT_NEAR(matrix::portable_exp(x) / std::exp(x), 1, 1e-13);
  for (double z = -6; z <= 6; z += 0.25)
    EXPECT_NEAR(matrix::normal_quantile(0.5 * std::erfc(-z / std::sqrt(2.0))), z, 1e-6 * (1 + std::abs(z)));
}

TEST(Generate, RefusesWhatMakesNoSense) {
  EXPECT_NE(usage_error(spec("hexagonal", 10, 2)).find("poisson2d"), std::string::npos);  // names the kinds
  EXPECT_NE(usage_error(spec("poisson2d", 0, 0)).find("size"), std::string::npos);
  EXPECT_NE(usage_error(spec("constant", 10, 2, {.size = 3})).find("takes no size"), std::string::npos);
  EXPECT_THROW((void)MatrixParameters::from_json(R"({"size":)"), Error);
  EXPECT_NE(usage_error(spec("constant", 10, 11)).find("do not fit"), std::string::npos);
  EXPECT_NE(usage_error(spec("constant", 10, 2.5)).find("whole number"), std::string::npos);
  EXPECT_NE(usage_error(spec("poisson3d", 0, 0, {.size = 100000})).find("1e+15 rows"), std::string::npos);
  EXPECT_NE(usage_error(spec("constant", 2000000000, 1e9)).find("this machine has"), std::string::npos);
  EXPECT_NE(usage_error(spec("blocks", 10, 5, {.dof = 3})).find("multiple"), std::string::npos);
  EXPECT_NE(usage_error(spec("structured", 100, 4, {.row_std = 0.1, .skew = 20})).find("deviation"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast
