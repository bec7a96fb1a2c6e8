// Powers of a matrix: blocks of rows that take several powers while the caches hold them give what products one after
// the other give, in whatever order, format and number of threads; the order of their tasks; what is refused and what
// is declined.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>

#include "fields/json.hpp"
#include "fields/powers.hpp"
#include "formats/host_product.hpp"
#include "planning/powers/choose_powers.hpp"
#include "planning/powers/levels.hpp"
#include "planning/powers/memory_now.hpp"
#include "planning/powers/powers_cost.hpp"
#include "planning/powers/wavefront.hpp"
#include "planning/run/settle_powers.hpp"
#include "support/matrices.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast::powers {
namespace {
Matrix of_rows(std::int64_t n, const std::vector<std::vector<std::int32_t>>& rows, const std::string& name) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> share(-1, 1);
  Csr<std::int32_t, std::int32_t> csr{n, n, {}, {}, {}};
  csr.row_pointers.push_back(0);
  for (const std::vector<std::int32_t>& row : rows) {
    const std::set<std::int32_t> columns(row.begin(), row.end());
    for (const std::int32_t column : columns) {
      csr.column_indices.push_back(column);
      csr.values.push_back(share(random) / static_cast<double>(columns.size()));
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {std::move(csr), name};
}

Matrix band(std::int64_t n, const std::vector<std::int64_t>& offsets, const std::string& name) {
  std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(n));
  for (std::int64_t row = 0; row < n; ++row)
    for (const std::int64_t offset : offsets)
      if (row + offset >= 0 && row + offset < n)
        rows[static_cast<std::size_t>(row)].push_back(static_cast<std::int32_t>(row + offset));
  return of_rows(n, rows, name);
}

// Squares of a matrix that neither a band nor symmetry makes easy.
std::vector<Matrix> matrices() {
  std::vector<Matrix> all;
  all.push_back(band(1, {0}, "one row"));
  all.push_back(band(701, {-20, -1, 0, 1, 20}, "stencil"));
  all.push_back(band(512, {-1, 0, 1}, "tridiagonal"));
  all.push_back(band(400, {0, 3, 90}, "only above"));
  all.push_back(band(400, {-130, -2}, "only below, no diagonal"));
  all.push_back(of_rows(40, std::vector<std::vector<std::int32_t>>(40), "no entries"));
  std::vector<std::vector<std::int32_t>> rows(300);
  for (std::int32_t i = 0; i < 300; ++i) rows[static_cast<std::size_t>(i)] = {i, 0};
  for (std::int32_t i = 0; i < 300; ++i) rows[0].push_back(i);
  all.push_back(of_rows(300, rows, "hub"));
  std::mt19937_64 random(3);
  for (const int entries : {1, 3}) {
    rows.assign(600, {});
    for (auto& row : rows)
      for (int k = static_cast<int>(random() % static_cast<unsigned>(2 * entries)); k > 0; --k)
        row.push_back(static_cast<std::int32_t>(random() % 600));
    all.push_back(of_rows(600, rows, "random with empty rows"));
  }
  rows.assign(900, {});  // a grid whose rows stand anywhere, beside one that is not connected to it
  std::vector<std::int32_t> place(900);
  for (std::int32_t i = 0; i < 900; ++i) place[static_cast<std::size_t>(i)] = i;
  std::ranges::shuffle(place, random);
  for (std::int32_t i = 0; i < 900; ++i)
    for (const std::int32_t step : {-20, -1, 0, 1, 20})
      if (i + step >= 0 && i + step < 900 && (i < 450) == (i + step < 450))
        rows[static_cast<std::size_t>(place[static_cast<std::size_t>(i)])].push_back(
            place[static_cast<std::size_t>(i + step)]);
  all.push_back(of_rows(900, rows, "two shuffled grids"));
  return all;
}

Strategy strategy_of(const Matrix& matrix, const PowersStrategy& powers, Precision precision, int threads) {
  Strategy strategy = one_kernel(matrix, "csr", precision, threads);
  strategy.powers = powers;
  return strategy;
}

template <class Value>
std::vector<Value> start_of(const Matrix& matrix) {
  std::vector<Value> x(static_cast<std::size_t>(matrix.rows()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Value>(std::sin(1.0 + static_cast<double>(i)));
  return x;
}

// Powers in long double, and how far off another right sum of the same terms may be.
struct Truth {
  std::vector<std::vector<long double>> powers;  // of x, from the zeroth on
  std::vector<std::vector<long double>> bounds;
};
template <class Value>
Truth truth_of(const Matrix& matrix, const std::vector<Value>& x, std::int64_t k) {
  constexpr long double unit = std::numeric_limits<Value>::epsilon() / 2;
  Truth truth;
  truth.powers.emplace_back(x.begin(), x.end());
  truth.bounds.emplace_back(x.size(), 0);
  for (std::int64_t p = 0; p < k; ++p) {
    std::vector<long double> y(x.size(), 0), bound(x.size(), std::numeric_limits<Value>::min());
    const auto &from = truth.powers.back(), &off = truth.bounds.back();
    matrix.visit([&](const auto& csr) {
      for (std::size_t row = 0; row < y.size(); ++row) {
        const auto begin = csr.row_pointers[row], end = csr.row_pointers[row + 1];
        for (auto e = begin; e < end; ++e) {
          const auto column = static_cast<std::size_t>(csr.column_indices[e]);
          const long double value = static_cast<Value>(csr.values[e]);
          y[row] += value * from[column];
          bound[row] += std::abs(value) * off[column] +
                        2 * unit * static_cast<long double>(end - begin + 2) * std::abs(value) * std::abs(from[column]);
        }
      }
    });
    truth.powers.push_back(std::move(y));
    truth.bounds.push_back(std::move(bound));
  }
  return truth;
}

template <class Value>
void expect_right(std::span<const Value> got, const Truth& truth, std::int64_t power, const std::string& what) {
  const auto p = static_cast<std::size_t>(power);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::abs(got[i] - truth.powers[p][i]), truth.bounds[p][i])
        << what << ", power " << power << ", row " << i;
}

struct Way {
  PowersStrategy powers;
  int threads = 1;
};
std::vector<Way> ways(std::int64_t k) {
  std::vector<Way> all;
  int n = 0;
  for (const PowersOrder order : {PowersOrder::as_given, PowersOrder::levels})
    for (const std::int64_t block_rows : {8, 56, 100'000})
      for (const std::int64_t depth : {std::int64_t{2}, k})
        for (const int threads : {1, 2}) {
          PowersStrategy powers{.k = k, .pays = true, .order = order};
          powers.kernel = std::array{"csr", "sell", "sell-compact", "dia"}[static_cast<std::size_t>(n++ % 4)];
          powers.depth = depth;
          powers.block_rows = block_rows;
          all.push_back({powers, threads});
        }
  return all;
}

template <class Value>
void expect_products(const Matrix& matrix, std::int64_t k) {
  const std::vector<Value> x = start_of<Value>(matrix);
  const Truth truth = truth_of(matrix, x, k);
  const std::size_t n = x.size();
  for (const Way& way : ways(k)) {
    const std::string what = matrix.name() + " in " + way.powers.kernel + " by " +
                             std::to_string(way.powers.block_rows) + " rows, depth " +
                             std::to_string(way.powers.depth) + ", " + std::to_string(way.threads) + " thread(s)" +
                             (way.powers.order == PowersOrder::levels ? ", levels" : "");
    const Plan plan(matrix, strategy_of(matrix, way.powers, precision_of<Value>, way.threads));
    std::vector<Value> all(n * static_cast<std::size_t>(k)), last(n);
    plan.apply_powers(std::span<const Value>(x), std::span<Value>(all));
    for (std::int64_t power = 1; power <= k; ++power)
      expect_right(std::span<const Value>(all).subspan(static_cast<std::size_t>(power - 1) * n, n), truth, power, what);
    for (const std::int64_t power : {k, k - 1, std::int64_t{1}, std::int64_t{0}}) {
      plan.apply_power(std::span<const Value>(x), std::span<Value>(last), power);
      expect_right(std::span<const Value>(last), truth, power, what + ", alone");
    }
  }
}

TEST(Powers, AreProductsOneAfterTheOther) {
  const std::vector<Matrix> all = matrices();
  ASSERT_EQ(all.size(), 10U);
  for (const Matrix& matrix : all) {
    expect_products<double>(matrix, 5);
    expect_products<float>(matrix, 4);
  }
}

// The bits of a power are those that its blocks give, whoever multiplies them and whoever waits.
TEST(Powers, AreTheSameToTheLastBitOnAnyNumberOfThreads) {
  const Matrix matrix = band(5003, {-70, -1, 0, 1, 70}, "stencil");
  PowersStrategy powers{.k = 7, .pays = true, .kernel = "sell", .depth = 4, .block_rows = 64};
  const std::vector<double> x = start_of<double>(matrix);
  std::vector<double> first(x.size()), again(x.size());
  const Plan plan(matrix, strategy_of(matrix, powers, Precision::double_, 4));
  const int allowed = omp_get_max_threads();
  for (const int threads : {1, 2, 3, 4}) {
    omp_set_num_threads(threads);
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::ranges::fill(again, -1);
      plan.apply_power(std::span<const double>(x), std::span<double>(again), 7);
      if (threads == 1 && repeat == 0) first = again;
      ASSERT_EQ(first, again) << threads << " threads";
    }
  }
  omp_set_num_threads(allowed);
}

template <class Value>
void expect_sums(const Plan& plan, const Matrix& matrix) {
  const std::vector<Value> x = start_of<Value>(matrix);
  const std::size_t n = x.size();
  const std::vector<Value> c{Value(0.5), Value(-2), Value(1.5), Value(3)};
  const auto product = [&](const std::vector<Value>& v) {
    std::vector<Value> y(n);
    plan.apply(std::span<const Value>(v), std::span<Value>(y));
    return y;
  };
  for (std::size_t count = 1; count <= c.size(); ++count) {
    std::vector<Value> expected(n), got(n), v = x;
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t i = 0; i < n; ++i) expected[i] += c[j] * v[i];
      v = product(v);
    }
    plan.apply_polynomial(std::span(c).first(count), std::span<const Value>(x), std::span<Value>(got));
    for (std::size_t i = 0; i < n; ++i) ASSERT_LE(std::abs(got[i] - expected[i]), 1e-5) << matrix.name() << count;
    // T₀ = x, T₁ = B·x, Tⱼ₊₁ = 2·B·Tⱼ − Tⱼ₋₁ of B = (2·A − 0.5·I) / 2.5, for [−1, 1.5].
    const auto b = [&](const std::vector<Value>& of) {
      std::vector<Value> y = product(of);
      for (std::size_t i = 0; i < n; ++i) y[i] = (Value(2) * y[i] - Value(0.5) * of[i]) / Value(2.5);
      return y;
    };
    std::vector<std::vector<Value>> t{x, b(x)};
    while (t.size() < count) {
      std::vector<Value> next = b(t.back());
      for (std::size_t i = 0; i < n; ++i) next[i] = Value(2) * next[i] - t[t.size() - 2][i];
      t.push_back(std::move(next));
    }
    std::ranges::fill(expected, Value(0));
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < n; ++i) expected[i] += c[j] * t[j][i];
    plan.apply_chebyshev(std::span(c).first(count), -1, 1.5, std::span<const Value>(x), std::span<Value>(got));
    for (std::size_t i = 0; i < n; ++i) ASSERT_LE(std::abs(got[i] - expected[i]), 3e-5) << matrix.name() << count;
  }
}

TEST(Powers, AreSummedWithoutBeingKept) {
  for (const Matrix& matrix : matrices()) {
    for (const Way& way : ways(3)) {
      expect_sums<double>(Plan(matrix, strategy_of(matrix, way.powers, Precision::double_, way.threads)), matrix);
      expect_sums<float>(Plan(matrix, strategy_of(matrix, way.powers, Precision::single_, way.threads)), matrix);
    }
    // One product after the other, of plans that were asked for none.
    expect_sums<double>(Plan(matrix, one_kernel(matrix, "csr", Precision::double_, 2)), matrix);
    expect_sums<std::complex<double>>(Plan(matrix, one_kernel(matrix, "csr", Precision::complex_double_, 1)), matrix);
  }
}

TEST(Powers, AreOfNewValues) {
  const Matrix matrix = band(300, {-9, 0, 2}, "band");
  Csr<std::int32_t, std::int32_t> other{300, 300, {}, {}, {}};
  matrix.visit([&](const auto& csr) {
    for (const auto pointer : csr.row_pointers) other.row_pointers.push_back(static_cast<std::int32_t>(pointer));
    for (const auto column : csr.column_indices) other.column_indices.push_back(static_cast<std::int32_t>(column));
    for (const auto value : csr.values) other.values.push_back(0.5 - static_cast<double>(value));
  });
  const Matrix renewed(std::move(other), "renewed");
  for (const PowersOrder order : {PowersOrder::as_given, PowersOrder::levels}) {
    PowersStrategy powers{.k = 3, .pays = true, .order = order, .kernel = "sell", .depth = 3, .block_rows = 16};
    Plan plan(matrix, strategy_of(matrix, powers, Precision::double_, 2));
    const Plan copy = plan;
    plan.update_values(renewed);
    const std::vector<double> x = start_of<double>(matrix);
    std::vector<double> y(x.size());
    plan.apply_power(std::span<const double>(x), std::span<double>(y), 3);
    expect_right(std::span<const double>(y), truth_of(renewed, x, 3), 3, "renewed");
    copy.apply_power(std::span<const double>(x), std::span<double>(y), 3);
    expect_right(std::span<const double>(y), truth_of(matrix, x, 3), 3, "the copy");
  }
}

TEST(Powers, RefuseWhatHasNone) {
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::failed;
  };
  const Matrix wide = generate({"powerlaw", 0, 6, 40, 30, 5, {}});
  const Plan plan(wide, one_kernel(wide, "csr", Precision::double_, 1));
  std::vector<double> x(30), y(40);
  EXPECT_EQ(code_of([&] { plan.apply_power(std::span<const double>(x), std::span<double>(y), 2); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { (void)planning::choose_powers(wide, 3, plan.strategy(), {}); }), ErrorCode::usage);

  const Matrix square = band(30, {0, 1}, "square");
  PowersStrategy powers{.k = 2, .pays = true, .kernel = "csr", .depth = 2, .block_rows = 8};
  const Plan two(square, strategy_of(square, powers, Precision::double_, 1));
  std::vector<double> z(90), one(30);
  const std::vector<double> c(4), none;
  const std::span<const double> from(x);
  EXPECT_EQ(code_of([&] { two.apply_powers(from, std::span<double>(z)); }), ErrorCode::usage);  // three of two
  EXPECT_EQ(code_of([&] { two.apply_power(from, std::span<double>(one), -1); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { two.apply_power(from, std::span<double>(x), 2); }), ErrorCode::usage);  // overlap
  EXPECT_EQ(code_of([&] { two.apply_powers(from, std::span<double>(z).first(31)); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { two.apply_powers(from, {}); }), ErrorCode::usage);
  try {
    two.apply_powers(from, std::span<double>(z).first(29));
    ADD_FAILURE() << "a part of a power";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), "y has 29 entries, which is no number of powers of 30 entries each");
  }
  EXPECT_EQ(code_of([&] { two.apply_polynomial(c, from, std::span<double>(one)); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { two.apply_polynomial(none, from, std::span<double>(one)); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { two.apply_chebyshev(std::span(c).first(2), 1, 1, from, std::span<double>(one)); }),
            ErrorCode::usage);
  const double inf = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{
           {-inf, inf}, {0, inf}, {-inf, 0}, {-most, most}, {0, 5e-324}, {std::nan(""), 1}})
    EXPECT_EQ(code_of([&] { two.apply_chebyshev(std::span(c).first(2), a, b, from, std::span<double>(one)); }),
              ErrorCode::usage)
        << a << ' ' << b;
  std::vector<float> single(30);
  EXPECT_EQ(code_of([&] { two.apply_power(std::span<const float>(single), std::span<float>(single.data(), 0), 1); }),
            ErrorCode::usage);
}

TEST(LevelOrder, PutsColumnsIntoNeighbouringLevels) {
  for (const Matrix& matrix : matrices()) {
    const auto order = planning::level_order(matrix);
    if (matrix.name() == "hub") {
      EXPECT_FALSE(order);
      continue;
    }
    if (!order) continue;
    std::vector<std::int64_t> sorted = *order;
    std::ranges::sort(sorted);
    for (std::int64_t i = 0; i < matrix.rows(); ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
  }
  // A grid of 30 by 15 has levels of at most 15 rows and a few more; its rows reach no farther than two of them.
  const Matrix shuffled = matrices().back();
  const auto order = planning::level_order(shuffled);
  ASSERT_TRUE(order);
  std::vector<std::int64_t> place(order->size());
  for (std::size_t p = 0; p < order->size(); ++p)
    place[static_cast<std::size_t>((*order)[p])] = static_cast<std::int64_t>(p);
  std::int64_t farthest = 0;
  shuffled.visit_pattern([&](const auto& csr) {
    for (std::int64_t row = 0; row < shuffled.rows(); ++row)
      for (auto e = csr.row_pointers[row]; e < csr.row_pointers[row + 1]; ++e)
        farthest = std::max(farthest, std::abs(place[static_cast<std::size_t>(row)] -
                                               place[static_cast<std::size_t>(csr.column_indices[e])]));
  });
  EXPECT_LE(farthest, 64);
}

// Every task after all that it needs, each once.
TEST(Wavefront, KeepsEveryTaskBehindWhatItNeeds) {
  for (const Matrix& matrix : matrices())
    for (const std::int64_t block_rows : {7, 40, 1000}) {
      const planning::RowBlocks blocks = planning::cut_rows(matrix, block_rows);
      const std::int64_t count = (matrix.rows() + block_rows - 1) / block_rows;
      ASSERT_EQ(blocks.blocks(), count);
      // Both who is read and who reads.
      matrix.visit_pattern([&](const auto& csr) {
        for (std::int64_t row = 0; row < matrix.rows(); ++row)
          for (auto e = csr.row_pointers[row]; e < csr.row_pointers[row + 1]; ++e) {
            const std::int64_t a = row / block_rows, b = csr.column_indices[e] / block_rows;
            for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
              ASSERT_LE(blocks.first[static_cast<std::size_t>(one)], other) << matrix.name();
              ASSERT_GE(blocks.last[static_cast<std::size_t>(one)], other) << matrix.name();
            }
          }
      });
      for (const std::int64_t depth : {1, 2, 5})
        for (const int slack : {0, 3}) {
          const std::int64_t k = 5;
          const std::vector<planning::PowerTask> tasks = planning::wavefront(blocks, k, depth, slack);
          ASSERT_EQ(std::ssize(tasks), k * count);
          std::vector<std::int32_t> reached(static_cast<std::size_t>(count), 0);
          for (const planning::PowerTask& task : tasks) {
            const auto b = static_cast<std::size_t>(task.block);
            ASSERT_EQ(reached[b], task.power - 1);
            for (auto other = static_cast<std::size_t>(blocks.first[b]);
                 other <= static_cast<std::size_t>(blocks.last[b]); ++other)
              ASSERT_GE(reached[other], task.power - 1) << matrix.name();
            reached[b] = task.power;
          }
        }
    }
}

TEST(Wavefront, HoldsAsManyRowsAsPowersReach) {
  // A band of 100 to either side in blocks of 50: a power is two blocks behind the one before it.
  const planning::RowBlocks blocks = planning::cut_rows(band(100'000, {-100, 0, 100}, "band"), 50);
  EXPECT_NEAR(planning::resident_rows(blocks, 2, 0), 250, 30);
  EXPECT_NEAR(planning::resident_rows(blocks, 5, 0), 550, 30);
  EXPECT_NEAR(planning::resident_rows(blocks, 5, 1), 750, 30);
}

// 10 ms from memory and 3 ms in the caches: 10 + 7 · 3 for one pass of eight, 2 · 10 + 6 · 3 for two; a vector beyond
// a product's own a pass where the last is wanted, one for each further power where all are.
TEST(CostOfPowers, ReadsTheMatrixOncePerPass) {
  const planning::PowersTimes times{.memory_s = 10e-3, .cached_s = 3e-3, .vector_s = 1e-3};
  EXPECT_NEAR(planning::cost_of_powers(times, 8, 8).last_s, 32e-3, 1e-9);
  EXPECT_NEAR(planning::cost_of_powers(times, 8, 4).last_s, 40e-3, 1e-9);
  EXPECT_NEAR(planning::cost_of_powers(times, 8, 8).all_s, 38e-3, 1e-9);
  // x into the order of levels and one power out of it, or all eight.
  const planning::PowersTimes moving{.memory_s = 10e-3, .cached_s = 3e-3, .vector_s = 1e-3, .move_s = 2e-3};
  EXPECT_NEAR(planning::cost_of_powers(moving, 8, 8).last_s, 36e-3, 1e-9);
  EXPECT_NEAR(planning::cost_of_powers(moving, 8, 8).all_s, 50e-3, 1e-9);
}

// 250 MB and three streams of 50 MB at 40 GB/s take 10 ms, whatever a model says; where y += a·x fell from 30 GB/s of
// its vectors, 45 of what moves, to 15 of them, 400 MB take 8.9 ms more.
TEST(MemoryNow, IsNoFasterThanItsBytes) {
  Profile host = test::empty_host_profile(1);
  host.properties.caches = {{.size_bytes = 32'000'000, .line_bytes = 64}};
  host.curves.push_back({"read_bandwidth", 1, {1e6, 1e9}, {40e9, 40e9}});
  host.curves.push_back({"update_bandwidth", 1, {1e6, 1e9}, {30e9, 30e9}});
  constexpr std::int64_t rows = 6'250'000;
  SingleKernel product{.kernel = "dia", .seconds = 4e-3, .bytes = 250'000'000};
  const planning::MemoryNow calibrated(host, 1, 0, 8), slower(host, 1, 15e9, 8);
  EXPECT_NEAR(calibrated.product_s(product, rows), 10e-3, 1e-9);
  EXPECT_NEAR(slower.product_s(product, rows), 18.889e-3, 1e-6);
  product.seconds = 12e-3;  // more than its bytes take
  EXPECT_NEAR(calibrated.product_s(product, rows), 12e-3, 1e-9);
  EXPECT_NEAR(slower.product_s(product, rows), 20.889e-3, 1e-6);
  product.measured_s = 4e-3;  // seen, not forecast
  EXPECT_NEAR(slower.product_s(product, rows), 12e-3, 1e-9);
  const SingleKernel cached{.kernel = "dia", .seconds = 1e-5, .bytes = 1'000'000};
  EXPECT_FALSE(slower.from_memory(cached, 1000));
  EXPECT_NEAR(slower.product_s(cached, 1000), 1e-5, 1e-12);
}

// A plan that forecasts nothing knows no seconds, and tells none.
TEST(ChoosePowers, TellsNoSecondsThatNobodyKnows) {
  const Matrix matrix = band(400, {-1, 0, 1}, "band");
  const Strategy plain = one_kernel(matrix, "csr", Precision::double_, 1);
  const fields::Json told = fields::written(planning::choose_powers(matrix, 4, plain, {}).strategy);
  EXPECT_FALSE(told.at("pays"));
  for (const char* time : {"seconds", "low_s", "high_s", "all_s", "products_s"})
    EXPECT_FALSE(told.contains(time)) << time;
}

// Whichever way turns out to be faster, powers are what they were, and the times that are told are of that way.
TEST(SettlePowers, TakesTheFasterOfTwoWays) {
  const Matrix matrix = band(20'000, {-100, -1, 0, 1, 100}, "stencil");
  const std::vector<double> x = start_of<double>(matrix);
  const Truth truth = truth_of(matrix, x, 3);
  PowersStrategy powers{.k = 3, .kernel = "sell", .depth = 3, .block_rows = 1024};
  const auto runner = planning::make_runner(matrix, strategy_of(matrix, powers, Precision::double_, 1));
  planning::settle_powers(runner, matrix);
  const Plan plan = planning::Runner::plan_of(runner);
  const PowersStrategy& settled = *plan.strategy().powers;
  EXPECT_NE(settled.reason.find("measured in turns"), std::string::npos) << settled.reason;
  EXPECT_GT(settled.seconds, 0);
  EXPECT_EQ(settled.pays, settled.seconds < settled.products_s);
  EXPECT_EQ(settled.pays, runner->powers.of<double>() != nullptr);
  std::vector<double> all(3 * x.size()), last(x.size());
  plan.apply_powers(std::span<const double>(x), std::span<double>(all));
  plan.apply_power(std::span<const double>(x), std::span<double>(last), 3);
  expect_right(std::span<const double>(all).subspan(2 * x.size()), truth, 3, "all kept");
  expect_right(std::span<const double>(last), truth, 3, "the last");
}

// Of two ways, one with a block for every row, that one is never kept, whichever of them the strategy has.
TEST(SettlePowers, KeepsTheWayThatGainsMost) {
  const Matrix matrix = band(20'000, {-100, -1, 0, 1, 100}, "stencil");
  const std::vector<double> x = start_of<double>(matrix);
  const Truth truth = truth_of(matrix, x, 3);
  const PowersStrategy absurd{.k = 3, .kernel = "csr", .depth = 3, .block_rows = 1};
  const PowersStrategy sound{.k = 3, .kernel = "csr", .depth = 2, .block_rows = 4096};
  for (const auto& [own, other] : {std::pair{absurd, sound}, std::pair{sound, absurd}}) {
    const auto runner = planning::make_runner(matrix, strategy_of(matrix, own, Precision::double_, 1));
    planning::settle_powers(runner, matrix, std::span(&other, 1));
    const Plan plan = planning::Runner::plan_of(runner);
    const PowersStrategy& settled = *plan.strategy().powers;
    EXPECT_EQ(settled.block_rows, sound.block_rows);
    EXPECT_EQ(settled.depth, sound.depth);
    EXPECT_EQ(settled.pays, runner->powers.of<double>() != nullptr);
    std::vector<double> last(x.size());
    plan.apply_power(std::span<const double>(x), std::span<double>(last), 3);
    expect_right(std::span<const double>(last), truth, 3, "the last");
  }
}

TEST(SettlePowers, IsForManyProductsOnTheHost) {
  const Matrix matrix = band(400, {-1, 0, 1}, "band");
  PowersStrategy powers{.k = 3, .kernel = "sell", .depth = 3, .block_rows = 64};
  Strategy strategy = strategy_of(matrix, powers, Precision::double_, 1);
  PlanRequest request;
  EXPECT_TRUE(planning::times_powers(request, strategy, 400));
  request.strategy.iterations = 10;
  EXPECT_FALSE(planning::times_powers(request, strategy, 400));
  request.strategy.iterations = 100'000;
  EXPECT_TRUE(planning::times_powers(request, strategy, 400));
  EXPECT_FALSE(planning::times_powers(request, strategy, std::int64_t{1} << 40));  // vectors beyond any memory
  request.profile = "elsewhere.json";
  EXPECT_FALSE(planning::times_powers(request, strategy, 400));
  request.profile.clear();
  strategy.powers->kernel.clear();
  EXPECT_FALSE(planning::times_powers(request, strategy, 400));
}

// All powers may be products one after the other though the last alone is by blocks: to the bit what products are.
TEST(Powers, AreKeptByProductsWhereTheLastAlonePays) {
  const Matrix matrix = band(701, {-20, -1, 0, 1, 20}, "stencil");
  PowersStrategy powers{.k = 3, .pays = true, .all_pays = false, .order = PowersOrder::levels, .kernel = "sell"};
  powers.depth = 3;
  powers.block_rows = 64;
  const Plan plan(matrix, strategy_of(matrix, powers, Precision::double_, 1));
  const std::vector<double> x = start_of<double>(matrix);
  std::vector<double> all(3 * x.size()), y(x.size());
  plan.apply_powers(std::span<const double>(x), std::span<double>(all));
  std::span<const double> from(x);
  for (std::size_t p = 0; p < 3; ++p) {
    plan.apply(from, std::span<double>(y));
    from = std::span<const double>(all).subspan(p * x.size(), x.size());
    EXPECT_TRUE(std::ranges::equal(from, y)) << p;
  }
}

TEST(ChoosePowers, DeclinesWithAReason) {
  const Matrix matrix = band(4000, {-1, 0, 1}, "band");
  Strategy plain = one_kernel(matrix, "csr", Precision::double_, 1);
  EXPECT_FALSE(planning::choose_powers(matrix, 4, plain, {}).strategy.pays);
  EXPECT_NE(planning::choose_powers(matrix, 4, plain, {}).strategy.reason.find("without a forecast"),
            std::string::npos);
  plain.predicted_s = 1e-3;
  EXPECT_DOUBLE_EQ(planning::choose_powers(matrix, 4, plain, {}).strategy.products_s, 4e-3);
  plain.device = "opencl:0";
  EXPECT_NE(planning::choose_powers(matrix, 4, plain, {}).strategy.reason.find("on the host alone"), std::string::npos);
}

// Nothing is known of the waits, so nothing counts them as 0.
TEST(ChoosePowers, DeclinesOnThreadsWhoseWaitsWereNotCalibrated) {
  Profile host = test::empty_host_profile(1);
  test::add_grid(host, "constant", "csr", 1,
                 [](double strips, double length) { return 1e-6 + strips * 1024 * (2e-9 + 1e-9 * length); });
  const auto planner = std::make_shared<const Planner>(host, Precision::double_, 1, FitNotice(), "best");
  const Matrix matrix = band(4000, {-1, 0, 1}, "band");
  Strategy plain = one_kernel(matrix, "csr", Precision::double_, 2);
  plain.predicted_s = 1e-3;
  plain.singles = {{.kernel = "csr", .seconds = 1e-3}};
  const PowersStrategy chosen = planning::choose_powers(matrix, 4, plain, {&host, planner, planner}).strategy;
  EXPECT_FALSE(chosen.pays);
  EXPECT_NE(chosen.reason.find("was not calibrated"), std::string::npos) << chosen.reason;
}
}  // namespace
}  // namespace sparsecast::powers
