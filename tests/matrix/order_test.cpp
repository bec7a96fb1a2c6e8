// The graph of a matrix, and the matrix with its rows and columns in another order.

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

#include "matrix/order/permuted.hpp"
#include "matrix/order/symmetric_graph.hpp"
#include "support/matrices.hpp"
#include "support/own_arrays.hpp"

namespace sparsecast::test {
namespace {

// [1 2 .]
// [. . 3]
// [. 4 5]
Matrix small() {
  return {Csr<std::int32_t, std::int32_t>{3, 3, {0, 2, 3, 5}, {0, 1, 2, 1, 2}, {1, 2, 3, 4, 5}}, "small"};
}

std::vector<std::int32_t> neighbours(const matrix::Graph& graph, std::int32_t vertex) {
  const auto span = graph.of(vertex);
  return {span.begin(), span.end()};
}

TEST(SymmetricGraph, JoinsWhatAOrItsTransposeJoins) {
  const matrix::Graph graph = matrix::symmetric_graph(small());
  EXPECT_EQ(graph.vertices(), 3);
  EXPECT_EQ(neighbours(graph, 0), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(neighbours(graph, 1), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(neighbours(graph, 2), (std::vector<std::int32_t>{1}));
}

TEST(SymmetricGraph, IsThatOfSquareMatrices) {
  EXPECT_THROW((void)matrix::symmetric_graph(random_matrix(3, 4, 5, 1)), Error);
  EXPECT_EQ(matrix::symmetric_graph(random_matrix(4, 4, 0, 1)).neighbours.size(), 0U);
}

TEST(Permuted, NumbersRowsAndColumnsAnew) {
  const std::vector<std::int64_t> old_place{2, 0, 1};
  const Matrix permuted = matrix::permuted(small(), old_place, 2);
  EXPECT_EQ(dense(permuted), "5 . 4\n. 1 2\n3 . .\n");
  EXPECT_TRUE(permuted.is_canonical());
}

TEST(Permuted, ComesBackByTheOrderTurnedRound) {
  const Matrix matrix = random_matrix(5000, 5000, 40000, 3);
  std::vector<std::int64_t> there(5000), back(5000);
  for (std::size_t p = 0; p < there.size(); ++p) {
    there[p] = static_cast<std::int64_t>(p * 1811 % 5000);  // 1811 and 5000 have no common factor
    back[static_cast<std::size_t>(there[p])] = static_cast<std::int64_t>(p);
  }
  EXPECT_FALSE(same(matrix, matrix::permuted(matrix, there, 2)));
  EXPECT_TRUE(same(matrix, matrix::permuted(matrix::permuted(matrix, there, 2), back, 1)));
}

}  // namespace
}  // namespace sparsecast::test
