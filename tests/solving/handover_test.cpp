// Vectors that threads hand to each other: which rows, what it costs, and that the ways of storing them agree.

#include "solving/handover.hpp"

#include <gtest/gtest.h>
#include <sys/sysinfo.h>

#include <array>
#include <sparsecast/generate.hpp>

#include "base/random.hpp"
#include "solving/forecast/forecast.hpp"
#include "solving/forecast/rates.hpp"
#include "solving/run/sweeps.hpp"

namespace sparsecast::test {
namespace {

using namespace solving;
using formats::Stores;
using formats::VectorLoops;

// Row r holds one entry, in column column_of(r).
template <class ColumnOf>
Matrix one_entry_a_row(std::int64_t rows, const ColumnOf& column_of) {
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = csr.cols = rows;
  for (std::int64_t row = 0; row <= rows; ++row) csr.row_pointers.push_back(static_cast<std::int32_t>(row));
  for (std::int64_t row = 0; row < rows; ++row) csr.column_indices.push_back(static_cast<std::int32_t>(column_of(row)));
  csr.values.assign(static_cast<std::size_t>(rows), 1.0);
  return {std::move(csr), "one entry a row"};
}

TEST(SharedRows, OwnRowsAreNotShared) {
  const SharedRows shared(one_entry_a_row(4096, [](auto row) { return row; }), 2);
  EXPECT_EQ(shared.lines(), 0);
  for (std::int64_t row = 0; row < 4096; ++row) EXPECT_FALSE(shared.at(row));
  EXPECT_EQ(shared.end_of_stretch(0), 4096);
}

TEST(SharedRows, ThreadsThatReadEachOthersHalvesShareAllOfThem) {
  const SharedRows shared(one_entry_a_row(4096, [](auto row) { return (row + 2048) % 4096; }), 2);
  EXPECT_EQ(shared.lines(), 2048 / 8);
  EXPECT_TRUE(shared.at(0));
  EXPECT_TRUE(shared.at(4095));
  EXPECT_EQ(shared.end_of_stretch(0), 4096);
}

TEST(SharedRows, OnlyTheStretchesThatOthersRead) {
  // The second thread reads the first 512 rows, the first thread its own.
  const SharedRows shared(one_entry_a_row(4096, [](auto row) { return row < 2048 ? row : row % 512; }), 2);
  EXPECT_EQ(shared.lines(), 512 / 8);
  EXPECT_TRUE(shared.at(511));
  EXPECT_FALSE(shared.at(512));
  EXPECT_EQ(shared.end_of_stretch(0), 512);
  EXPECT_EQ(shared.end_of_stretch(512), 4096);
}

TEST(SharedRows, OneThreadSharesWithNobody) {
  EXPECT_TRUE(SharedRows(one_entry_a_row(4096, [](auto) { return 0; }), 1).empty());
}

TEST(Handover, CountsLinesAndIsNothingForOneThreadOrTooMany) {
  EXPECT_EQ(line_cost(1).best_s(), 0);
  EXPECT_EQ(line_cost(get_nprocs() + 1).best_s(), 0) << "they would wait for time slices";
  const Handover all = measured_handover(one_entry_a_row(4096, [](auto row) { return (row + 2048) % 4096; }), 2);
  EXPECT_EQ(all.lines, 256);
}

TEST(Handover, IsTakenAroundTheCachesWhereThatIsClearlyCheaper) {
  EXPECT_EQ((LineCost{50e-9, 12e-9}.stores()), Stores::around);
  EXPECT_EQ((LineCost{50e-9, 12e-9}.best_s()), 12e-9);
  EXPECT_EQ((LineCost{10e-9, 7e-9}.stores()), Stores::kept);
  EXPECT_EQ((LineCost{10e-9, 7e-9}.best_s()), 10e-9);
  EXPECT_EQ((LineCost{0, 0}.stores()), Stores::kept);
}

TEST(Handover, IsAPartOfTheForecast) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 20}});
  Forecast product;
  product.kernel = "csr";
  product.seconds = product.low_s = product.high_s = 1e-6;
  Profile profile;
  profile.properties.memory_bandwidth = 1e10;
  const Rates rates(profile, 2);
  const Structure structure = analyze(matrix);
  const Method method = parse_method("bicgstab");
  const SolveForecast without = forecast_iteration(product, rates, structure, {}, method);
  const SolveForecast with = forecast_iteration(product, rates, structure, {}, method, {100, 20e-9});
  // Two products of an iteration take over 100 lines each.
  EXPECT_NEAR(with.iteration.seconds - without.iteration.seconds, 2 * 100 * 20e-9, 1e-12);
}

// Every loop that writes the operand of a product, on the same vectors by either kind of store.
std::array<Vector, 4> after_all_loops(const VectorLoops& loops, std::int64_t count) {
  std::array<Vector, 4> v;
  base::Random random(7);
  for (Vector& one : v) {
    one.resize(static_cast<std::size_t>(count));
    for (double& value : one) value = 2 * random.uniform() - 1;
  }
  auto& [a, b, c, d] = v;
  loops.update(count, 0.5, a.data(), b.data());
  loops.scale(count, 1.5, b.data(), c.data());
  loops.times(count, a.data(), c.data(), d.data());
  loops.update_and_times(count, -0.25, a.data(), b.data(), c.data(), d.data());
  loops.step_and_turn(count, 0.1, 0.2, a.data(), b.data(), c.data());
  loops.step_and_turn_scaled(count, 0.1, 0.2, a.data(), d.data(), b.data(), c.data());
  loops.turn(count, 0.3, 0.4, a.data(), b.data(), d.data());
  loops.turn_scaled(count, 0.3, 0.4, a.data(), b.data(), c.data(), d.data(), a.data());
  loops.relax(count, a.data(), b.data(), c.data(), d.data());
  loops.accelerate(count, 0.3, 0.4, a.data(), b.data(), c.data());
  loops.accelerate_scaled(count, 0.3, 0.4, a.data(), d.data(), b.data(), c.data());
  loops.normalise(count, 0.7, 0.2, a.data(), d.data());
  return v;
}

TEST(VectorLoops, StoreTheSameAroundTheCaches) {
  for (const formats::Simd simd : formats::supported_simd())
    for (const std::int64_t count : {0, 1, 7, 8, 9, 64, 1001})
      EXPECT_EQ(after_all_loops(formats::vector_loops(simd, Stores::around), count),
                after_all_loops(formats::vector_loops(simd, Stores::kept), count))
          << formats::simd_name(simd) << ", " << count;
}

TEST(Sweeps, GoThroughEveryRowOnceWhereverTheyAreStored) {
  constexpr std::int64_t rows = 5003;
  const SharedRows shared(one_entry_a_row(rows, [](auto row) { return row < 2500 ? row : row % 1024; }), 2);
  ASSERT_TRUE(shared.at(0));
  ASSERT_FALSE(shared.at(2000));
  const Vector from(rows, 2.0);
  Vector to(rows, 1.0);
  Sweeps sweeps(rows, 2, &shared);
  std::array<std::int64_t, 2> around{};
  const double sum = sweeps.sum({from.data(), to.data()}, {to.data()},
                                [&](const VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                                  loops.update(end - begin, 1, from.data() + begin, to.data() + begin);
                                  if (&loops == &formats::vector_loops(Stores::around))
                                    around[begin < rows / 2 ? 0 : 1] += end - begin;
                                  return static_cast<double>(end - begin);
                                });
  EXPECT_EQ(sum, rows);
  EXPECT_EQ(to, Vector(rows, 3.0));
  EXPECT_EQ(around[0], 1024);
  EXPECT_EQ(around[1], 0);
}

}  // namespace
}  // namespace sparsecast::test
