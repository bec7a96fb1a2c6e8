// The driver runs the lanes of a warp, decides branches on unknown data, leaves out iterations of long loops, and lets
// warps meet at barriers.

#include "gpu_code/trace/warp_run.hpp"

#include <fmt/format.h>
#include <ctime>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "fields/wording.hpp"
#include "gpu_code/trace/lane_schedule.hpp"
#include "gpu_code/trace/leaps.hpp"
#include "gpu_code/trace/trace_recorder.hpp"

namespace sparsecast::gpu_code {
namespace {
// Of this thread alone: other work on the machine is none of the block's.
double thread_time_s() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class WarpRun {
 public:
  WarpRun(const Code& code, const Launch& launch, const TraceOptions& options, BlockTrace& trace, std::size_t warp,
          std::int64_t block, LineSet& loaded, LineSet& stored)
      : code_(code),
        launch_(launch),
        options_(options),
        recorder_(launch, trace, warp, block, loaded, stored),
        steps_(trace.warps[warp]) {
    visits_.assign(code.loops().size(), {});
    leap_after_ = options.most_steps / 16 / std::max<std::int64_t>(launch.warps_per_block(), 1);
  }

  WarpState state;
  LaneSchedule lanes;

  /// Runs to the next barrier or to the end; true at a barrier.
  bool run(std::int64_t& budget) {
    StepOutcome outcome;
    while (lanes.alive() != 0 || take_back()) {
      ++steps_run_;
      if (--budget < 0)
        throw Error(ErrorCode::failed,
                    fmt::format("one block executes more than {} instructions, in loops that do not repeat evenly",
                                options_.most_steps),
                    {},
                    wording::format("analyse a smaller launch, or give {} for its longest loop",
                                    wording::option("kernel.trips")));
      if ((budget & 0xFFFF) == 0) {
        base::throw_if_interrupted();
        if (thread_time_s() > options_.end_by_s)
          throw Error(
              ErrorCode::failed,
              fmt::format("one block takes longer than {:g} s to follow, in loops that do not repeat evenly",
                          options_.most_s),
              {},
              wording::format("check that the kernel ends, analyse a smaller launch, or give {} for its longest loop",
                              wording::option("kernel.trips")));
      }
      const auto turn = lanes.next();
      if (turn.pc >= code_.size()) {
        lanes.end(turn.lanes);
        continue;
      }
      if (leave_calls(turn.depth) || follow_loops(turn.pc, turn.lanes)) continue;
      outcome.kind = StepOutcome::Kind::next;
      outcome.lanes = turn.lanes;
      outcome.unknown = outcome.again = 0;
      outcome.has_access = false;
      code_.execute(state, turn.pc, turn.lanes, outcome);
      record(turn, outcome);
      lanes.step(turn);
      switch (outcome.kind) {
        case StepOutcome::Kind::next: break;
        case StepOutcome::Kind::branch: branch(turn, outcome); break;
        case StepOutcome::Kind::exit: exit(turn, outcome); break;
        case StepOutcome::Kind::call: call(turn, outcome); break;
        case StepOutcome::Kind::come_back:
          lanes.move(outcome.again, turn.pc);
          lanes.come_back(outcome.lanes, outcome.target);
          break;
        case StepOutcome::Kind::barrier: return true;
      }
    }
    while (!loops_.empty()) leave();
    floors_.clear();
    return false;
  }

 private:
  void exit(const LaneSchedule::Turn& turn, const StepOutcome& outcome) {
    // A guard that is not known ("if (x[i] > 0) return"): the lanes are taken to stay.
    if (outcome.unknown != 0) recorder_.assume();
    lanes.end(turn.lanes & outcome.lanes & ~outcome.unknown);
  }

  void branch(const LaneSchedule::Turn& turn, const StepOutcome& outcome) {
    LaneMask taken = outcome.lanes & ~outcome.unknown;
    const LaneMask unknown = outcome.unknown & turn.lanes;
    if (unknown != 0) taken |= decide(turn.pc, outcome.target, unknown);
    lanes.move(taken, outcome.target);
  }

  /// Where it is not known whether a function is called, it is the slow path of ordinary arithmetic: it is not.
  void call(const LaneSchedule::Turn& turn, const StepOutcome& outcome) {
    constexpr std::uint8_t deepest = 64;
    if (turn.depth >= deepest) throw Error(ErrorCode::failed, "functions call each other without end");
    if (outcome.unknown != 0) recorder_.assume();
    const LaneMask called = outcome.lanes & ~outcome.unknown;
    if (called == 0) return;
    floors_.resize(turn.depth);
    floors_.push_back(loops_.size());
    lanes.call(called, outcome.target);
  }

  /// Functions that are returned from are left, with the loops in them. The result is as that of follow_loops().
  bool leave_calls(std::uint8_t depth) {
    for (; floors_.size() > depth; floors_.pop_back())
      while (loops_.size() > floors_.back())
        if (end_loop()) return true;
    return false;
  }

  /// The innermost loop is left, or the leap that went past its end taken back: then true.
  bool end_loop() {
    const bool leapt = loops_.back().leaps.phase == Leaps::Phase::trying;
    if (leapt)
      take_back(loops_.back());
    else
      leave();
    return leapt;
  }

  /// Which lanes take a branch whose condition is not known.
  LaneMask decide(std::int32_t pc, std::int32_t target, LaneMask unknown) {
    recorder_.assume();
    for (auto loop = code_.loop_of(pc); loop >= 0; loop = code_.loops()[static_cast<std::size_t>(loop)].parent) {
      const auto& range = code_.loops()[static_cast<std::size_t>(loop)];
      const bool target_inside = target >= range.head && target <= range.tail;
      const bool next_inside = pc + 1 <= range.tail;
      if (target_inside && next_inside && target != range.head) continue;
      const auto given = launch_.trips.find(range.label);
      if (given == launch_.trips.end() || given->second.empty()) code_.ask(pc, range.label);
      // The test at the end of the body has seen as many visits of the head as there were iterations, one at its start
      // sees one more.
      const bool at_end = target == range.head || !next_inside;
      LaneMask stay = 0;
      for (const std::size_t lane : LanesOf{unknown}) {
        const auto thread = static_cast<std::size_t>(thread_number(lane));
        const auto trips = given->second[thread % given->second.size()];
        const auto visits = visits_[static_cast<std::size_t>(loop)][lane];
        if (at_end ? visits < trips : visits <= trips) stay |= LaneMask{1} << lane;
      }
      return target_inside ? stay : unknown & ~stay;
    }
    if (code_.rare(target) != code_.rare(pc + 1)) return code_.rare(target) ? 0 : unknown;
    return launch_.lanes_diverge ? half_of(unknown) : decided(pc, unknown);
  }

  /// All lanes take one side of a branch.
  LaneMask decided(std::int32_t pc, LaneMask unknown) {
    const auto side = launch_.sides.find(pc);
    if (side == launch_.sides.end()) recorder_.leave_undecided(pc);
    return side != launch_.sides.end() && side->second ? unknown : 0;
  }

  /// Both sides get lanes, at every depth of branches within branches, until one lane is left; and lanes of every kind,
  /// odd and even, low and high, as the Thue-Morse sequence deals them: what further branches on a lane's number find
  /// does not depend on which side it is.
  LaneMask half_of(LaneMask unknown) {
    if (std::popcount(unknown) == 1) {
      recorder_.lose_side();
      return 0;
    }
    LaneMask taken = 0;
    unsigned place = 0;
    for (const std::size_t lane : LanesOf{unknown})
      if (std::popcount(place++) % 2 == 0) taken |= LaneMask{1} << lane;
    return taken;
  }

  [[nodiscard]] std::int64_t thread_number(std::size_t lane) const {
    return launch_.number_of(state.block) * launch_.threads_per_block() + state.warp * 32 +
           static_cast<std::int64_t>(lane);
  }

  /// True where a leap went past the end of its loop and was taken back: the warp stands elsewhere then.
  bool follow_loops(std::int32_t pc, LaneMask mask) {
    // Loops around a call stay open while it lasts.
    const std::size_t floor = floors_.empty() ? 0 : floors_.back();
    while (loops_.size() > floor) {
      const auto& range = code_.loops()[static_cast<std::size_t>(loops_.back().loop)];
      if (pc >= range.head && pc <= range.tail) break;
      if (end_loop()) return true;
    }
    const auto innermost = code_.loop_of(pc);
    if (innermost < 0) return false;
    if (loops_.size() <= floor || loops_.back().loop != innermost) enter(innermost);
    if (code_.loops()[static_cast<std::size_t>(innermost)].head != pc) return false;
    if (at_counted_head_) {
      at_counted_head_ = false;
      return false;
    }
    auto& active = loops_.back();
    if (active.leaps.phase == Leaps::Phase::trying && mask != active.leaps.mask) {
      take_back(active);
      return true;
    }
    for (const std::size_t lane : LanesOf{mask}) ++visits_[static_cast<std::size_t>(innermost)][lane];
    iterate(active);
    if (steps_run_ > leap_after_ && (active.muted || !options_.keep_trace || outer_muted())) leap(active, mask);
    return false;
  }

  /// At the head of a loop that has run for long.
  void leap(ActiveLoop& active, LaneMask mask) {
    constexpr std::int64_t few = 8;  // run sooner than tried
    if (active.iterations < few) return;
    auto& l = active.leaps;
    if (l.phase == Leaps::Phase::landing) {
      if (l.run_on > 0 && --l.run_on == 0) {
        ++active.tests_passed;
        l = {};
      }
      return;
    }
    if (l.phase == Leaps::Phase::trying) {
      // It goes on behind the iterations passed over: they cost what this one did.
      account(l);
      if (l.growing)
        l.step = std::min<std::int64_t>(l.step * 2, std::int64_t{1} << 32);
      else
        l.step /= 2;
    } else if (l.phase == Leaps::Phase::idle || mask != l.mask) {
      l.phase = Leaps::Phase::seen_once;
      l.mask = mask;
      l.first = state.registers;
      return;
    } else if (l.phase == Leaps::Phase::seen_once) {
      l.phase = Leaps::Phase::seen_twice;
      l.second = state.registers;
      return;
    } else {
      l.stride.assign(state.registers.size(), Lanes{});
      for (std::size_t r = 0; r < l.stride.size(); ++r)
        for (std::size_t lane = 0; code_.register_bits(r) > 0 && lane < 32; ++lane) {
          const auto moved = state.registers[r][lane] - l.second[r][lane];
          if (moved == l.second[r][lane] - l.first[r][lane]) l.stride[r][lane] = moved;
        }
    }
    l.registers = state.registers;
    l.known = state.known;
    l.lanes = lanes;
    l.visits = visits_[static_cast<std::size_t>(active.loop)];
    l.counts = recorder_.counts();
    l.steps = steps_run_;
    l.open.clear();
    for (const auto& open : loops_) l.open.push_back({open.kept, open.skipped});
    stay_before_tests(active);
    pass_over(active);
  }

  /// A leap does not pass a test for equality. Tests that come and go (every eighth iteration) end no loop: after some
  /// of them they do not count.
  void stay_before_tests(ActiveLoop& active) {
    constexpr std::int32_t most_tests = 8, behind_the_test = 4;
    auto& l = active.leaps;
    if (active.tests_passed >= most_tests) return;
    const auto& loop = code_.loops()[static_cast<std::size_t>(active.loop)];
    const auto most = iterations_to_equality(code_, loop, l.registers, l.stride, l.mask);
    l.run_on = most < l.step ? behind_the_test : 0;
    l.step = std::min(l.step, most);
  }

  void pass_over(ActiveLoop& active) {
    auto& l = active.leaps;
    if (l.step < 1) {  // less than one step from the end: run it
      l.phase = Leaps::Phase::landing;
      return;
    }
    l.phase = Leaps::Phase::trying;
    const auto times = static_cast<std::uint64_t>(l.step);
    for (std::size_t r = 0; r < l.stride.size(); ++r) {
      const int bits = code_.register_bits(r);
      const std::uint64_t part = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      for (std::size_t lane = 0; lane < 32; ++lane)
        if (l.stride[r][lane] != 0)
          state.registers[r][lane] = (l.registers[r][lane] + times * l.stride[r][lane]) & part;
    }
    auto& visits = visits_[static_cast<std::size_t>(active.loop)];
    for (const std::size_t lane : LanesOf{l.mask}) visits[lane] += l.step;
  }

  /// The leap went past the end of the loop: back to its head, for a shorter one.
  void take_back(ActiveLoop& active) {
    auto& l = active.leaps;
    state.registers = l.registers;
    state.known = l.known;
    lanes = l.lanes;
    visits_[static_cast<std::size_t>(active.loop)] = l.visits;
    recorder_.restore(l.counts);
    for (std::size_t i = 0; i < std::min(l.open.size(), loops_.size()); ++i) {
      loops_[i].kept = l.open[i][0];
      loops_[i].skipped = l.open[i][1];
    }
    l.steps = steps_run_ + 1;  // the step at the head is yet to come
    l.growing = false;
    l.step /= 2;
    pass_over(active);
    at_counted_head_ = true;
  }

  /// The same where the warp came to its end in a leap.
  bool take_back() {
    const auto trying = [](const ActiveLoop& a) { return a.leaps.phase == Leaps::Phase::trying; };
    if (std::none_of(loops_.begin(), loops_.end(), trying)) return false;
    while (!trying(loops_.back())) loops_.pop_back();
    take_back(loops_.back());
    return true;
  }

  /// The iterations that were passed over cost what the one tried after them did.
  void account(const Leaps& leaps) {
    recorder_.account(leaps.counts, leaps.step);
    const std::int64_t steps = leaps.step * (steps_run_ - leaps.steps);
    count(steps);
    steps_run_ += steps;  // of a loop around this one they are a part of its iteration
  }

  void enter(std::int32_t loop) {
    const auto parent = code_.loops()[static_cast<std::size_t>(loop)].parent;
    if (parent >= 0 && std::ranges::find(loops_, parent, &ActiveLoop::loop) == loops_.end()) enter(parent);
    ActiveLoop active;
    active.loop = loop;
    active.muted = !loops_.empty() && loops_.back().muted;
    loops_.push_back(active);
    visits_[static_cast<std::size_t>(loop)].fill(0);
  }

  void iterate(ActiveLoop& active) {
    recorder_.iterate_loop(active.loop);
    ++active.iterations;
    if (!options_.keep_trace || outer_muted()) return;
    // The first iteration runs into cold pipes and caches: the window opens with the second.
    if (active.iterations == 2) {
      recorder_.mark_window(active.loop);
      active.kept = 0;
    }
    if (active.iterations >= 5 && active.kept >= options_.window) active.muted = true;
  }

  [[nodiscard]] bool outer_muted() const { return loops_.size() >= 2 && loops_[loops_.size() - 2].muted; }

  void leave() {
    const ActiveLoop active = loops_.back();
    loops_.pop_back();
    if (active.muted && active.skipped > 0 && (loops_.empty() || !loops_.back().muted))
      recorder_.mark_skip({active.loop, active.skipped, active.kept});
  }

  void record(const LaneSchedule::Turn& turn, const StepOutcome& outcome) {
    recorder_.record(turn.pc, turn.lanes, outcome, !count(1) && options_.keep_trace);
  }

  /// Steps of the open loops; the outermost muted one accounts for them: is there one?
  bool count(std::int64_t steps) {
    bool muted = false;
    for (auto& active : loops_) {
      if (!active.muted || !muted) (active.muted ? active.skipped : active.kept) += steps;
      muted |= active.muted;
    }
    return muted;
  }

  const Code& code_;
  const Launch& launch_;
  const TraceOptions& options_;
  TraceRecorder recorder_;
  const std::vector<TraceStep>& steps_;
  std::vector<ActiveLoop> loops_;
  std::vector<std::size_t> floors_;  ///< of every call that lasts: how many loops were open when it was made
  std::vector<std::array<std::int64_t, 32>> visits_;
  std::int64_t steps_run_ = 0, leap_after_ = 0;
  bool at_counted_head_ = false;  ///< of a loop whose leap was taken back
};
}  // namespace

BlockTrace run_block(const Code& code, const Launch& launch, const Dim3& block, const TraceOptions& bounds) {
  TraceOptions options = bounds;
  options.most_s = std::clamp(options.most_warp_s * static_cast<double>(launch.warps_per_block()), options.most_s,
                              options.most_block_s);
  options.end_by_s = thread_time_s() + options.most_s;
  const auto warps = static_cast<std::size_t>(launch.warps_per_block());
  const auto instructions = static_cast<std::size_t>(code.size());
  BlockTrace trace;
  trace.warps.resize(warps);
  for (auto part : {&BlockTrace::executed, &BlockTrace::executed_lanes, &BlockTrace::wavefronts, &BlockTrace::sectors})
    (trace.*part).assign(instructions, 0);
  trace.loop_iterations.assign(code.loops().size(), 0);

  const std::int64_t number = launch.number_of(block);
  KnownBytes shared;
  LineSet loaded, stored;
  std::vector<std::unique_ptr<WarpRun>> runs;
  for (std::size_t w = 0; w < warps; ++w) {
    if (options.only_warp >= 0 && static_cast<std::size_t>(options.only_warp) != w) continue;
    auto run = std::make_unique<WarpRun>(code, launch, options, trace, w, number, loaded, stored);
    WarpState& state = run->state;
    state.registers.assign(code.register_count(), Lanes{});
    state.known.assign(code.register_count(), 0);
    state.block = block;
    state.warp = static_cast<int>(w);
    state.shared = &shared;
    LaneMask alive = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const auto thread = static_cast<std::int64_t>(w * 32 + lane);
      if (thread >= launch.threads_per_block()) break;
      alive |= LaneMask{1} << lane;
      state.tid_x[lane] = static_cast<std::uint64_t>(thread % launch.block[0]);
      state.tid_y[lane] = static_cast<std::uint64_t>(thread / launch.block[0] % launch.block[1]);
      state.tid_z[lane] = static_cast<std::uint64_t>(thread / launch.block[0] / launch.block[1]);
    }
    run->lanes.start(alive);
    runs.push_back(std::move(run));
  }
  std::int64_t budget = options.most_steps;
  for (bool any = true; any;) {
    any = false;
    for (auto& run : runs)
      if (run->lanes.alive() != 0) any |= run->run(budget);
  }
  trace.loaded = loaded.sorted();
  trace.stored = stored.sorted();
  return trace;
}
}  // namespace sparsecast::gpu_code
