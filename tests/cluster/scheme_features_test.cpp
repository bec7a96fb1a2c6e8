#include "cluster/features/scheme_features.hpp"

#include <gtest/gtest.h>

#include "cluster/features/gathering.hpp"
#include "made_up.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
TEST(SchemeFeatures, KnowWhatUnequalSharesOfXMakeRanksWaitFor) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const Matrix matrix = small_matrix("powerlaw", 300, 5, {});
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
