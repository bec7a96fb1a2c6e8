// The PTX front end: parsing, running, and the counts it gives, checked against a small interpreter of its own that
// runs every thread by itself and knows nothing of warps, traces or loops.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <sparsecast/error.hpp>
#include <sstream>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/ptx/ptx_parser.hpp"
#include "gpu_code/trace/access_passes.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
namespace {

constexpr const char* header = ".version 8.0\n.target sm_80\n.address_size 64\n";

// y[i * stride] = sum over j < k of x[i + j], through shared memory.
const std::string gather = std::string(header) + R"(
.visible .entry gather(.param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3)
{
  .reg .pred %p<4>;
  .reg .f32 %f<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<10>;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  ld.param.u32 %r1, [p2];
  ld.param.u32 %r2, [p3];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.s32 %r6, %r4, %r5, %r3;
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.s32 %rd4, %r6, 4;
  add.s64 %rd5, %rd3, %rd4;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r7, 0;
  setp.lt.s32 %p1, %r1, 1;
  @%p1 bra $done;
$loop:
  ld.global.f32 %f2, [%rd5];
  add.f32 %f1, %f1, %f2;
  add.s64 %rd5, %rd5, 4;
  add.s32 %r7, %r7, 1;
  setp.lt.s32 %p2, %r7, %r1;
  @%p2 bra $loop;
$done:
  mov.u32 %r8, tile;
  shl.b32 %r9, %r3, 3;
  add.s32 %r10, %r8, %r9;
  st.shared.f32 [%r10], %f1;
  bar.sync 0;
  ld.shared.f32 %f3, [%r10];
  mul.lo.s32 %r11, %r6, %r2;
  mul.wide.s32 %rd6, %r11, 4;
  cvta.to.global.u64 %rd7, %rd2;
  add.s64 %rd8, %rd7, %rd6;
  st.global.f32 [%rd8], %f3;
  ret;
}
)";

/// Runs one thread after another; counts executions per line and gathers addresses per (line, warp, n-th execution).
class ReferenceInterpreter {
 public:
  std::map<int, std::int64_t> executed;                                       ///< by line: threads that ran it
  std::map<std::tuple<int, int, int>, std::vector<std::uint64_t>> addresses;  ///< by line, warp and occurrence

  void run(const std::string& text, std::map<std::string, std::int64_t> parameters, std::int64_t block,
           std::int64_t threads) {
    std::vector<std::pair<int, std::vector<std::string>>> code;
    std::map<std::string, std::size_t> labels;
    std::istringstream in(text);
    int number = 0;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line == "{") inside = true;
      if (!inside) continue;
      std::vector<std::string> words;
      std::string word;
      for (const char c : line) {
        if (std::strchr(" ,;[]", c)) {
          if (!word.empty()) words.push_back(word);
          word.clear();
        } else {
          word += c;
        }
      }
      if (!word.empty()) words.push_back(word);
      if (words.empty() || words[0] == "{" || words[0] == "}" || words[0][0] == '.') continue;
      if (words[0].back() == ':')
        labels[words[0].substr(0, words[0].size() - 1)] = code.size();
      else
        code.emplace_back(number, words);
    }
    for (std::int64_t t = 0; t < threads; ++t) {
      std::map<std::string, std::int64_t> r = {{"%tid.x", t}, {"%ctaid.x", block}, {"%ntid.x", threads}, {"tile", 0}};
      std::map<int, int> times;
      const auto value = [&](const std::string& s) -> std::int64_t {
        if (s[0] == '%' || s == "tile") return r[s];
        return s.starts_with("0f") ? 0 : std::stoll(s);
      };
      for (std::size_t pc = 0; pc < code.size();) {
        auto [line, w] = code[pc++];
        if (w[0][0] == '@') {
          const bool yes = r[w[0].substr(1)] != 0;
          w.erase(w.begin());
          if (!yes) {
            ++executed[line];
            continue;
          }
        }
        ++executed[line];
        const std::string& op = w[0];
        if (op == "ret") break;
        if (op == "bra")
          pc = labels.at(w[1]);
        else if (op.starts_with("ld.param"))
          r[w[1]] = parameters.at(w[2]);
        else if (op.starts_with("ld.") || op.starts_with("st."))
          addresses[{line, static_cast<int>(t / 32), times[line]++}].push_back(
              static_cast<std::uint64_t>(value(op.starts_with("ld.") ? w[2] : w[1])));
        else if (op.starts_with("mov") || op.starts_with("cvta"))
          r[w[1]] = value(w[2]);
        else if (op.starts_with("add.f32"))
          continue;
        else if (op.starts_with("add"))
          r[w[1]] = value(w[2]) + value(w[3]);
        else if (op.starts_with("mul"))
          r[w[1]] = value(w[2]) * value(w[3]);
        else if (op.starts_with("mad"))
          r[w[1]] = value(w[2]) * value(w[3]) + value(w[4]);
        else if (op.starts_with("shl"))
          r[w[1]] = value(w[2]) << value(w[3]);
        else if (op.starts_with("setp.lt"))
          r[w[1]] = value(w[2]) < value(w[3]);
        else if (!op.starts_with("bar"))
          FAIL() << "the reference does not know " << op;
      }
    }
  }
};

struct Counts {
  PtxModule module;
  BlockTrace trace;
};

Counts run(const std::string& text, std::map<std::string, std::string> arguments, std::int64_t threads,
           Dim3 block = {3, 0, 0}) {
  Counts c;
  c.module = parse_ptx(text, "test.ptx");
  Launch launch;
  launch.grid = {16, 1, 1};
  launch.block = {threads, 1, 1};
  launch.arguments = std::move(arguments);
  const PtxCode code(c.module, c.module.kernels.at(0), launch);
  c.trace = run_block(code, launch, block, {});
  return c;
}

class Gather : public ::testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(Gather, CountsAgreeWithTheReference) {
  const auto [k, stride, threads] = GetParam();
  const auto c = run(gather, {{"2", std::to_string(k)}, {"3", std::to_string(stride)}}, threads);
  ReferenceInterpreter reference;
  reference.run(gather,
                {{"p0", static_cast<std::int64_t>(buffer_stride)},
                 {"p1", static_cast<std::int64_t>(2 * buffer_stride)},
                 {"p2", k},
                 {"p3", stride}},
                3, threads);
  const auto& body = c.module.kernels[0].body;
  for (std::size_t i = 0; i < body.size(); ++i) {
    EXPECT_EQ(c.trace.executed_lanes[i] +
                  (body[i].op == PtxOp::bra ? reference.executed[body[i].line] - c.trace.executed_lanes[i] : 0),
              reference.executed[body[i].line])
        << "line " << body[i].line;
    if (body[i].space != PtxSpace::global || (body[i].op != PtxOp::ld && body[i].op != PtxOp::st)) continue;
    std::int64_t sectors = 0;
    for (const auto& [key, addresses] : reference.addresses) {
      if (std::get<0>(key) != body[i].line) continue;
      std::set<std::uint64_t> distinct;
      for (const auto a : addresses) distinct.insert(a / 32);
      sectors += static_cast<std::int64_t>(distinct.size());
    }
    EXPECT_EQ(c.trace.sectors[i], sectors) << "line " << body[i].line;
  }
  if (k > 0) {
    EXPECT_EQ(c.trace.loop_iterations.at(0), static_cast<std::int64_t>(k) * ((threads + 31) / 32));
  }
}

INSTANTIATE_TEST_SUITE_P(Launches, Gather,
                         ::testing::Values(std::tuple{1, 1, 32}, std::tuple{7, 2, 64}, std::tuple{0, 3, 96},
                                           std::tuple{100, 33, 48}, std::tuple{5000, 1, 32}));

TEST(Ptx, PassingOverIterationsCountsWhatRunningThemCounts) {
  const auto module = parse_ptx(gather, "test.ptx");
  Launch launch;
  launch.block = {64, 1, 1};
  for (const int k : {700, 1000, 1024, 1500}) {
    launch.arguments = {{"2", std::to_string(k)}, {"3", "1"}};
    const PtxCode code(module, module.kernels.at(0), launch);
    TraceOptions whole, leaping;
    leaping.most_steps = 6000;  // two warps of k iterations of six instructions do not fit in that
    const auto a = run_block(code, launch, {0, 0, 0}, whole), b = run_block(code, launch, {0, 0, 0}, leaping);
    EXPECT_EQ(a.executed, b.executed) << k;
    EXPECT_EQ(a.executed_lanes, b.executed_lanes) << k;
    EXPECT_EQ(a.loop_iterations, b.loop_iterations) << k;
    // How many lines an access touches depends on where it lies in them: the iterations tried stand for the others.
    for (std::size_t i = 0; i < a.wavefronts.size(); ++i)
      EXPECT_NEAR(static_cast<double>(b.wavefronts[i]), static_cast<double>(a.wavefronts[i]),
                  0.05 * static_cast<double>(a.wavefronts[i]))
          << k;
  }
}

TEST(Ptx, PassesOverNoTestForEquality) {
  // Compilers write `i != k` for `i < k`: what went past k would never end. Backwards, too, and by steps of two.
  std::string ends_at_k = gather, counts_down = gather;
  const auto replace = [](std::string& text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace(ends_at_k, "setp.lt.s32 %p2, %r7, %r1", "setp.ne.s32 %p2, %r7, %r1");
  replace(counts_down, "mov.u32 %r7, 0", "shl.b32 %r7, %r1, 1");
  replace(counts_down, "add.s32 %r7, %r7, 1", "add.s32 %r7, %r7, -2");
  replace(counts_down, "setp.lt.s32 %p2, %r7, %r1", "setp.ne.s32 %p2, %r7, 0");
  for (const auto& text : {ends_at_k, counts_down})
    for (const int k : {700, 1023, 1500, 1'000'000}) {
      const auto module = parse_ptx(text, "test.ptx");
      Launch launch;
      launch.block = {64, 1, 1};
      launch.arguments = {{"2", std::to_string(k)}, {"3", "1"}};
      const PtxCode code(module, module.kernels.at(0), launch);
      TraceOptions leaping;
      leaping.most_steps = 6000;
      EXPECT_EQ(run_block(code, launch, {0, 0, 0}, leaping).loop_iterations.at(0), 2 * k);
    }
}

TEST(Ptx, EstimatesALoopThatIsFarTooLongToRun) {
  const auto c = run(gather, {{"2", "1000000000"}, {"3", "1"}}, 32);
  EXPECT_EQ(c.trace.loop_iterations.at(0), 1'000'000'000);
  EXPECT_GT(c.trace.unseen_loaded, 0);  // four bytes an iteration: lines that were never met
  ASSERT_EQ(c.trace.skips.size(), 1u);
  EXPECT_NEAR(static_cast<double>(c.trace.skips[0].instructions), 6e9, 6e7);
}

TEST(Ptx, StridedSharedAccessesConflict) {  // 8 bytes apart: two words of every second bank
  const auto c = run(gather, {{"2", "1"}, {"3", "1"}}, 32);
  const auto& body = c.module.kernels[0].body;
  for (std::size_t i = 0; i < body.size(); ++i)
    if (body[i].space == PtxSpace::shared) {
      EXPECT_EQ(c.trace.wavefronts[i], 2);
    }
}

TEST(SharedMemory, PassesByHand) {
  MemoryAccess a;
  a.space = MemorySpace::shared;
  a.lanes = a.known = ~LaneMask{0};
  const auto passes = [&](int bytes, auto address) {
    a.bytes = static_cast<std::uint8_t>(bytes);
    for (std::size_t l = 0; l < 32; ++l) a.address[l] = static_cast<std::uint64_t>(address(static_cast<int>(l)));
    return shared_wavefronts(a);
  };
  EXPECT_EQ(passes(4, [](int l) { return 4 * l; }), 1);
  EXPECT_EQ(passes(4, [](int) { return 64; }), 1);          // one word for all
  EXPECT_EQ(passes(4, [](int l) { return 128 * l; }), 32);  // one bank
  EXPECT_EQ(passes(4, [](int l) { return 132 * l; }), 1);   // a padded column
  EXPECT_EQ(passes(8, [](int l) { return 8 * l; }), 2);
  EXPECT_EQ(passes(16, [](int l) { return 16 * l; }), 4);
}

TEST(Ptx, AsksForAScalarThatDecidesALoop) {
  try {
    (void)run(gather, {{"3", "1"}}, 32);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_NE(error.remedy().find("arguments = {{\"2\", value}}"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("$loop"), std::string::npos) << error.what();
  }
}

TEST(Ptx, TakesTripCountsForLoopsOnData) {
  const std::string chase = std::string(header) + R"(
.visible .entry chase(.param .u64 p0) {
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p0];
  mov.u32 %r1, 0;
$head:
  mul.wide.s32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r1, [%rd3];
  setp.ge.s32 %p1, %r1, 0;
  @%p1 bra $head;
  ret;
})";
  const auto module = parse_ptx(chase, "chase.ptx");
  Launch launch;
  launch.block = {32, 1, 1};
  launch.trips["$head"] = {9};
  const PtxCode code(module, module.kernels[0], launch);
  EXPECT_EQ(run_block(code, launch, {0, 0, 0}, {}).loop_iterations.at(0), 9);
  launch.trips["$head"] = {1, 5};  // lanes differ: the warp runs as long as the longest
  EXPECT_EQ(run_block(code, launch, {0, 0, 0}, {}).loop_iterations.at(0), 5);
  launch.trips.clear();
  EXPECT_THROW((void)run_block(code, launch, {0, 0, 0}, {}), Error);
}

TEST(Ptx, FollowsGivenBuffers) {
  const auto module = parse_ptx(std::string(header) + R"(
.visible .entry k(.param .u64 p0, .param .u64 p1) {
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p0];
  ld.global.u32 %r1, [%rd1];
  mov.u32 %r2, 0;
$l:
  add.s32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra $l;
  ret;
})",
                                "k.ptx");
  Launch launch;
  launch.block = {32, 1, 1};
  launch.buffers["0"] = {12, 0, 0, 0};
  const PtxCode code(module, module.kernels[0], launch);
  EXPECT_EQ(run_block(code, launch, {0, 0, 0}, {}).loop_iterations.at(0), 12);
}

TEST(Ptx, NamesWhatItDoesNotUnderstandWithItsLine) {
  try {
    (void)run(std::string(header) + ".visible .entry k() {\n  frobnicate.b32;\n}\n", {}, 32);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.place().line, 5);
    EXPECT_NE(error.reason().find("frobnicate.b32"), std::string::npos);
  }
}

TEST(Ptx, RefusesBrokenText) {
  for (const char* text :
       {"", "hello", ".version 8.0\n.visible .entry k( {", ".visible .entry k() { mov.u32 %r1, 0; }",
        ".visible .entry k() { .reg .b32 %r<99999999999>; }", ".visible .entry k() { bra $nowhere; }",
        ".visible .entry k() { .reg .b32 %r<3>; add.s32 %r1, %r2; }",
        ".visible .entry k() { .reg .pred %p<2>; setp.lt.s32 %p1; }",
        ".visible .entry k() { .reg .b32 %r<3>; ld.global.u32 %r1; }",
        ".visible .entry k() { .reg .b32 %r<3>; st.global.u32 [%r1]; }",
        ".visible .entry k() { .reg .b32 %r<3>; bra %r1; }", ".visible .entry k() { bra 5; }",
        ".visible .entry k() { ld.global.u32; }", ".visible .entry k() { mov.u32; }",
        ".visible .entry k() { mov.u32 [[[[[[[[[[[[[[[[[[[[[[[[1]; }",
        ".visible .entry k(.param .b8 p[65536], .param .b8 q[65536]) { ret; }", ".shared .b8 x[9999999999999999999];"})
    EXPECT_THROW((void)parse_ptx(text, "broken.ptx"), Error) << text;
}

}  // namespace
}  // namespace sparsecast::gpu_code
