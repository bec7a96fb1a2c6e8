// Sides of branches in the paper's models: lanes that part pay for both sides, whichever stands first, at any depth;
// what is added never lowers a time; a value that some lanes wrote does not hide what the others hold.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
namespace {
/// A kernel's body as PTX. Sides of `swapped` programs change places, the condition with them.
class Program {
 public:
  explicit Program(bool swapped) : swapped_(swapped) {}

  void chain(int steps) {
    for (int i = 0; i < steps; ++i) body_ += "  fma.rn.f32 %w, %w, %w, %v;\n";
  }
  /// Of one of a few lines, by `place`: sides read what other sides, and what stands before and behind them, read too.
  void load(int place) {
    constexpr int lines = 5;
    body_ += fmt::format("  ld.global.f32 %u, [%c+{}];\n  add.f32 %w, %w, %u;\n", 4096 * (place % lines));
  }
  /// Hides what %w held.
  void replace() { body_ += "  ld.global.f32 %w, [%c];\n"; }
  /// `condition` is a predicate's register; the sides may branch again.
  template <class First, class Second>
  void branch(const std::string& condition, First&& first, Second&& second) {
    const int number = labels_++;
    const auto side = [&](bool one) { one ? first() : second(); };
    body_ += fmt::format("  @{}{} bra $other{};\n", swapped_ ? "" : "!", condition, number);
    side(!swapped_);
    body_ += fmt::format("  bra.uni $end{};\n$other{}:\n", number, number);
    side(swapped_);
    body_ += fmt::format("$end{}:\n", number);
  }
  [[nodiscard]] std::string ptx() const {
    return R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d) {
  .reg .pred %odd, %third, %great, %greater;
  .reg .b32 %i, %n, %j, %t;
  .reg .f32 %u, %v, %w;
  .reg .b64 %a, %b, %c, %d, %o;
  mov.u32 %t, %tid.x;
  mov.u32 %n, %ntid.x;
  mov.u32 %i, %ctaid.x;
  mad.lo.s32 %i, %i, %n, %t;
  mul.wide.s32 %o, %i, 4;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %d, [d];
  add.s64 %a, %a, %o;
  add.s64 %b, %b, %o;
  add.s64 %c, %d, %o;
  ld.global.f32 %v, [%a];
  mov.f32 %w, %v;
  and.b32 %j, %t, 1;
  setp.eq.s32 %odd, %j, 1;
  and.b32 %j, %t, 4;
  setp.eq.s32 %third, %j, 4;
  setp.gt.f32 %great, %v, 0f3F800000;
  setp.gt.f32 %greater, %v, 0f40000000;
)" + body_ +
           "  st.global.f32 [%b], %w;\n  ret;\n}\n";
  }

 private:
  bool swapped_;
  std::string body_;
  int labels_ = 0;
};

KernelReport report_of(const Program& program, bool diverge = true) {
  KernelCode code;
  code.ptx = program.ptx();
  code.file = "sides.ptx";
  code.kernel = "k";
  Launch launch;
  launch.grid = {64, 1, 1};
  launch.block = {64, 1, 1};
  launch.lanes_diverge = diverge;
  AnalysisOptions options;
  options.models = {"naive", "operations", "serialized"};
  return analyze_code(code, launch, kernel_times("nvidia-a100"), options);
}

/// Seconds of naive, operations, serialized.
std::array<double, 3> times_of(const Program& program, bool diverge = true) {
  const auto estimates = report_of(program, diverge).estimates;
  return {estimates.at(0).seconds.value(), estimates.at(1).seconds.value(), estimates.at(2).seconds.value()};
}

std::array<double, 3> straight(int steps) {
  Program program(false);
  program.chain(steps);
  return times_of(program);
}

constexpr double rounding = 1e-9;  // sums of the same times in another order

TEST(BranchSides, AreBothPaidWhicheverStandsFirst) {
  const auto both = straight(44), longer = straight(40);
  for (const std::string condition : {"%odd", "%great"}) {
    std::array<std::array<double, 3>, 2> sum{}, one{};
    for (const bool swapped : {false, true}) {
      Program program(swapped);
      program.branch(
          condition, [&] { program.chain(40); }, [&] { program.chain(4); });
      sum[swapped ? 1 : 0] = times_of(program);
      one[swapped ? 1 : 0] = times_of(program, false);
    }
    for (std::size_t m = 1; m < 3; ++m) {
      EXPECT_NEAR(sum[0][m], sum[1][m], rounding * sum[0][m]) << condition;
      EXPECT_GE(sum[0][m], both[m] * (1 - rounding)) << condition;
      EXPECT_LE(sum[0][m], both[m] * 1.1) << condition;
      EXPECT_NEAR(one[0][m], one[1][m], rounding * one[0][m]) << condition;
      // Lanes that are known to part pay for both; of what depends on data the longer one is asked for.
      EXPECT_NEAR(one[0][m], condition == "%odd" ? sum[0][m] : longer[m], 0.01 * one[0][m]) << condition;
    }
  }
}

TEST(BranchSides, HideNothingOfWhatOtherLanesHold) {
  const auto before = straight(200);
  for (const std::string condition : {"%odd", "%great"}) {
    Program program(false);
    program.chain(200);
    program.branch(
        condition, [&] { program.replace(); }, [] {});
    const auto after = times_of(program);
    for (std::size_t m = 0; m < 3; ++m) EXPECT_GE(after[m], before[m] * (1 - rounding)) << condition;
  }
}

using Conditions = std::array<const char*, 2>;
constexpr Conditions of_lanes{"%odd", "%third"}, of_data{"%great", "%greater"};

/// Chains, loads, and branches in branches, by a seed; `most` is the depth.
void grow(Program& program, std::mt19937& random, const Conditions& conditions, int most) {
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int part = below(3); part >= 0; --part) {
    const int what = below(4);
    if (what == 0) {
      program.load(1 + below(100000));
    } else if (what == 1 || most == 0) {
      program.chain(1 + below(12));
    } else {
      // The sides draw from generators of their own, so that they are the same ones where they change places.
      const auto first = random(), second = random();
      const bool empty = below(4) == 0;
      program.branch(
          conditions[static_cast<std::size_t>(below(2))],
          [&] {
            std::mt19937 own(first);
            grow(program, own, conditions, most - 1);
          },
          [&] {
            std::mt19937 own(second);
            if (!empty) grow(program, own, conditions, most - 1);
          });
    }
  }
}

void expect_the_same_in_either_order(const Conditions& conditions, int depth, bool diverge) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::array<std::array<double, 3>, 2> times{};
    for (const bool swapped : {false, true}) {
      std::mt19937 random(seed);
      Program program(swapped);
      grow(program, random, conditions, depth);
      times[swapped ? 1 : 0] = times_of(program, diverge);
    }
    for (std::size_t m = 0; m < 3; ++m)
      EXPECT_NEAR(times[0][m], times[1][m], 0.02 * times[0][m]) << "seed " << seed << " model " << m;
  }
}

TEST(BranchSides, OfAnyProgramMayChangePlaces) { expect_the_same_in_either_order(of_lanes, 3, true); }
// Deeper ones share out so few lanes, and have so many ways through, that what is assumed of data shows.
TEST(BranchSides, OnDataMayChangePlaces) { expect_the_same_in_either_order(of_data, 2, true); }
TEST(BranchSides, OfWhichTheLongerIsPaidMayChangePlaces) { expect_the_same_in_either_order(of_data, 1, false); }

TEST(BranchSides, TakeNoLessWithMoreBehindThem) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::array<std::array<double, 3>, 2> times{};
    for (const int more : {0, 7}) {
      std::mt19937 random(seed);
      Program program(false);
      grow(program, random, seed % 2 == 0 ? of_lanes : of_data, 2);
      if (more > 0)
        program.branch(
            "%odd", [&] { program.chain(more); }, [&] { program.load(0); });
      times[more > 0 ? 1 : 0] = times_of(program);
    }
    for (std::size_t m = 0; m < 3; ++m) EXPECT_GE(times[1][m], times[0][m] * (1 - rounding)) << "seed " << seed;
  }
}

TEST(BranchSides, AreFollowedUntilALaneIsAlone) {
  Program program(false);
  const auto nest = [&](const auto& self, int depth) -> void {
    if (depth == 0) return program.chain(2);
    program.branch(
        depth % 2 == 0 ? "%great" : "%greater", [&] { self(self, depth - 1); }, [&] { program.chain(1); });
  };
  nest(nest, 7);
  const auto report = report_of(program);
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const auto& n) { return n.find("single lane") != n.npos; }));
}
}  // namespace
}  // namespace sparsecast::gpu_code
