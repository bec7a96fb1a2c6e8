#include <sparsecast/structure.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <unordered_map>

#include "matrix/structure/marked_stack.hpp"
#include "matrix/structure/structure_json.hpp"

namespace sparsecast {
namespace {

using Rows = std::vector<std::vector<int>>;

Matrix matrix_of(const Rows& rows, std::int64_t cols) {
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = static_cast<std::int64_t>(rows.size());
  csr.cols = cols;
  csr.row_pointers.push_back(0);
  for (const auto& row : rows) {
    for (const int column : row) {
      csr.column_indices.push_back(column);
      csr.values.push_back(1);
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  return Matrix(std::move(csr), "m");
}

Rows random_rows(std::mt19937& random, int rows, int cols) {
  Rows result(static_cast<std::size_t>(rows));
  for (auto& row : result) {
    const int skip = static_cast<int>(random() % 4);
    for (int c = 0; c < cols; ++c)
      if (skip > 0 && static_cast<int>(random() % 7) < skip) row.push_back(c);
  }
  return result;
}

MatrixSpec spec(const std::string& kind, std::int64_t rows, double mean, const MatrixParameters& parameters = {}) {
  MatrixSpec s;
  s.kind = kind;
  s.rows = rows;
  s.row_length = mean;
  s.parameters = parameters;
  s.seed = 1;
  return s;
}

// Rows 0 1 2 4 / - / 1 5 / 5: lengths 4 0 2 1.
const Rows example{{0, 1, 2, 4}, {}, {1, 5}, {5}};

TEST(Structure, RowLengthsOfASmallMatrix) {
  const Structure s = analyze(matrix_of(example, 6));
  EXPECT_EQ(s.rows, 4);
  EXPECT_EQ(s.cols, 6);
  EXPECT_EQ(s.nonzeros, 7);
  EXPECT_DOUBLE_EQ(s.row_mean, 1.75);
  EXPECT_DOUBLE_EQ(s.row_std, std::sqrt((2.25 * 2.25 + 1.75 * 1.75 + 0.25 * 0.25 + 0.75 * 0.75) / 4));
  EXPECT_EQ(s.row_min, 0);
  EXPECT_EQ(s.row_max, 4);
  EXPECT_EQ(s.row_mode, 0);  // all equally common: the shortest
  EXPECT_EQ(s.empty_rows, 1);
  EXPECT_DOUBLE_EQ(s.row_skew, (4 - 1.75) / 1.75);
  // Gini of 0 1 2 4: sum over pairs |a − b| / (2 n² mean) = 2·(1+2+4+1+3+2) / (2·16·1.75)
  EXPECT_DOUBLE_EQ(s.row_gini, 26.0 / 56);
  EXPECT_EQ(s.row_quantile(0), 0);
  EXPECT_EQ(s.row_quantile(0.5), 1);
  EXPECT_EQ(s.row_quantile(1), 4);
  EXPECT_EQ(s.rows_at_least(2), 2);
}

TEST(Structure, LocalityOfASmallMatrix) {
  const Structure s = analyze(matrix_of(example, 6));
  EXPECT_DOUBLE_EQ(s.bandwidth_scaled, (4 + 0 + 4 + 0) / 4.0 / 6);
  EXPECT_DOUBLE_EQ(s.neighbours, 2 * 2 / 7.0);  // pairs 0-1 and 1-2
  EXPECT_DOUBLE_EQ(s.runs_per_row, 5 / 4.0);
  EXPECT_EQ(s.diagonal_bandwidth, 4);
  // Row 0 against row 2 (row 1 is empty): 0 1 2 and 4 all have one of {1, 5} at most a column away; row 2 against row
  // 3: 5 of {1, 5}; the last row has none below. The mean is over the three rows that are not empty.
  EXPECT_DOUBLE_EQ(s.cross_row_similarity, (1 + 0.5 + 0) / 3);
}

TEST(Structure, SlicesOfASmallMatrix) {
  Rows rows(70);
  for (int r = 0; r < 70; ++r) rows[static_cast<std::size_t>(r)].assign(1, 0);
  rows[3] = {0, 1, 2, 3, 4};
  rows[69] = {0, 1, 2};
  const Structure s = analyze(matrix_of(rows, 9));
  EXPECT_EQ(s.slice(32, 1)->slots, 32 * (5 + 1 + 3));
  EXPECT_EQ(s.slice(32, 1024)->slots, 32 * (5 + 1 + 1));
  EXPECT_EQ(s.slice(64, 1)->slots, 64 * (5 + 3));
  EXPECT_EQ(s.slice(64, 1024)->slots, 64 * (5 + 1));
  EXPECT_EQ(s.slice(8, 1)->slots, 8 * (5 + 7 + 3));
  EXPECT_EQ(s.slice(16, 1), nullptr);
}

TEST(Structure, HybSplitFollowsItsRule) {
  // 12,000 rows: at least 4,096 must reach K. 5,000 rows of 7, the rest of 2, one of 100.
  Structure s;
  s.rows = 12000;
  s.row_histogram = {{2, 6999}, {7, 5000}, {100, 1}};
  EXPECT_EQ(hyb_split(s).width, 7);
  EXPECT_EQ(hyb_split(s).overflow, 93);
  // Fewer than 4,096 rows: all of it is COO.
  s.rows = 100;
  s.row_histogram = {{3, 100}};
  EXPECT_EQ(hyb_split(s).width, 0);
  EXPECT_EQ(hyb_split(s).overflow, 300);
  // Beyond 12,288 rows a third must reach it.
  s.rows = 30000;
  s.row_histogram = {{1, 21000}, {5, 9000}};
  EXPECT_EQ(hyb_split(s).width, 1);
}

// The definitions, word for word, on random matrices.
TEST(Structure, AgreesWithTheDefinitions) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const int rows = 1 + static_cast<int>(random() % 300), cols = 1 + static_cast<int>(random() % 60);
    const Rows content = random_rows(random, rows, cols);
    const Structure s = analyze(matrix_of(content, cols), 1 + round % 3);

    double width = 0, adjacent = 0, similarity = 0, filled = 0, pairs = 0;
    std::int64_t nonzeros = 0, diagonal = 0;
    std::vector<std::int64_t> lengths;
    for (int r = 0; r < rows; ++r) {
      const auto& row = content[static_cast<std::size_t>(r)];
      lengths.push_back(static_cast<std::int64_t>(row.size()));
      nonzeros += lengths.back();
      if (row.empty()) continue;
      filled += 1;
      width += row.back() - row.front();
      for (const int c : row) {
        diagonal = std::max<std::int64_t>(diagonal, std::abs(c - r));
        adjacent += static_cast<double>(std::ranges::count(row, c - 1) + std::ranges::count(row, c + 1));
      }
      int next = r + 1;
      while (next < rows && content[static_cast<std::size_t>(next)].empty()) ++next;
      if (next == rows) continue;
      double near = 0;
      for (const int c : row)
        near +=
            std::ranges::any_of(content[static_cast<std::size_t>(next)], [c](int d) { return std::abs(c - d) <= 1; });
      similarity += near / static_cast<double>(row.size());
    }
    for (const auto a : lengths)
      for (const auto b : lengths) pairs += static_cast<double>(std::abs(a - b));
    ASSERT_EQ(s.nonzeros, nonzeros);
    if (nonzeros == 0) continue;
    const double n = rows, z = static_cast<double>(nonzeros);
    EXPECT_NEAR(s.bandwidth_scaled, width / n / cols, 1e-12);
    EXPECT_NEAR(s.neighbours, adjacent / z, 1e-12);
    EXPECT_NEAR(s.cross_row_similarity, similarity / filled, 1e-12);
    EXPECT_NEAR(s.runs_per_row, (z - adjacent / 2) / n, 1e-12);
    EXPECT_NEAR(s.row_gini, pairs / (2 * n * z), 1e-9);
    EXPECT_EQ(s.diagonal_bandwidth, diagonal);
    for (const SliceWork& shape : counted_slice_shapes()) {
      std::vector<std::int64_t> ordered = lengths;
      for (std::size_t w = 0; shape.sort_rows > 1 && w < ordered.size(); w += static_cast<std::size_t>(shape.sort_rows))
        std::sort(ordered.begin() + static_cast<std::ptrdiff_t>(w),
                  ordered.begin() + static_cast<std::ptrdiff_t>(
                                        std::min(ordered.size(), w + static_cast<std::size_t>(shape.sort_rows))),
                  std::greater<>());
      std::int64_t slots = 0;
      for (std::size_t f = 0; f < ordered.size(); f += static_cast<std::size_t>(shape.slice_rows))
        slots +=
            shape.slice_rows *
            *std::max_element(ordered.begin() + static_cast<std::ptrdiff_t>(f),
                              ordered.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                    ordered.size(), f + static_cast<std::size_t>(shape.slice_rows))));
      EXPECT_EQ(s.slice(shape.slice_rows, shape.sort_rows)->slots, slots);
    }
    std::int64_t in_blocks = 0, in_histogram = 0;
    for (const auto count : s.block_nonzeros) in_blocks += count;
    for (const auto& entry : s.row_histogram) in_histogram += entry.rows * entry.length;
    EXPECT_EQ(s.block_nonzeros.size(), 64U);
    EXPECT_EQ(in_blocks, nonzeros);
    EXPECT_EQ(in_histogram, nonzeros);
  }
}

TEST(Structure, WideRangesOfLengthsAreSortedRight) {
  // Lengths below and beyond what is tallied in an array, in one sorting window.
  Rows rows(1500);
  std::mt19937 random(3);
  std::vector<std::int64_t> lengths;
  for (auto& row : rows) {
    const int length = random() % 50 == 0 ? 2000 + static_cast<int>(random() % 3000) : static_cast<int>(random() % 30);
    for (int c = 0; c < length; ++c) row.push_back(c);
    lengths.push_back(length);
  }
  const Structure s = analyze(matrix_of(rows, 6000));
  std::sort(lengths.begin(), lengths.begin() + 1024, std::greater<>());
  std::sort(lengths.begin() + 1024, lengths.end(), std::greater<>());
  std::int64_t slots = 0;
  for (std::size_t f = 0; f < lengths.size(); f += 8) slots += 8 * lengths[f];
  EXPECT_EQ(s.slice(8, 1024)->slots, slots);
}

// Rows of the lengths given, columns from 0.
Matrix rows_of(const std::vector<int>& lengths, int cols) {
  Rows rows(lengths.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (int c = 0; c < lengths[r]; ++c) rows[r].push_back(c);
  return matrix_of(rows, cols);
}

TEST(Structure, WhatABranchPredictorKnowsIsTheOrderOfTheRows) {
  std::mt19937 random(11);
  std::vector<int> constant(6000, 5), pattern, shuffled, holes;
  for (int r = 0; r < 6000; ++r) {
    pattern.push_back(std::vector<int>{3, 3, 7, 1, 4, 4, 4}[static_cast<std::size_t>(r % 7)]);
    holes.push_back(random() % 2 == 0 ? 0 : 5);
  }
  shuffled = pattern;
  std::ranges::shuffle(shuffled, random);
  EXPECT_LT(analyze(rows_of(constant, 9)).mispredicted_rows, 0.01);
  EXPECT_LT(analyze(rows_of(pattern, 9)).mispredicted_rows, 0.01);
  const double mispredicted = analyze(rows_of(shuffled, 9)).mispredicted_rows;
  EXPECT_GT(mispredicted, 0.5);  // the commonest length is 3 rows in 7
  EXPECT_LT(mispredicted, 0.8);
  const Structure half_empty = analyze(rows_of(holes, 9));
  EXPECT_GT(half_empty.mispredicted_rows, 0.35);
  EXPECT_LT(half_empty.mispredicted_filled_rows, 0.01);
}

TEST(Structure, ForesightIsUnknownInARecordAndKeptInJson) {
  Structure record;
  record.rows = record.cols = record.nonzeros = 4;
  EXPECT_LT(matrix::structure_from_json(matrix::structure_to_json(record)).mispredicted_rows, 0);
  const Structure s = analyze(matrix_of(example, 6));
  const Structure again = matrix::structure_from_json(matrix::structure_to_json(s));
  EXPECT_EQ(again.mispredicted_rows, s.mispredicted_rows);
  EXPECT_EQ(again.mispredicted_filled_rows, s.mispredicted_filled_rows);
}

TEST(Structure, AwkwardShapes) {
  const Structure none = analyze(matrix_of({}, 0));
  EXPECT_EQ(none.nonzeros, 0);
  EXPECT_EQ(none.x_reuse.size(), 4U);
  EXPECT_EQ(hyb_split(none).width, 0);
  const Structure empty = analyze(matrix_of(Rows(5), 7));
  EXPECT_EQ(empty.empty_rows, 5);
  EXPECT_EQ(empty.row_skew, 0);
  EXPECT_EQ(empty.row_gini, 0);
  const Structure one_row = analyze(matrix_of({{0, 1, 2, 9}}, 10));
  EXPECT_EQ(one_row.row_max, 4);
  EXPECT_EQ(one_row.row_gini, 0);
  EXPECT_EQ(one_row.cross_row_similarity, 0);
  const Structure one_column = analyze(matrix_of({{0}, {0}, {}, {0}}, 1));
  EXPECT_DOUBLE_EQ(one_column.cross_row_similarity, 2.0 / 3);
}

TEST(Structure, AnyNumberOfThreadsGivesTheSameBits) {
  for (const MatrixSpec& s : {spec("powerlaw", 60000, 20), spec("poisson2d", 0, 0, {.size = 300}),
                              spec("structured", 150000, 20, {.row_std = 8, .skew = 30})}) {
    const Matrix matrix = generate(s);
    const std::string one = matrix::structure_to_json(analyze(matrix, 1)).dump();
    EXPECT_EQ(one, matrix::structure_to_json(analyze(matrix, 2)).dump());
    EXPECT_EQ(one, matrix::structure_to_json(analyze(matrix, 3)).dump());
  }
}

// The stack of Mattson et al. as a list that is searched from the top.
class PlainStack {
 public:
  std::int64_t read(std::int64_t line) {
    std::int64_t distance = 0;
    for (auto at = lines_.begin(); at != lines_.end(); ++at, ++distance)
      if (*at == line) {
        lines_.erase(at);
        lines_.push_front(line);
        return distance;
      }
    lines_.push_front(line);
    return -1;
  }

 private:
  std::list<std::int64_t> lines_;
};

TEST(Reuse, MarkedStackAgreesWithAPlainOne) {
  std::mt19937 random(11);
  using Lines = std::pair<int, std::uint32_t>;  // how many, and below what
  constexpr std::uint32_t far = 1U << 30;
  for (const auto& [lines, range] :
       std::vector<Lines>{{1, 1}, {2, 2}, {3, 3}, {5, far}, {40, 40}, {40, far}, {700, 700}, {700, far}}) {
    PlainStack plain;
    matrix::MarkedStack marked(1000, range);
    for (int i = 0; i < 5000; ++i) {
      // Mostly near the last ones, sometimes anywhere.
      const auto line =
          static_cast<std::uint32_t>(random() % 3 == 0 ? random() % static_cast<unsigned>(lines)
                                                       : (static_cast<unsigned>(i) / 7) % static_cast<unsigned>(lines));
      const std::int64_t distance = plain.read(line);
      const int bin = distance < 0   ? matrix::MarkedStack::unseen
                      : distance < 2 ? 0
                                     : static_cast<int>(std::ilogb(static_cast<double>(distance)));
      ASSERT_EQ(marked.read(line), bin) << "read " << i << " of " << lines << " lines";
    }
  }
}

// Exact misses of an LRU cache of so many lines.
double exact_misses(const Matrix& matrix, int elements, std::int64_t capacity) {
  return matrix.visit([&](const auto& csr) {
    std::list<std::int64_t> order;
    std::unordered_map<std::int64_t, std::list<std::int64_t>::iterator> where;
    std::int64_t misses = 0;
    for (const auto column : csr.column_indices) {
      const std::int64_t line = column / elements;
      const auto found = where.find(line);
      if (found != where.end()) {
        order.splice(order.begin(), order, found->second);
        continue;
      }
      ++misses;
      order.push_front(line);
      where[line] = order.begin();
      if (static_cast<std::int64_t>(order.size()) > capacity) {
        where.erase(order.back());
        order.pop_back();
      }
    }
    return static_cast<double>(misses) / static_cast<double>(csr.column_indices.size());
  });
}

TEST(Reuse, SmallMatricesAreExact) {
  const Matrix matrix = generate(spec("powerlaw", 1500, 12));
  ASSERT_LT(matrix.nonzeros(), 1 << 15);
  const Structure s = analyze(matrix);
  EXPECT_EQ(s.sampled_share, 1);
  for (const XReuse& reuse : s.x_reuse)
    for (const std::int64_t capacity : {2, 8, 64, 256, 1024})
      EXPECT_NEAR(reuse.miss_share(static_cast<double>(capacity)),
                  exact_misses(matrix, reuse.elements_per_line, capacity), 1e-12);
}

TEST(Reuse, DistinctLinesAreExact) {
  const Matrix matrix = generate(spec("random", 300000, 2));
  const Structure s = analyze(matrix);
  for (const XReuse& reuse : s.x_reuse) {
    std::set<std::int64_t> lines;
    matrix.visit([&](const auto& csr) {
      for (const auto column : csr.column_indices) lines.insert(column / reuse.elements_per_line);
    });
    EXPECT_EQ(reuse.lines, static_cast<std::int64_t>(lines.size()));
    EXPECT_DOUBLE_EQ(reuse.cold, static_cast<double>(lines.size()) / static_cast<double>(matrix.nonzeros()));
  }
}

TEST(Reuse, SampledMissesAreCloseToExactOnes) {
  const MatrixSpec kinds[] = {spec("uniform", 40000, 10),
                              spec("rmat", 0, 0, {.scale = 16, .edges = 500000}),
                              spec("poisson3d", 0, 0, {.size = 40}),
                              spec("geometric", 40000, 12),
                              spec("constant", 1000, 400),
                              spec("structured", 30000, 15, {.bandwidth = 0.2, .neighbours = 1, .similarity = 0.6})};
  for (const MatrixSpec& kind : kinds) {
    const Matrix matrix = generate(kind);
    const Structure s = analyze(matrix);
    EXPECT_LT(s.sampled_share, 0.5) << kind.kind;
    double sum = s.x_reuse[1].cold;
    for (const double share : s.x_reuse[1].distance) sum += share;
    EXPECT_NEAR(sum, 1, 1e-9) << kind.kind;
    for (const std::int64_t capacity : {64, 512, 4096}) {
      const XReuse& reuse = s.x_reuse[1];
      EXPECT_NEAR(reuse.miss_share(static_cast<double>(capacity)),
                  exact_misses(matrix, reuse.elements_per_line, capacity), 0.04)
          << kind.kind << " with " << capacity << " lines";
    }
  }
}

TEST(Structure, ComesBackFromJson) {
  const Structure s = analyze(generate(spec("powerlaw", 3000, 8)));
  const auto json = matrix::structure_to_json(s);
  EXPECT_EQ(matrix::structure_to_json(matrix::structure_from_json(nlohmann::ordered_json::parse(json.dump()))), json);
  // A feature record has no histogram and is a Structure all the same.
  const Structure record =
      matrix::structure_from_json({{"rows", 10}, {"cols", 20}, {"nonzeros", 30}, {"row_mean", 3.0}, {"row_std", 1.5}});
  EXPECT_EQ(record.nonzeros, 30);
  EXPECT_TRUE(record.row_histogram.empty());
}

TEST(Structure, TravelsAsText) {
  const Structure s = analyze(generate(spec("powerlaw", 3000, 8)));
  const std::string text = to_json(s);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(to_json(structure_from_json(text)), text);
  EXPECT_EQ(to_json(structure_from_json(R"({"schema": "sparsecast/info/1", "structure": )" + text + "}")), text);
}

TEST(Structure, TextThatIsNoneNamesItsSource) {
  for (const char* wrong :
       {"", "{", "[1, 2]", "{}", R"({"structure": 7})", R"({"rows": 1, "cols": 1, "nonzeros": -1})"}) {
    try {
      (void)structure_from_json(wrong, "mail.json");
      ADD_FAILURE() << wrong << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << wrong;
      EXPECT_EQ(error.place().file, "mail.json") << wrong;
      EXPECT_NE(error.remedy(), "") << wrong;
    }
  }
}

TEST(Structure, ANameThatIsNoUtf8DoesNotStopTheRest) {
  Structure s;
  s.name = "\xff.mtx";
  s.rows = s.cols = s.nonzeros = 4;
  EXPECT_EQ(structure_from_json(to_json(s)).nonzeros, 4);
}

TEST(Structure, RefusesJsonThatIsNone) {
  const nlohmann::ordered_json good = matrix::structure_to_json(analyze(matrix_of(example, 6)));
  const auto refused = [&](const char* field, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json bad = good;
    bad[field] = value;
    try {
      (void)matrix::structure_from_json(bad);
    } catch (const Error& error) {
      return error.code() == ErrorCode::bad_input;
    }
    return false;
  };
  EXPECT_TRUE(refused("rows", -1));
  EXPECT_TRUE(refused("rows", 1.5));
  EXPECT_TRUE(refused("cols", "six"));
  EXPECT_TRUE(refused("neighbours", 2.5));
  EXPECT_TRUE(refused("cross_row_similarity", nullptr));
  EXPECT_TRUE(refused("row_histogram", {{1, 2}, {1, 2}}));
  EXPECT_TRUE(refused("row_histogram", {{1, 99}}));
  EXPECT_TRUE(refused("slices", {{{"slice_rows", 0}, {"sort_rows", 1}, {"slots", 3}}}));
  EXPECT_TRUE(refused("x_reuse", {{{"lines", 3}}}));
  EXPECT_TRUE(refused("nonzeros", 1000));
}

TEST(Structure, RefusesWhatContradictsTheRest) {
  const nlohmann::ordered_json good = matrix::structure_to_json(analyze(matrix_of(example, 6)));
  const auto refused = [&](const std::string& pointer, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json bad = good;
    bad[nlohmann::ordered_json::json_pointer(pointer)] = value;
    try {
      (void)matrix::structure_from_json(bad);
    } catch (const Error& error) {
      return error.code() == ErrorCode::bad_input;
    }
    return false;
  };
  for (const char* const of_rows :
       {"/row_mean", "/row_std", "/row_skew", "/row_gini", "/row_min", "/row_max", "/row_mode", "/empty_rows"})
    EXPECT_TRUE(refused(of_rows, of_rows == std::string("/row_gini") ? 0.999 : 5)) << of_rows;
  EXPECT_TRUE(refused("/slices/0/slots", 1));
  EXPECT_TRUE(refused("/slices/1/slots", 1'000'000'000'000));
  EXPECT_TRUE(refused("/row_groups/groups", 1'000'000));
  EXPECT_TRUE(refused("/block_nonzeros/0", 1000));
  EXPECT_TRUE(refused("/diagonal_bandwidth", 1'000'000));
  EXPECT_TRUE(refused("/runs_per_row", 1000));
  EXPECT_TRUE(refused("/x_reuse/1/lines", 1'000'000));
  EXPECT_TRUE(refused("/x_reuse/1/distance", {0.9, 0.9}));
}

}  // namespace
}  // namespace sparsecast
