// The forecast of a solve: parts from the table of methods, reaches of vectors, machines by their descriptions.

#include "solving/forecast/forecast.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <sparsecast/device.hpp>
#include <sparsecast/generate.hpp>

#include "solving/forecast/rates.hpp"
#include "solving/forecast/reach.hpp"
#include "solving/forecast/solve_choices.hpp"
#include "solving/solve.hpp"

namespace sparsecast::test {
namespace {

using namespace solving;

TEST(Reach, IsWhatWentByBetweenTwoUses) {
  // q = A·p (vectors of 10 bytes, a matrix of 1000), p·q, r −= q, x and p move with r.
  const std::vector<Step> steps = steps_of(parse_method("cg"), Preconditioning::none);
  const std::vector<StepReach> reach = reaches_of(steps, {10, 1000, 0});
  ASSERT_EQ(reach.size(), 4U);
  EXPECT_EQ(reach[0].reads[0], 10) << "p was written last";
  EXPECT_EQ(reach[0].data, 1000 + 10 + 10 + 10 + 10) << "p, q, r and x went by";
  EXPECT_EQ(reach[1].reads[0], 10 + 1000 + 10) << "p: the matrix and q";
  EXPECT_EQ(reach[1].reads[1], 10 + 10) << "q: p beside it";
  EXPECT_EQ(reach[3].reads[1], 10 + 1000 + 3 * 10) << "x: all but itself, and itself";
}

// A machine by its description.
Profile described(const char* name) { return described_profile(describe_device(name)); }

struct Solved {
  Matrix matrix;
  Structure structure;
};
Solved grid_of(int size) {
  Solved out{generate({.kind = "poisson2d", .parameters = {.size = size}}), {}};
  out.structure = analyze(out.matrix);
  return out;
}

SolveForecast best(const Profile& profile, const Solved& solved, const char* method, PreconditionerKind kind) {
  const SolveForecaster forecaster(profile, {Precision::double_, 0});
  return forecaster.forecasts(solved.structure, preconditioner_work(solved.matrix, kind, 1), parse_method(method), 100)
      .at(0);
}

TEST(Rates, AnInterruptedPassTakesNoLongerThanOneOverMoreBytes) {
  Profile profile = described("amd-epyc-7313");
  const std::vector<double> bytes{1e5, 1e6, 1e7};
  profile.curves = {{"launch", 2, {2}, {0}},
                    {"read_bandwidth", 2, bytes, {4e10, 3e10, 2e10}},
                    {"dot_bandwidth", 2, bytes, {4e10, 1e6, 2e10}},
                    {"update_bandwidth", 2, bytes, {1e6, 4e10, 4e10}}};
  const Rates rates(profile, 2);
  EXPECT_LE(1e6 * rates.read_s(1e6), 1e7 / 2e10) << "1 s was measured";
  EXPECT_NEAR(rates.read_s(1e5), 1 / 4e10, 1e-15) << "what was not interrupted stays as it is";
  EXPECT_LE(1e5 * rates.write_s(1e5), 2 * 1e6 / 4e10);
}

TEST(SolveForecast, IsTheSumOfItsPartsWithinItsInterval) {
  const Solved solved = grid_of(300);
  for (const char* machine : {"nvidia-h100", "tesla-k80"})
    for (const MethodInfo& info : method_table()) {
      const SolveForecast f =
          best(described(machine), solved, std::string(info.name).c_str(), PreconditionerKind::none);
      double sum = 0;
      for (const SolvePart& part : f.parts) sum += part.time.seconds;
      EXPECT_NEAR(f.iteration.seconds, sum, 1e-9 * sum) << info.name;
      EXPECT_LT(f.iteration.low_s, f.iteration.seconds) << info.name;
      EXPECT_GT(f.iteration.high_s, f.iteration.seconds) << info.name;
      EXPECT_EQ(f.tier, Tier::data_sheet);
    }
}

TEST(SolveForecast, OfAGpuTriangularSolvesWaitForEveryLevel) {
  const Solved solved = grid_of(300);  // 599 levels a triangle
  const SolveForecast jacobi = best(described("nvidia-h100"), solved, "cg", PreconditionerKind::jacobi);
  const SolveForecast ic0 = best(described("nvidia-h100"), solved, "cg", PreconditionerKind::ic0);
  EXPECT_GT(ic0.iteration.seconds - jacobi.iteration.seconds, 2 * 599 * 1e-6) << "a microsecond a level and more";
}

// csr takes p·q in the product, coo in a pass; by a description, whose curve has no steps, the pass takes longer.
TEST(SolveForecast, DotsInTheProductCostNoMoreThanAPass) {
  const Solved solved = grid_of(1000);
  Profile machine = described("nvidia-h100");
  machine.properties.kind = DeviceKind::host;
  machine.properties.compute_units = 2;
  const Rates rates(machine, 2);
  ASSERT_GT(rates.host_threads(), 0);
  const auto reductions = [&](const char* kernel) {
    Forecast product;
    product.kernel = kernel;
    product.seconds = product.high_s = product.low_s = 1e-3;
    const SolveForecast f = forecast_iteration(product, rates, solved.structure, {}, parse_method("cg"));
    return std::ranges::find(f.parts, Term::reductions, &SolvePart::term)->time.seconds;
  };
  EXPECT_LT(reductions("csr"), reductions("coo"));
}

TEST(SolveForecast, ALongerRestartCostsMoreOrthogonalisation) {
  const Solved solved = grid_of(300);
  const Profile machine = described("nvidia-h100");
  const auto orthogonalisation = [&](const char* method) {
    const SolveForecast f = best(machine, solved, method, PreconditionerKind::none);
    return std::ranges::find(f.parts, Term::orthogonalisation, &SolvePart::term)->time.seconds;
  };
  EXPECT_GT(orthogonalisation("gmres:60"), orthogonalisation("gmres:20"));
}

TEST(SolveChoices, RankThePreconditionersThatFit) {
  const Solved solved = grid_of(200);
  const std::vector<Choice> choices = solve_choices(solved.matrix, solved.structure, described("nvidia-h100"),
                                                    {.method = parse_method("cg"), .iterations = 500, .threads = {0}});
  EXPECT_EQ(choices.size(), 5U) << "every preconditioner";
  for (std::size_t i = 1; i < choices.size(); ++i) EXPECT_GE(choices[i].total_s, choices[i - 1].total_s);
  for (const Choice& choice : choices) EXPECT_LE(choice.iterations, 500) << name_of(choice.forecast.preconditioner);
}

// The same path with 2 on its diagonal, which is positive definite, with 0.5 and with −1.
TEST(SolveChoices, AreThoseThatTheMethodAndTheDeviceTake) {
  const auto kinds = [](const Matrix& matrix, const char* method, bool runs_none_alone) {
    ChoiceOptions options{.method = parse_method(method), .iterations = 100, .threads = {0}};
    if (runs_none_alone) options.runs = [](PreconditionerKind kind) { return kind == PreconditionerKind::none; };
    std::set<std::string_view> names;
    for (const Choice& choice : solve_choices(matrix, analyze(matrix), described("nvidia-h100"), options))
      names.insert(name_of(choice.forecast.preconditioner));
    return names;
  };
  const auto path = [](double diagonal) {
    constexpr std::int32_t rows = 60;
    Csr<std::int32_t, std::int32_t> csr{rows, rows, {0}, {}, {}};
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::int32_t column = std::max(0, row - 1); column <= std::min(rows - 1, row + 1); ++column) {
        csr.column_indices.push_back(column);
        csr.values.push_back(column == row ? diagonal : -1);
      }
      csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
    }
    return Matrix(std::move(csr), "path");
  };
  const std::set<std::string_view> all{"none", "jacobi", "block-jacobi", "ilu0", "ic0"};
  EXPECT_EQ(kinds(path(2), "cg", false), all);
  EXPECT_EQ(kinds(path(2), "cg", true), std::set<std::string_view>{"none"});
  EXPECT_EQ(kinds(path(2), "lobpcg:2", false), all);
  EXPECT_EQ(kinds(path(0.5), "lobpcg:2", false), (std::set<std::string_view>{"none", "jacobi"}));
  EXPECT_EQ(kinds(path(-1), "lobpcg:2", false), std::set<std::string_view>{"none"});
}

// What was observed of a product counts in every list alike.
TEST(SolveChoices, AreMovedByWhatIsKnownHereAndNow) {
  const Solved solved = grid_of(200);
  const Profile machine = described("nvidia-h100");
  const Method cg = parse_method("cg");
  HereAndNow here;
  here.seen = [](int) {
    return [](std::vector<Forecast>& products) {
      for (Forecast& one : products) one.seconds = one.low_s = one.high_s = 0.25;
    };
  };
  const std::vector<Choice> choices = solve_choices(solved.matrix, solved.structure, machine,
                                                    {.method = cg, .iterations = 500, .threads = {0}, .here = here});
  ASSERT_EQ(choices.size(), 5U);
  for (const Choice& choice : choices) EXPECT_GT(choice.forecast.iteration.seconds, 0.25);
  const std::vector<SolveForecast> forecasts =
      SolveForecaster(machine, {}, here.seen_by(0))
          .forecasts(solved.structure, preconditioner_work(solved.matrix, PreconditionerKind::none, 0), cg, 500,
                     here.handover_by(0));
  const auto same = std::ranges::find(choices, PreconditionerKind::none,
                                      [](const Choice& one) { return one.forecast.preconditioner; });
  ASSERT_NE(same, choices.end());
  EXPECT_EQ(same->total_s, forecasts.front().total_s(500));
}

}  // namespace
}  // namespace sparsecast::test
