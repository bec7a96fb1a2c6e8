// Matrices that are not made: shares by a recipe's numbers beside those of matrices that can be made.

#include "cluster/described/recipe.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <utility>

#include "cluster/features/rank_parts.hpp"
#include "cluster/features/scheme_features.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {

TEST(RmatPart, HasAsManyColumnsAsAMadeMatrixHas) {
  MatrixSpec spec;
  spec.kind = "rmat";
  spec.seed = 3;
  spec.parameters.scale = 14;
  spec.parameters.edges = 200'000;
  const Matrix matrix = generate(spec);
  const RmatCounts rmat{14, 200'000, false};
  const double filled = matrix.visit_pattern([](const auto& csr) {
    std::set<std::int64_t> columns(csr.column_indices.begin(), csr.column_indices.end());
    return static_cast<double>(columns.size());
  });
  EXPECT_NEAR(distinct_columns(rmat, 200'000) / filled, 1, 0.02);
  // Half of the rows, dealt at random: which of the long ones are among them moves the entries.
  const Matrix block = rmat_block(rmat, (1 << 14) / 2, 2, 5);
  EXPECT_EQ(block.rows(), (1 << 14) / 2);
  EXPECT_TRUE(block.is_canonical());
  EXPECT_NEAR(static_cast<double>(block.cols()) / distinct_columns(rmat, 200'000.0 / 2), 1, 0.1);
  EXPECT_NEAR(static_cast<double>(block.nonzeros()) / (static_cast<double>(matrix.nonzeros()) / 2), 1, 0.2);
}

// Sparse and so dense that most edges are drawn again, as a graph and as a symmetric one.
TEST(Recipes, HaveAsManyEntriesAsTheMatrixThatIsMade) {
  for (const auto& [scale, edges] : {std::pair{10, 1e4}, {10, 2e5}, {10, 1e6}, {16, 1e6}, {4, 256.0}})
    for (const bool symmetric : {false, true}) {
      const Recipe recipe =
          recipe_of(fmt::format("rmat:scale={},edges={}{}", scale, edges, symmetric ? ",symmetric=1" : ""));
      MatrixSpec spec;
      spec.kind = "rmat";
      spec.parameters.scale = scale;
      spec.parameters.edges = edges;
      if (symmetric) spec.parameters.symmetric = 1;
      double mean = 0;
      constexpr int seeds = 5;
      for (spec.seed = 1; spec.seed <= seeds; ++spec.seed)
        mean += static_cast<double>(generate(spec).nonzeros()) / seeds;
      EXPECT_NEAR(static_cast<double>(recipe.nonzeros()) / mean, 1, scale > 4 ? 0.01 : 0.06) << recipe.name();
    }
}

TEST(Recipes, ThatDoNotSayWhatIsMeantAreRefused) {
  for (const char* const text :
       {"rmat:scale=20.7,edges=1e6", "rmat:scale=20,edges=1e6,edges=1e7", "rmat:scale=4,edges=1e10", "rmat:scale=20",
        "geometric:rows=1e6,rows=1e9", "geometric:rows=1e6,dimensions=2.5", "geometric:rows=1e15,row_mean=1e4",
        "geometric:rows=100,row_mean=60", "geometric:rows=1e6,size=5", "rmat:scale=20,edges=nan"})
    try {
      (void)recipe_of(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << text;
    }
}

// Told from a matrix of an eighth of the entries.
TEST(RecipeShares, AreThoseOfMatricesThatCanBeMade) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  constexpr int processes = 32, on_node = 8;
  for (const char* const text : {"rmat:scale=17,edges=1.6e6", "geometric:rows=160000,row_mean=10",
                                 "geometric:rows=110000,row_mean=14,dimensions=3"}) {
    const Recipe recipe = recipe_of(text);
    MatrixSpec spec;
    spec.seed = 7;
    spec.kind = recipe.kind == RecipeKind::rmat ? "rmat" : "geometric";
    if (recipe.kind == RecipeKind::rmat) {
      spec.parameters.scale = recipe.rmat.scale;
      spec.parameters.edges = recipe.rmat.edges;
    } else {
      spec.rows = recipe.rows();
      spec.row_length = recipe.row_mean;
      spec.parameters.dimensions = recipe.dimensions;
    }
    const Matrix matrix = generate(spec);
    const SchemeFeatures made =
        scheme_features(matrix, Scheme::local_rows, place(matrix, processes, 1, true), {}, on_node);
    const NodeShare told = RecipeShares(recipe, 2e5).share(processes, on_node, Precision::double_);
    EXPECT_NEAR(static_cast<double>(recipe.nonzeros()) / static_cast<double>(matrix.nonzeros()), 1, 0.1) << text;
    EXPECT_NEAR(told.features.load.messages / made.load.messages, 1, 0.35) << text;
    const double all = made.load.near_bytes + made.load.far_bytes;
    EXPECT_NEAR((told.features.load.near_bytes + told.features.load.far_bytes) / all, 1, 0.35) << text;
    EXPECT_NEAR(told.features.load.node_bytes / made.load.node_bytes, 1, 0.5) << text;
    double most = 0;
    for (int node = 0; node < processes / on_node; ++node) {
      double held = 0;
      for (int r = 0; r < on_node; ++r) {
        const RankFeatures& rank = made.ranks[static_cast<std::size_t>(node * on_node + r)];
        held += rank.own.nonzeros + rank.remote.nonzeros;
      }
      most = std::max(most, held);
    }
    EXPECT_NEAR(static_cast<double>(told.node.nonzeros) / most, 1, 0.25) << text;
  }
}

void expect_shares_of_ten_thousand_million_entries(RecipeShares shares) {
  const NodeShare few = shares.share(512, 8, Precision::double_), many = shares.share(4096, 8, Precision::double_);
  EXPECT_EQ(few.features.rows, std::int64_t{1} << 30);
  EXPECT_GT(few.features.load.node_bytes, many.features.load.node_bytes) << "smaller parts need fewer columns";
  EXPECT_GT(8 * many.features.load.node_bytes, few.features.load.node_bytes) << "but all together more";
  EXPECT_NEAR(static_cast<double>(few.node.nonzeros) / (8.0 * static_cast<double>(many.node.nonzeros)), 1, 0.1);
}

TEST(Recipe, OfTenThousandMillionEntriesIsToldWithoutMakingIt) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  expect_shares_of_ten_thousand_million_entries(RecipeShares(recipe_of("rmat:scale=30,edges=1e10"), 2e5));
}

TEST(SlowRecipe, OfTenThousandMillionEntriesIsToldFromAsManyAsForUsers) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  expect_shares_of_ten_thousand_million_entries(RecipeShares(recipe_of("rmat:scale=30,edges=1e10")));
}

TEST(Recipe, WhatIsMissingOrUnknownIsRefused) {
  for (const char* const wrong : {"rmat", "rmat:scale=20", "rmat:scale=20,edges=1e6,colour=3", "geometric:row_mean=8",
                                  "geometric:rows=1e6,dimensions=4", "rmat:scale=1e9,edges=1", "rmat:scale=20,edges=x"})
    EXPECT_THROW((void)recipe_of(wrong), Error) << wrong;
  EXPECT_TRUE(is_recipe("rmat:scale=20,edges=1e6"));
  EXPECT_FALSE(is_recipe("poisson3d"));
}

}  // namespace
}  // namespace sparsecast::cluster
