// Which lanes run next, what shared memory holds, what a trace counts, and the table of operations: small parts of the
// machines.
#include "gpu_code/trace/warp_run.hpp"

#include <gtest/gtest.h>

#include "gpu_code/overlap/first_level_cache.hpp"
#include "gpu_code/overlap/instruction_fetch.hpp"
#include "gpu_code/overlap/memory_path.hpp"
#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_declarations.hpp"
#include "gpu_code/ptx/ptx_kernel_parser.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/ptx/ptx_stream.hpp"
#include "gpu_code/ptx/ptx_words.hpp"
#include "gpu_code/sass/sass_machine.hpp"
#include "gpu_code/sass/sass_operations.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/access_passes.hpp"
#include "gpu_code/trace/footprint.hpp"
#include "gpu_code/trace/known_memory.hpp"
#include "gpu_code/trace/lane_schedule.hpp"
#include "gpu_code/trace/leaps.hpp"

namespace sparsecast::gpu_code {
namespace {

constexpr LaneMask all = ~LaneMask{0}, even = 0x55555555u;

TEST(TraceRecorder, IterationsPassedOverAreCountedUpToABound) {
  const Launch launch;
  BlockTrace trace;
  trace.warps.resize(1);
  trace.loop_iterations = {5};
  LineSet loaded, stored;
  TraceRecorder recorder(launch, trace, 0, 0, loaded, stored);
  const TraceCounts since = recorder.counts();
  trace.loop_iterations = {8};
  recorder.account(since, 100);
  EXPECT_EQ(trace.loop_iterations[0], 8 + 100 * 3);
  recorder.account(since, std::int64_t{1} << 60);
  EXPECT_EQ(trace.loop_iterations[0], 1'000'000'000'000'000) << "no overflow";
}

TEST(LaneSchedule, LanesGoOnTogether) {
  LaneSchedule lanes;
  lanes.start(all);
  for (std::int32_t pc = 0; pc < 3; ++pc) {
    const auto turn = lanes.next();
    EXPECT_EQ(turn.pc, pc);
    EXPECT_EQ(turn.lanes, all);
    lanes.step(turn);
  }
}

TEST(LaneSchedule, TheLowestAddressGoesFirstUntilAllMeetAgain) {
  LaneSchedule lanes;
  lanes.start(all);
  lanes.step(lanes.next());
  lanes.move(even, 3);  // at 0: the even lanes jump to 3, the others are at 1
  for (const std::int32_t pc : {1, 2}) {
    const auto turn = lanes.next();
    EXPECT_EQ(turn.pc, pc);
    EXPECT_EQ(turn.lanes, ~even);
    lanes.step(turn);
  }
  EXPECT_EQ(lanes.next().pc, 3);
  EXPECT_EQ(lanes.next().lanes, all);
}

TEST(LaneSchedule, LanesThatEndAreNotWaitedFor) {
  LaneSchedule lanes;
  lanes.start(all);
  lanes.move(even, 7);
  lanes.end(~even);
  EXPECT_EQ(lanes.next().pc, 7);
  EXPECT_EQ(lanes.alive(), even);
  lanes.end(even);
  EXPECT_EQ(lanes.alive(), 0u);
}

TEST(LaneSchedule, ACalledFunctionGoesFirstAndComesBackToItsCaller) {
  LaneSchedule lanes;
  lanes.start(all);
  lanes.step(lanes.next());
  lanes.call(even, 40);  // from 0: the odd lanes stand at 1
  for (const std::int32_t pc : {40, 41}) {
    const auto turn = lanes.next();
    EXPECT_EQ(turn.pc, pc) << "although the others stand at a lower address";
    EXPECT_EQ(turn.lanes, even);
    EXPECT_EQ(turn.depth, 1);
    lanes.step(turn);
  }
  const LaneSchedule before = lanes;
  lanes.come_back(even, 1);
  EXPECT_EQ(lanes.next().pc, 1);
  EXPECT_EQ(lanes.next().lanes, all);
  EXPECT_EQ(lanes.next().depth, 0);
  lanes = before;
  EXPECT_EQ(lanes.next().pc, 42) << "the depth is part of where lanes stood";
}

TEST(LaneSchedule, TheInnermostCallGoesFirst) {
  LaneSchedule lanes;
  lanes.start(all);
  lanes.call(all, 20);
  lanes.call(even, 90);
  EXPECT_EQ(lanes.next().pc, 90);
  EXPECT_EQ(lanes.next().depth, 2);
  lanes.end(even);
  EXPECT_EQ(lanes.next().pc, 20);
  EXPECT_EQ(lanes.next().depth, 1);
}

SassWord word_of(std::uint32_t operation, std::uint32_t form, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return {operation | std::uint64_t{form} << 9 | std::uint64_t{a} << 24 | std::uint64_t{b} << 32, c};
}

TEST(SassOperations, SayWhichRegistersArithmeticReads) {
  constexpr std::uint32_t ffma = 0x023, fadd = 0x021, mov = 0x002;
  const auto all_registers = word_of(ffma, 1, 4, 5, 6);
  EXPECT_EQ(register_source(all_registers, 0), 4u);
  EXPECT_EQ(register_source(all_registers, 1), 5u);
  EXPECT_EQ(register_source(all_registers, 2), 6u);
  const auto constant_in_the_middle = word_of(ffma, 5, 4, 99, 6);
  EXPECT_EQ(register_source(constant_in_the_middle, 1), std::nullopt);
  EXPECT_EQ(register_source(constant_in_the_middle, 2), 6u);
  const auto constant_at_the_end = word_of(ffma, 3, 4, 99, 6);
  EXPECT_EQ(register_source(constant_at_the_end, 1), 6u);
  EXPECT_EQ(register_source(constant_at_the_end, 2), std::nullopt);
  EXPECT_EQ(register_source(word_of(ffma, 1, 4, 255, 6), 1), std::nullopt) << "RZ is zero, not a register";
  EXPECT_EQ(register_source(word_of(fadd, 1, 4, 5, 0), 2), std::nullopt) << "two sources";
  EXPECT_EQ(register_source(word_of(mov, 1, 4, 5, 0), 0), std::nullopt) << "one source";
}

constexpr KernelTimes::CodeCaches caches{.near_bytes = 512,
                                         .far_bytes = 1024,
                                         .near_line_cycles = 10,
                                         .far_line_cycles = 40};  // 4 and 8 lines of 8 instructions

TEST(InstructionFetch, CodeThatFitsIsNotWaitedFor) {
  EXPECT_FALSE(InstructionFetch(4 * 8, caches).limits());
  EXPECT_TRUE(InstructionFetch(4 * 8 + 1, caches).limits());
  EXPECT_FALSE(InstructionFetch(100'000, {}).limits()) << "nothing is known of the caches";
}

TEST(InstructionFetch, StraightCodeComesFromTheCacheThatHoldsAllOfIt) {
  const auto second_pass = [](std::size_t lines) {
    InstructionFetch fetch(8 * lines, caches);
    double time = 0, first = 0;
    for (int pass = 0; pass < 2; ++pass) {
      first = time;
      for (std::size_t line = 0; line < lines; ++line) time = fetch.arrives(line, time);
    }
    return (time - first) / static_cast<double>(lines);
  };
  EXPECT_EQ(second_pass(4), 0);
  EXPECT_EQ(second_pass(8), 10);
  EXPECT_EQ(second_pass(9), 40) << "the line that is needed next has just gone";
}

TEST(InstructionFetch, WarpsThatRunTogetherShareALine) {
  InstructionFetch fetch(8 * 20, caches);
  EXPECT_EQ(fetch.arrives(3, 100), 140);
  EXPECT_EQ(fetch.arrives(3, 105), 140);
  EXPECT_EQ(fetch.arrives(4, 105), 180) << "one path";
  EXPECT_EQ(fetch.busy(), 80);
}

TEST(FirstLevelCache, GivesBackWhatWasWrittenWhenALineGoes) {
  FirstLevelCache cache(128);  // one line
  std::uint8_t missing = 0;
  cache.touch(1, 0b0011, missing).dirty |= 0b0011;
  EXPECT_EQ(cache.written_back(), 0);
  (void)cache.touch(2, 0b0001, missing);
  EXPECT_EQ(cache.written_back(), 2);
  EXPECT_EQ(cache.written_back(), 0) << "once";
  (void)cache.touch(3, 0b0001, missing);
  EXPECT_EQ(cache.written_back(), 0) << "line 2 was only read";
}

TEST(KnownBytes, KnowWhatWasWrittenByteByByte) {
  KnownBytes memory;
  std::uint64_t value = 0;
  EXPECT_FALSE(memory.read(0, 4, value));
  memory.write(8, 4, 0x11223344, false);
  EXPECT_TRUE(memory.blank()) << "nothing is known yet";
  memory.write(8, 4, 0x11223344, true);
  EXPECT_TRUE(memory.read(8, 4, value));
  EXPECT_EQ(value, 0x11223344u);
  EXPECT_TRUE(memory.read(9, 2, value));
  EXPECT_EQ(value, 0x2233u);
  EXPECT_FALSE(memory.read(10, 4, value)) << "the last two bytes were never written";
  memory.write(9, 1, 0, false);
  EXPECT_FALSE(memory.read(8, 4, value)) << "one byte is unknown again";
  memory.write(std::uint64_t{1} << 40, 4, 1, true);
  EXPECT_FALSE(memory.read(std::uint64_t{1} << 40, 4, value)) << "no multiprocessor has that much";
}

TEST(MemoryImage, HoldsItsRegionsAndNothingBetween) {
  MemoryImage memory;
  std::uint64_t value = 0;
  EXPECT_FALSE(memory.read(100, 1, value));
  memory.add(100, {1, 2, 3, 4});
  memory.add(200, {5});
  EXPECT_TRUE(memory.read(101, 2, value));
  EXPECT_EQ(value, 0x0302u);
  EXPECT_FALSE(memory.read(102, 4, value));
  EXPECT_FALSE(memory.read(150, 1, value));
  EXPECT_TRUE(memory.read(200, 1, value));
}

TEST(PtxOperations, AreFoundByNameAndByNumber) {
  for (int op = 1; op <= static_cast<int>(PtxOp::createpolicy); ++op) {
    const auto& row = ptx_operation(static_cast<PtxOp>(op));
    EXPECT_EQ(ptx_operation(row.name).op, row.op) << row.name;
  }
  EXPECT_EQ(ptx_operation("wmma").op, PtxOp::mma) << "another spelling";
  EXPECT_EQ(ptx_operation("frobnicate").effect, PtxEffect::refused);
}

TEST(PtxOperations, KnowWhichOperandIsTheResult) {
  for (const auto* writes : {"add.s32", "ld.global.f32", "atom.global.add.u32", "setp.lt.s32", "bar.red.popc.u32"})
    EXPECT_TRUE(writes_first_operand(ptx_shape(writes))) << writes;
  for (const auto* reads : {"st.shared.f32", "red.global.add.u32", "bra", "bar.sync"})
    EXPECT_FALSE(writes_first_operand(ptx_shape(reads))) << reads;
}

}  // namespace
}  // namespace sparsecast::gpu_code
