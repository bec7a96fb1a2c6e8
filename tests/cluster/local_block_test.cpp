// Local products in both formats, what every rank holds, cache friendliness: on matrices that can be checked by eye.

#include "cluster/scheme/local_block.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "cluster/features/block_features.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {

// | 1 . 2 |
// | . . . |
// | 3 4 . |   entries out of order, the 3 in two halves
const std::vector<LocalEntry> mtx3{{2, 1, 4}, {0, 2, 2}, {2, 0, 1}, {0, 0, 1}, {2, 0, 2}};

TEST(LocalBlock, MultipliesInBothFormats) {
  const std::vector<double> x{1, 10, 100};
  for (const LocalFormat format : all_formats()) {
    const LocalBlock block(csr_block(3, 3, mtx3), format);
    std::vector<double> y{7, 7, 7};
    block.apply(x, y, false);
    EXPECT_EQ(y, (std::vector<double>{201, 0, 43}));
    block.apply(x, y, true);
    EXPECT_EQ(y, (std::vector<double>{402, 0, 86}));
    EXPECT_EQ(block.nonzeros(), 5);
  }
}

TEST(LocalBlock, SortsColumnsWithinRows) {
  const CsrBlock block = csr_block(3, 3, mtx3);
  EXPECT_EQ((std::vector<std::int32_t>(block.column_indices.begin(), block.column_indices.end())),
            (std::vector<std::int32_t>{0, 2, 0, 0, 1}));
}

TEST(LocalBlock, MayBeEmpty) {
  const LocalBlock block(csr_block(0, 0, {}), LocalFormat::coo);
  std::vector<double> none;
  block.apply(none, none, false);
  EXPECT_EQ(block.nonzeros(), 0);
}

TEST(LocalBlock, RefusesWhat32BitsCannotCount) { EXPECT_THROW(csr_block(std::int64_t{1} << 31, 1, {}), Error); }

Matrix small_matrix(const std::string& kind, std::int64_t rows, double row_length, const MatrixParameters& parameters) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = rows;
  spec.row_length = row_length;
  spec.parameters = parameters;
  spec.seed = 5;
  return generate(spec);
}

// The parts of all ranks together give A·x.
void expect_parts_multiply(const Matrix& matrix, Scheme scheme, int processes) {
  if (scheme != Scheme::two_d_uniform && processes > 1 && !has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const auto n = static_cast<std::size_t>(matrix.rows());
  std::vector<double> x(n), expected(n, 0.0), y(n, 0.0);
  std::iota(x.begin(), x.end(), 1.0);
  matrix.visit([&](const auto& csr) {
    for (std::size_t r = 0; r < n; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        expected[r] += csr.values[k] * x[csr.column_indices[k]];
  });
  const Placement placement = place(matrix, processes, 11, scheme != Scheme::two_d_uniform);
  const IndexPermutation permute(matrix.rows(), 11);
  const Grid grid = grid_of(processes);
  std::int64_t received = 0, announced = 0;
  for_each_part(matrix, scheme, placement, [&](const RankPart& part) {
    const auto row_at = [&](std::int64_t local) {
      return scheme == Scheme::two_d_uniform ? permute.inverse(part.rank / grid.columns * part.own.rows + local)
                                             : placement.order.row[placement.order.first[part.rank] + local];
    };
    const auto x_at = [&](std::int64_t column, bool remote) {
      if (scheme == Scheme::two_d_uniform)
        return x[permute.inverse(part.rank % grid.columns * part.own.columns + column)];
      if (scheme == Scheme::global_rows) return x[placement.order.row[column]];
      return x[placement.order.row[remote ? part.received[column] : placement.order.first[part.rank] + column]];
    };
    for (const bool remote : {false, true}) {
      const CsrBlock& block = remote ? part.remote : part.own;
      for (std::int64_t r = 0; r < block.rows; ++r)
        for (auto k = block.row_pointers[r]; k < block.row_pointers[r + 1]; ++k)
          y[row_at(r)] += block.values[k] * x_at(block.column_indices[k], remote);
    }
    received += static_cast<std::int64_t>(part.received.size());
    for (const Message& message : part.receives) {
      EXPECT_NE(message.rank, part.rank);
      announced += message.count;
    }
  });
  EXPECT_EQ(received, announced);
  for (std::size_t r = 0; r < n; ++r)
    EXPECT_NEAR(y[r], expected[r], 1e-9 * (1 + std::abs(expected[r]))) << to_string(scheme) << " row " << r;
}

TEST(RankParts, TogetherMultiplyLikeTheWhole) {
  for (const Scheme scheme : all_schemes())
    for (const int processes : {1, 4, 6, 8, 9}) {
      expect_parts_multiply(small_matrix("poisson2d", 0, 0, {.size = 7}), scheme, processes);
      expect_parts_multiply(small_matrix("powerlaw", 80, 5, ""), scheme, processes);
      expect_parts_multiply(small_matrix("random", 5, 2, ""), scheme, processes);  // more processes than rows
    }
}

TEST(CacheFriendliness, CountsWhatAnLruCacheMisses) {
  // One row that reads lines 0 1 2 0 1 2: with room for two lines every read misses (LRU's worst case) …
  std::vector<LocalEntry> entries;
  for (std::int32_t k = 0; k < 3; ++k) entries.push_back({0, 8 * k, 1});
  for (std::int32_t k = 0; k < 3; ++k) entries.push_back({1, 8 * k, 1});
  const CsrBlock block = csr_block(2, 24, entries);
  EXPECT_EQ(x_misses(block, 2), 6);
  // … with room for three none does, since the first traversal brought them in.
  EXPECT_EQ(x_misses(block, 3), 0);
}

TEST(BlockFeatures, CountChangesOfRowLength) {
  const BlockFeatures f = block_features(csr_block(3, 3, mtx3), {});
  EXPECT_EQ(f.rows, 3);
  EXPECT_EQ(f.nonzeros, 5);
  EXPECT_EQ(f.length_changes, 3);  // 2, 0, 3
  EXPECT_EQ(f.length_bits, 0);     // each length is followed by the only one that ever follows it
  EXPECT_EQ(f.chained_nonzeros, 0);
  std::vector<LocalEntry> entries;
  for (std::int32_t k = 0; k < 20; ++k) entries.push_back({1, k, 1});
  EXPECT_EQ(block_features(csr_block(2, 20, entries), {}).chained_nonzeros, 20 - chain_free);
}

TEST(BlockFeatures, CountTheInformationInRowLengths) {
  // Four lengths in turn say nothing after the first round; two lengths at random say a bit a row.
  std::vector<LocalEntry> in_turn, at_random;
  std::mt19937 random(7);
  constexpr std::int32_t rows = 4000;
  for (std::int32_t r = 0; r < rows; ++r) {
    for (std::int32_t k = 0; k <= r % 4; ++k) in_turn.push_back({r, k, 1});
    for (std::int32_t k = 0, length = 1 + static_cast<std::int32_t>(random() % 2); k < length; ++k)
      at_random.push_back({r, k, 1});
  }
  EXPECT_EQ(block_features(csr_block(rows, 4, in_turn), {}).length_bits, 0);
  EXPECT_NEAR(block_features(csr_block(rows, 4, at_random), {}).length_bits, 4000, 40);
}

TEST(LocalBlock, FilledRowsAloneAreAddedAndCounted) {
  const std::vector<LocalEntry> entries{{1, 0, 2}, {4, 1, 3}, {4, 0, 5}};
  const CsrBlock all = csr_block(6, 2, entries);
  CsrBlock filled = all;
  list_filled_rows(filled);
  EXPECT_EQ(filled.filled_rows, (Array<std::int32_t>{1, 4}));
  const std::vector<double> x{10, 100};
  for (const CsrBlock* const block : {&all, static_cast<const CsrBlock*>(&filled)})
    for (const bool add : {false, true}) {
      if (block == &filled && !add) continue;  // such a block is only ever added
      std::vector<double> y(6, 1.0);
      LocalBlock(*block, LocalFormat::csr).apply(x, y, add);
      const double base = add ? 1 : 0;
      EXPECT_EQ(y, (std::vector<double>{base, base + 20, base, base, base + 350, base})) << add;
    }
  EXPECT_EQ(block_features(all, {}).rows, 6);
  EXPECT_EQ(block_features(filled, {}).rows, 2);
  EXPECT_EQ(block_features(filled, {}).listed_rows, 2);
  EXPECT_EQ(block_features(all, {}).listed_rows, 0);
  EXPECT_EQ(block_features(filled, {}).length_changes, 2);  // 1, 2
}

TEST(NeighbourExchange, OfEqualSharesAllButOneAreWaitedFor) {
  EXPECT_EQ(longest_exchange({}), 0);
  EXPECT_EQ(longest_exchange(std::vector<double>{5}), 0);
  for (const std::size_t size : {2, 3, 4, 7, 16, 64})
    EXPECT_EQ(longest_exchange(std::vector<double>(size, 3.0)), 3.0 * static_cast<double>(size - 1)) << size;
}

TEST(NeighbourExchange, ALargeShareIsInEveryStepsWay) {
  // Of 16 ranks each hands on eight times, of 15 each hands on fourteen times.
  for (const std::size_t owner : {0, 5, 10}) {
    std::vector<double> even(16, 0.0), odd(15, 0.0);
    even[owner] = odd[owner] = 1000;
    EXPECT_EQ(longest_exchange(even), 8000) << owner;
    EXPECT_EQ(longest_exchange(odd), 14000) << owner;
  }
}

TEST(SchemeFeatures, KnowWhatUnequalSharesOfXMakeRanksWaitFor) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const Matrix matrix = small_matrix("powerlaw", 300, 5, "");
  const Placement placement = place(matrix, 4, 1, true);
  std::vector<double> shares;
  for (std::size_t q = 0; q < 4; ++q)
    shares.push_back(8 * static_cast<double>(placement.order.first[q + 1] - placement.order.first[q]));
  EXPECT_EQ(scheme_features(matrix, Scheme::global_rows, placement, {}, 2).load.gathered_bytes,
            longest_exchange(shares));
}

TEST(SchemeFeatures, GiveThePapersAttributes) {
  const Matrix matrix = small_matrix("poisson2d", 0, 0, {.size = 10});
  const SchemeFeatures f = scheme_features(matrix, Scheme::two_d_uniform, place(matrix, 4, 1, false), {}, 2);
  ASSERT_EQ(f.attributes.size(), 5u);
  EXPECT_DOUBLE_EQ(f.attributes[0], 25);             // rows per process
  EXPECT_DOUBLE_EQ(f.attributes[1], 460 / 4.0);      // non-zeros per process: 5·100 − 4·10
  EXPECT_DOUBLE_EQ(f.attributes[2], 4.6);            // non-zeros per row
  EXPECT_DOUBLE_EQ(f.attributes[3], 460 / 10000.0);  // density
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const SchemeFeatures local = scheme_features(matrix, Scheme::local_rows, place(matrix, 4, 1, true), {}, 2);
  ASSERT_EQ(local.attributes.size(), 9u);
  EXPECT_NEAR(local.attributes[5] + local.attributes[6], 460 / 4.0, 1e-9);  // local and remote non-zeros
  EXPECT_GT(local.load.messages, 0);
  EXPECT_GE(local.load.node_bytes, local.load.far_bytes);
}

TEST(SchemeFeatures, CountHalfTheBytesInSinglePrecision) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const Matrix matrix = small_matrix("poisson2d", 0, 0, {.size = 10});
  const Placement placement = place(matrix, 4, 1, true);
  const auto of = [&](Precision precision) {
    return scheme_features(matrix, Scheme::local_rows, placement, {{64, 64, 64}}, 2, precision);
  };
  const SchemeFeatures twice = of(Precision::double_), once = of(Precision::single_);
  EXPECT_GT(once.load.near_bytes + once.load.far_bytes, 0);
  EXPECT_EQ(2 * once.load.near_bytes, twice.load.near_bytes);
  EXPECT_EQ(2 * once.load.far_bytes, twice.load.far_bytes);
  EXPECT_EQ(2 * once.load.node_bytes, twice.load.node_bytes);
  const BlockFeatures &narrow = once.ranks[0].own, &wide = twice.ranks[0].own;
  // An index of 4 bytes and a value; 4 bytes for each row.
  EXPECT_EQ(stored_bytes(narrow, LocalFormat::csr), 8 * wide.nonzeros + 4 * wide.rows);
  EXPECT_EQ(stored_bytes(narrow, LocalFormat::coo), 12 * wide.nonzeros);
  EXPECT_LT(narrow.misses[0], wide.misses[0]);  // a line holds sixteen entries of x
}

}  // namespace
}  // namespace sparsecast::cluster
