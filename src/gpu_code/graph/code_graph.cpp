#include "gpu_code/graph/code_graph.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "gpu_code/overlap/timed_code.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/ptx/ptx_source.hpp"

namespace sparsecast::gpu_code {
namespace {
class Builder {
 public:
  Builder(const PtxCode& code, const BlockTrace& trace, const KernelTimes& times)
      : code_(code), trace_(trace), times_(times), timed_(timed_ptx(code, times)) {
    held_.resize(code.register_count());
  }

  CodeGraph build() {
    auto& graph = result_.graph;
    for (const auto& step : trace_.warps.at(0)) {
      if (step.instruction == TraceStep::window_mark) {
        std::erase_if(windows_, [&](const Window& w) { return w.loop == step.detail; });
        windows_.push_back({step.detail, latest_, stored_, result_.stores_in_graph});
      } else if (step.instruction == TraceStep::skip_mark) {
        composite(trace_.skips[static_cast<std::size_t>(step.detail)]);
      } else {
        change_side(step.active);
        step_ = step;
        instruction(static_cast<std::size_t>(step.instruction), step.detail);
      }
    }
    // States that nothing uses are no results unless they are stores; a kernel without stores ends in its last states.
    if (std::ranges::find(graph.nodes, KernelGraph::NodeKind::output, &KernelGraph::Node::kind) == graph.nodes.end())
      for (const auto v : open_) graph.nodes[static_cast<std::size_t>(v)].kind = KernelGraph::NodeKind::output;
    if (graph.nodes.empty()) graph.nodes.push_back({"start", KernelGraph::NodeKind::input, {}, 0, -1});
    const auto warps = static_cast<std::int64_t>(std::max<std::size_t>(trace_.warps.size(), 1));
    for (std::size_t i = 0; i < trace_.executed.size(); ++i) {
      const auto& in = code_.kernel().body[i];
      if (in.space != PtxSpace::global && in.space != PtxSpace::generic) continue;
      if (in.op == PtxOp::ld || in.op == PtxOp::ldu || in.op == PtxOp::atom) result_.loads += trace_.executed[i];
      if (in.op == PtxOp::st || in.op == PtxOp::red) result_.stores += trace_.executed[i];
    }
    result_.loads = (result_.loads + warps - 1) / warps;
    result_.stores = (result_.stores + warps - 1) / warps;
    return std::move(result_);
  }

 private:
  struct Window {
    std::int32_t loop;
    std::array<double, 2> latest, stored;  ///< as in Builder, when it began
    std::int64_t stores;
  };
  /// What a register holds, of some lanes.
  struct Held {
    std::int32_t state;
    LaneMask lanes;
  };
  /// What `lanes` begin after on a side of a branch: the decision, as long as not all of them go on together, or the
  /// ends of another side.
  struct Side {
    std::int32_t begins;
    LaneMask lanes;
    bool decision;
    std::size_t first_seen;  ///< in seen_on_sides_, of this decision
    [[nodiscard]] bool over(LaneMask active) const { return (active & ~lanes) != 0 || (decision && active == lanes); }
  };

  GraphTime named(const std::string& name, double cycles) {
    const auto index = result_.graph.name_index(name);
    auto& time = result_.graph.names[static_cast<std::size_t>(index)];
    time.seconds = times_.seconds(cycles);
    time.defined = true;
    return {index, 0};
  }
  std::int32_t label(const std::string& text) {
    const auto [found, fresh] = labels_.emplace(text, static_cast<std::int32_t>(result_.graph.labels.size()));
    if (fresh) result_.graph.labels.push_back(text);
    return found->second;
  }
  std::int32_t node(KernelGraph::NodeKind kind, GraphTime time, std::int32_t line, const std::string& text) {
    result_.graph.nodes.push_back({"", kind, time, line, label(text)});
    const auto v = static_cast<std::int32_t>(result_.graph.nodes.size()) - 1;
    ready_[0].push_back(0);
    ready_[1].push_back(kind == KernelGraph::NodeKind::input ? result_.graph.seconds(time) : 0);
    open_.insert(v);
    if (kind != KernelGraph::NodeKind::output) ends_.emplace(v, step_.active);
    return v;
  }
  void arc(std::int32_t from, std::int32_t to, GraphTime time = {}, Access access = Access::none) {
    result_.graph.arcs.push_back({from, to, time, access});
    const auto f = static_cast<std::size_t>(from), t = static_cast<std::size_t>(to);
    const double transfer = result_.graph.seconds(time), works = result_.graph.seconds(result_.graph.nodes[t].time);
    ready_[0][t] = std::max(ready_[0][t], ready_[0][f] + transfer);
    ready_[1][t] = std::max(ready_[1][t], ready_[1][f] + transfer + works);
    const bool output = result_.graph.nodes[t].kind == KernelGraph::NodeKind::output;
    for (std::size_t m = 0; m < 2; ++m) {
      latest_[m] = std::max(latest_[m], ready_[m][t]);
      if (output) stored_[m] = std::max(stored_[m], ready_[m][t]);
    }
    open_.erase(from);
    if (!output) ends_.erase(from);
  }
  /// Sides of a branch are paid one after the other: a warp whose lanes have parted runs one, then the next. What they
  /// compute need not meet in a register, so that the next begins at a node of its own, behind the ends of the others.
  /// All begin behind the decision, and that behind what any of them reads of earlier (find_sources()): so the time
  /// does not depend on which stands first.
  void change_side(LaneMask active) {
    for (; !sides_.empty() && sides_.back().over(active); sides_.pop_back())
      if (sides_.back().decision) {
        meet(sides_.back());
        forget_seen(sides_.back().first_seen);
      }
    const LaneMask before = std::exchange(step_.active, active);
    if (before == 0) return;
    std::vector<std::int32_t> awaited;
    if (const bool parted = active != before && (active & ~before) == 0; parted) {
      step_.active = before;  // the decision is one of all
      if (branched_) awaited = decides_.empty() ? std::vector{origin(0, "launch")} : decides_;
    } else if ((active & before) == 0) {
      for (const auto& [state, lanes] : ends_)
        if ((lanes & active) == 0 && lanes != 0) awaited.push_back(state);
    }
    if (!awaited.empty()) {
      const bool decision = step_.active == before;
      std::ranges::sort(awaited);
      const auto begins =
          node(KernelGraph::NodeKind::state, {}, 0, decision ? "lanes diverge" : "other side of a branch");
      for (const auto state : awaited) arc(state, begins);
      if (!decision) {
        const auto parted = std::ranges::find_if(sides_.rbegin(), sides_.rend(), &Side::decision);
        if (parted != sides_.rend()) forget_seen(parted->first_seen);
      }
      sides_.push_back({begins, step_.active, decision, seen_on_sides_.size()});
    }
    step_.active = active;
  }
  /// What a side of a branch read from memory is in the cache for that side alone. For another side, or behind the
  /// branch, a load would be the shorter for work that was added, or for the order in which the sides stand.
  void forget_seen(std::size_t since) {
    for (; seen_on_sides_.size() > since; seen_on_sides_.pop_back())
      seen_[seen_on_sides_.back().first] = seen_on_sides_.back().second;
  }
  /// Lanes that have parted go on together when all sides have ended: what these computed is there for none sooner.
  void meet(const Side& decision) {
    std::vector<std::int32_t> ends;
    for (const auto& [state, lanes] : ends_)
      if (state > decision.begins && (lanes & ~decision.lanes) == 0) ends.push_back(state);
    if (ends.empty()) return;
    std::ranges::sort(ends);
    const LaneMask now = std::exchange(step_.active, decision.lanes);
    const auto met = node(KernelGraph::NodeKind::state, {}, 0, "lanes reconverge");
    step_.active = now;
    for (const auto state : ends) arc(state, met);
    met_.resize(static_cast<std::size_t>(met), -1);
    std::fill(met_.begin() + decision.begins, met_.end(), met);
  }
  /// The state itself, or where the sides met on which it was made.
  [[nodiscard]] std::int32_t as_met(std::int32_t state) const {
    while (static_cast<std::size_t>(state) < met_.size() && met_[static_cast<std::size_t>(state)] >= 0)
      state = met_[static_cast<std::size_t>(state)];
    return state;
  }
  /// Where data come from that no earlier state holds: after a barrier the barrier itself, else an input node.
  std::int32_t origin(std::int32_t line, const char* what) {
    if (barrier_ >= 0) return barrier_;
    return node(KernelGraph::NodeKind::input, {}, line, what);
  }

  void instruction(std::size_t pc, std::int32_t detail) {
    const auto& in = code_.kernel().body[pc];
    const auto& timed = timed_.instructions[pc];
    const std::int32_t line = shown_line(code_.module(), in);
    const std::string& opcode = code_.module().opcodes[static_cast<std::size_t>(in.name)];
    code_.registers_of(static_cast<std::int32_t>(pc), writes_, reads_);
    if (timed.pipe == Pipe::barrier) return barrier(line);
    branched_ =
        in.op == PtxOp::bra && code_.branch_target(static_cast<std::int32_t>(pc)) > static_cast<std::int32_t>(pc);
    if (branched_) {
      step_.lanes = step_.active;
      find_sources();
      decides_ = sources_;
    }
    if (in.op == PtxOp::bra || timed.pipe == Pipe::exit) return;  // control flow has been followed
    if (step_.lanes == 0) return;                                 // switched off by its guard
    if (timed.free && !(in.space == PtxSpace::constant && in.op == PtxOp::ld)) return alias();
    find_sources();
    const bool store = in.op == PtxOp::st || in.op == PtxOp::red;
    const AccessRecord* access = detail >= 0 ? &trace_.accesses[static_cast<std::size_t>(detail)] : nullptr;
    if (timed.pipe == Pipe::lsu && !access && ptx_operation(in.op).cost != PtxCost::exchange)
      return;  // no lane took part
    if (store) {
      const auto operands = node(KernelGraph::NodeKind::state, {}, line, opcode);
      for (const auto s : sources_) arc(s, operands);
      if (sources_.empty()) arc(origin(line, "constant"), operands);
      const bool shared = access->space == MemorySpace::shared;
      const auto result = node(shared ? KernelGraph::NodeKind::state : KernelGraph::NodeKind::output, {}, line, opcode);
      arc(operands, result, shared ? named("T.shared", times_.latency.shared) : named("T", times_.latency.l2),
          shared ? Access::shared_store : Access::global_store);
      if (!shared) ++result_.stores_in_graph;
      return;
    }
    if (access || (in.op == PtxOp::ld && in.space == PtxSpace::constant)) {
      const auto state = node(KernelGraph::NodeKind::state, {}, line, opcode);
      GraphTime time;
      Access kind = Access::constant_load;
      if (!access || access->space == MemorySpace::constant) {
        time = named("t.constant", times_.latency.constant);
      } else if (access->space == MemorySpace::shared) {
        const int passes = access->wavefronts;
        time = named(passes > 1 ? fmt::format("t.shared{}", passes) : "t.shared",
                     times_.latency.shared + (passes - 1) * 128 / times_.shared_bytes_per_cycle);
        kind = access->atomic ? Access::shared_atomic : Access::shared_load;
      } else {
        // The first read of a line comes from memory, later ones from the cache (section 9).
        bool first = access->bypass_l1;
        for (std::uint32_t i = 0; i < access->lines; ++i) {
          const auto& l = trace_.line_pool[access->first_line + i];
          auto& seen = seen_[l.line];
          if ((l.sectors & ~seen) == 0) continue;
          first = true;
          if (!sides_.empty()) seen_on_sides_.emplace_back(l.line, seen);
          seen |= l.sectors;
        }
        time = first ? named("t", times_.latency.memory) : named("t.cached", times_.latency.l1);
        kind = access->atomic ? Access::global_atomic : Access::global_load;
        ++result_.loads_in_graph;
      }
      bool carries = true;
      if (barrier_ >= 0) arc(barrier_, state, time, std::exchange(carries, false) ? kind : Access::none);
      for (const auto s : sources_) arc(s, state, time, std::exchange(carries, false) ? kind : Access::none);
      if (carries) arc(origin(line, "memory"), state, time, kind);
      produce(state);
      return;
    }
    const auto state = node(KernelGraph::NodeKind::state,
                            named(fmt::format("tau.{}", operation_name(timed.pipe)), timed.latency), line, opcode);
    for (const auto s : sources_) arc(s, state);
    if (sources_.empty()) arc(origin(line, "launch"), state);
    produce(state);
  }

  static const char* operation_name(Pipe pipe) {
    constexpr const char* names[] = {
#define GPU_PIPE(pipe, name, operation, cycles, latency) operation,
#include "gpu_code/times/pipes.def"
    };
    return names[static_cast<std::size_t>(pipe)];
  }

  /// The states that the instruction waits for: what its lanes hold in the registers that it reads, and on a side of a
  /// branch, unless these are of that side already, its beginning.
  void find_sources() {
    sources_.clear();
    for (const auto r : reads_)
      for (const Held& held : held_[static_cast<std::size_t>(r)])
        if ((held.lanes & step_.lanes) != 0) sources_.push_back(as_met(held.state));
    std::ranges::sort(sources_);
    sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
    for (const auto source : sources_) {
      const auto later =
          std::ranges::find_if(sides_, [&](const Side& side) { return side.decision && side.begins > source; });
      if (later != sides_.end() && awaited_.emplace(source, later->begins).second) arc(source, later->begins);
    }
    if (!sides_.empty() && (sources_.empty() || sources_.back() < sides_.back().begins))
      sources_.push_back(sides_.back().begins);
  }

  /// The lanes that ran hold `state` now. Others hold what they held, and so may those whose guard is not known.
  void produce(std::int32_t state) {
    for (const auto w : writes_) {
      forget(w);
      held_[static_cast<std::size_t>(w)].push_back({state, step_.lanes});
    }
  }
  void forget(std::int32_t written) {
    const LaneMask sure = step_.lanes & ~step_.unsure;
    auto& held = held_[static_cast<std::size_t>(written)];
    for (Held& one : held) one.lanes &= ~sure;
    std::erase_if(held, [](const Held& one) { return one.lanes == 0; });
  }
  /// A move: the written registers hold what the sources hold, lane by lane.
  void alias() {
    moved_.clear();
    for (const auto r : reads_)
      for (const Held& held : held_[static_cast<std::size_t>(r)])
        if ((held.lanes & step_.lanes) != 0) moved_.push_back({as_met(held.state), held.lanes & step_.lanes});
    for (const auto w : writes_) {
      forget(w);
      auto& held = held_[static_cast<std::size_t>(w)];
      for (const Held& one : moved_) {
        const auto known = std::ranges::find(held, one.state, &Held::state);
        if (known == held.end())
          held.push_back(one);
        else
          known->lanes |= one.lanes;
      }
    }
  }

  void barrier(std::int32_t line) {
    const auto meets =
        node(KernelGraph::NodeKind::state, named("tau.barrier", times_.latency.barrier), line, "barrier");
    const bool waits = close_open(meets, {}, Access::barrier);
    if (barrier_ >= 0)
      arc(barrier_, meets);
    else if (!waits)
      arc(node(KernelGraph::NodeKind::input, {}, line, "launch"), meets);
    barrier_ = meets;
  }

  /// Arcs from all states that nothing used yet, but for results, to `state`, which is open then; false where there is
  /// none.
  bool close_open(std::int32_t state, GraphTime time, Access access) {
    open_.erase(state);
    const std::vector<std::int32_t> open(open_.begin(), open_.end());
    for (const auto v : open)
      if (result_.graph.nodes[static_cast<std::size_t>(v)].kind != KernelGraph::NodeKind::output)
        arc(v, state, time, access);
    open_.insert(state);
    return !open.empty();
  }

  void composite(const Skip& skip) {
    const auto window =
        std::find_if(windows_.begin(), windows_.end(), [&](const Window& w) { return w.loop == skip.loop; });
    if (window == windows_.end() || skip.window_instructions <= 0) return;
    const double share = static_cast<double>(skip.instructions) / static_cast<double>(skip.window_instructions);
    const double naive = std::max(latest_[0] - window->latest[0], 0.0) * share,
                 operations = std::max(latest_[1] - window->latest[1], 0.0) * share;
    // When the last of their stores has ended, which follow each other as those of the window do.
    const double stored[] = {stored_[0] + std::min((stored_[0] - window->stored[0]) * share, naive),
                             stored_[1] + std::min((stored_[1] - window->stored[1]) * share, operations)};
    const auto& loop = code_.loops()[static_cast<std::size_t>(skip.loop)];
    const auto state = node(KernelGraph::NodeKind::state, {-1, std::max(operations - naive, 0.0)},
                            shown_line(code_.module(), code_.kernel().body[static_cast<std::size_t>(loop.head)]),
                            fmt::format("{} more instructions of the loop at {}", skip.instructions, loop.label));
    if (!close_open(state, {-1, naive}, Access::none)) arc(origin(0, "launch"), state, {-1, naive});
    // Whatever the loop writes comes out of the composite node, for all lanes that were in it.
    step_.lanes = step_.active;
    step_.unsure = 0;
    for (auto pc = loop.head; pc <= loop.tail; ++pc) {
      code_.registers_of(pc, writes_, reads_);
      if (!timed_.instructions[static_cast<std::size_t>(pc)].free) produce(state);
    }
    const auto s = static_cast<std::size_t>(state);
    latest_[0] = std::max(latest_[0], ready_[0][s]);
    latest_[1] = std::max(latest_[1], ready_[1][s]);
    if (result_.stores_in_graph == window->stores) return;
    const double transfer = std::max(stored[0] - ready_[0][s], 0.0);
    const auto result = node(KernelGraph::NodeKind::output, {-1, std::max(stored[1] - ready_[1][s] - transfer, 0.0)},
                             result_.graph.nodes[s].line, "stores of these");
    arc(state, result, {-1, transfer});
    open_.insert(state);  // a store is not waited for, what the loop computes is
  }

  const PtxCode& code_;
  const BlockTrace& trace_;
  const KernelTimes& times_;
  const TimedCode timed_;
  CodeGraph result_;
  TraceStep step_;  ///< the last one that ran
  std::vector<std::vector<Held>> held_;
  std::vector<Held> moved_;
  std::vector<Side> sides_;        ///< begun, the innermost last
  std::vector<std::int32_t> met_;  ///< of a state made on a side: the node where its lanes met the others; −1: none
  std::vector<std::int32_t> writes_, reads_, sources_;
  bool branched_ = false;                                    ///< the last step was a forward branch
  std::vector<std::int32_t> decides_;                        ///< what that waited for
  std::set<std::pair<std::int32_t, std::int32_t>> awaited_;  ///< states and decisions that were joined
  std::array<std::vector<double>, 2> ready_;                 ///< naive, operations
  std::array<double, 2> latest_{}, stored_{};                ///< of all states, of the outputs
  std::unordered_set<std::int32_t> open_;                    ///< states that nothing uses yet
  std::unordered_map<std::int32_t, LaneMask> ends_;  ///< states that nothing but a result uses yet, and their lanes
  std::map<std::string, std::int32_t> labels_;
  std::map<std::uint64_t, std::uint8_t> seen_;  ///< sectors of each line that were read
  /// Lines that were read on sides of branches, with their sectors before, in that order.
  std::vector<std::pair<std::uint64_t, std::uint8_t>> seen_on_sides_;
  std::vector<Window> windows_;
  std::int32_t barrier_ = -1;
};
}  // namespace

CodeGraph code_graph(const PtxCode& code, const BlockTrace& trace, const KernelTimes& times) {
  return Builder(code, trace, times).build();
}
}  // namespace sparsecast::gpu_code
