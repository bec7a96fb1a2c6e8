// Functions of a PTX text in the place of their calls: what is given and given back, guards, calls within calls, and
// what is not followed.
#include <gtest/gtest.h>

#include <set>
#include <sparsecast/error.hpp>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/ptx/ptx_parser.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
namespace {
constexpr const char* preamble = ".version 8.0\n.target sm_80\n.address_size 64\n";

// A kernel that stores at y[f(tid)], where `calls` leaves f in %r2.
std::string kernel_with(const std::string& calls) {
  return ".visible .entry k(.param .u64 y)\n{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
         "ld.param.u64 %rd1, [y];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 7;\n" +
         calls + "mul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r1;\nret;\n}\n";
}
std::string call_of(const std::string& function, const std::string& guard = "") {
  return "{\n.param .b32 given;\nst.param.b32 [given+0], %r1;\n.param .b32 back;\n" + guard + "call.uni (back), " +
         function + ", (given);\n" + guard + "ld.param.b32 %r2, [back+0];\n}\n";
}
// 3·a + 5, by a loop of its own.
constexpr const char* line_of = R"(
.func (.param .b32 result) line(.param .b32 a)
{
.reg .pred %p<2>; .reg .b32 %r<9>;
ld.param.u32 %r1, [a];
mov.u32 %r2, 5;
mov.u32 %r3, 0;
$again:
add.u32 %r2, %r2, %r1;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p1, %r3, 3;
@%p1 bra $again;
st.param.b32 [result], %r2;
ret;
}
)";

/// Elements of y that a block of 32 threads stores to.
std::set<std::uint64_t> stored(const std::string& text) {
  const PtxModule module = parse_ptx(preamble + text, "k.ptx");
  Launch launch;
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  const PtxCode code(module, module.kernels.at(0), launch);
  const BlockTrace trace = run_block(code, launch, {}, {});
  EXPECT_EQ(trace.unknown_addresses, 0);
  std::set<std::uint64_t> sectors;
  for (const auto& line : trace.stored)
    for (unsigned k = 0; k < 4; ++k)
      if ((line.sectors >> k) & 1) sectors.insert((line.line * 128 - buffer_stride) / 32 + k);
  return sectors;
}
std::set<std::uint64_t> sectors_of(const std::set<std::uint64_t>& elements) {
  std::set<std::uint64_t> sectors;
  for (const auto e : elements) sectors.insert(e * 4 / 32);
  return sectors;
}
/// The line and the reason with which a text is refused that is run.
std::string refusal(const std::string& text) {
  try {
    (void)stored(text);
    return "nothing refused";
  } catch (const Error& error) {
    return std::to_string(error.place().line) + ": " + error.reason() + "; " + error.remedy();
  }
}

TEST(PtxCalls, GiveAndReturn) {
  std::set<std::uint64_t> wanted;
  for (std::uint64_t a = 0; a < 32; ++a) wanted.insert(3 * a + 5);
  const std::string prototype = ".func (.param .b32 result) line(.param .b32 a);\n";
  // Before the kernel, or behind it as nvcc has it.
  EXPECT_EQ(stored(line_of + kernel_with(call_of("line"))), sectors_of(wanted));
  EXPECT_EQ(stored(prototype + kernel_with(call_of("line")) + line_of), sectors_of(wanted));
}

TEST(PtxCalls, WithinCallsAndInTurn) {
  const std::string twice =
      ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n" + call_of("line") +
      "mov.u32 %r1, %r2;\n" + call_of("line") + "st.param.b32 [r+0], %r2;\nret;\n}\n";
  std::set<std::uint64_t> wanted;
  for (std::uint64_t a = 0; a < 32; ++a) wanted.insert(3 * (3 * a + 5) + 5);
  EXPECT_EQ(stored(twice + line_of + kernel_with(call_of("twice"))), sectors_of(wanted));
  EXPECT_EQ(stored(line_of + kernel_with(call_of("line") + "mov.u32 %r1, %r2;\n" + call_of("line"))),
            sectors_of(wanted));
}

TEST(PtxCalls, OnlyWhereTheirGuardHolds) {
  std::set<std::uint64_t> wanted{7};
  for (std::uint64_t a = 0; a < 10; ++a) wanted.insert(3 * a + 5);
  EXPECT_EQ(stored(line_of + kernel_with("setp.lt.u32 %p1, %r1, 10;\n" + call_of("line", "@%p1 "))),
            sectors_of(wanted));
  EXPECT_EQ(stored(line_of + kernel_with("setp.ge.u32 %p1, %r1, 10;\n" + call_of("line", "@!%p1 "))),
            sectors_of(wanted));
}

TEST(PtxCalls, PartsOfAResultByTheirPlaces) {
  const std::string pair =
      ".func (.param .align 8 .b8 r[8]) pair(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n"
      "add.u32 %r2, %r1, 100;\nst.param.v2.b32 [r+0], {%r1, %r2};\nret;\n}\n";
  const std::string call =
      "{\n.param .b32 given;\nst.param.b32 [given], 3;\n.param .align 8 .b8 back[8];\n"
      "call.uni (back), pair, (given);\nld.param.b32 %r2, [back+4];\n}\n";
  EXPECT_EQ(stored(pair + kernel_with(call)), sectors_of({103}));
}

TEST(PtxCalls, KeepVariablesOfTheirOwn) {
  // Both have local memory and a shared tile of the same names: neither reads the other's.
  const std::string own = ".local .align 4 .b8 kept[8];\n.shared .align 4 .b8 tile[128];\n";
  const std::string function =
      ".func (.param .b32 r) keeps(.param .b32 a)\n{\n.reg .b32 %r<6>; .reg .b64 %rd<3>;\n" + own +
      "ld.param.u32 %r1, [a];\nadd.u32 %r2, %r1, 64;\nst.local.u32 [kept], %r2;\nst.shared.u32 [tile], %r2;\n"
      "ld.local.u32 %r3, [kept];\nst.param.b32 [r+0], %r3;\nret;\n}\n";
  const std::string kernel = kernel_with(own + "st.local.u32 [kept], %r1;\n" + call_of("keeps") +
                                         "ld.local.u32 %r3, [kept];\nadd.u32 %r2, %r2, %r3;\n");
  std::set<std::uint64_t> wanted;
  for (std::uint64_t a = 0; a < 32; ++a) wanted.insert(2 * a + 64);
  EXPECT_EQ(stored(function + kernel), sectors_of(wanted));
  const PtxModule module = parse_ptx(preamble + function + kernel, "k.ptx");
  EXPECT_EQ(module.kernels.at(0).shared_bytes, 256);
}

TEST(PtxCalls, AreRefusedWhereTheyAreNotFollowed) {
  const auto refused = [](const std::string& text) { return refusal(text).find("'call.uni' is not supported"); };
  EXPECT_NE(refused(kernel_with(call_of("elsewhere"))), std::string::npos);
  EXPECT_NE(refused(".extern .func (.param .b32 r) elsewhere(.param .b32 a);\n" + kernel_with(call_of("elsewhere"))),
            std::string::npos);
  const std::string itself =
      ".func (.param .b32 r) itself(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n" + call_of("itself") +
      "st.param.b32 [r+0], %r2;\nret;\n}\n";
  EXPECT_NE(refused(itself + kernel_with(call_of("itself"))), std::string::npos);
  // Other arguments than the function takes; a function that is not understood.
  const std::string none = ".func (.param .b32 r) line()\n{\nst.param.b32 [r+0], 4;\nret;\n}\n";
  EXPECT_NE(refused(none + kernel_with(call_of("line"))), std::string::npos);
  EXPECT_NE(
      refused(".func (.param .b32 r) line(.param .b32 a)\n{\nnonsense nonsense;\n}\n" + kernel_with(call_of("line"))),
      std::string::npos);
  // What is not called does not matter.
  EXPECT_EQ(stored(".func bad()\n{\nnonsense nonsense;\n}\n" + kernel_with("")), sectors_of({7}));
}

// Each function calls the next one twice: 2^40 bodies if all were put in place.
TEST(PtxCalls, EndWhereTheyWouldMakeTheCodeTooLarge) {
  std::string text;
  for (int k = 0; k < 40; ++k) {
    const std::string next = "f" + std::to_string(k + 1);
    text += ".func (.param .b32 r) f" + std::to_string(k) +
            "(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n" + call_of(next) + call_of(next) +
            "st.param.b32 [r+0], %r2;\nret;\n}\n";
  }
  text += ".func (.param .b32 r) f40(.param .b32 a)\n{\nst.param.b32 [r+0], 4;\nret;\n}\n";
  const PtxModule module = parse_ptx(preamble + text + kernel_with(call_of("f0")), "k.ptx");
  EXPECT_LT(module.kernels.at(0).body.size(), 1u << 19);
  EXPECT_EQ(stored(text + kernel_with(call_of("f33"))), sectors_of({4}));
  // A chain of calls that is as deep as a text is long.
  std::string chain;
  for (int k = 0; k < 5000; ++k)
    chain += ".func f" + std::to_string(k) + "()\n{\ncall.uni f" + std::to_string(k + 1) + ";\nret;\n}\n";
  EXPECT_NE(refusal(chain + ".func f5000()\n{\nret;\n}\n" + kernel_with("call.uni f0;\n")).find("call.uni"),
            std::string::npos);
}
}  // namespace
}  // namespace sparsecast::gpu_code
