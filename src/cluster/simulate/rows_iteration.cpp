#include "cluster/simulate/rows_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/interrupt.hpp"

namespace sparsecast::cluster {
namespace {
// SimGrid's smpi/send-is-detached-thresh: a shorter message leaves its sender free at once.
constexpr std::int64_t longest_detached = 65536;
// Its smpi/wtime: what reading the clock takes, which every local product does before and after.
constexpr double clock_s = 1e-8;

class RowsProgram {
 public:
  RowsProgram(const NodeLinks& links, int ranks_per_node, const std::vector<SimulatedLoad>& loads, int iterations)
      : links_(links),
        iterations_(iterations),
        shared_(links, static_cast<int>(loads.size() - 1) / ranks_per_node + 1) {
    for (std::size_t r = 0; r < loads.size(); ++r)
      ranks_.push_back({.load = &loads[r], .node = static_cast<int>(r) / ranks_per_node});
    for (std::size_t r = 0; r < loads.size(); ++r)
      for (const Message& from : loads[r].receives) {
        const auto id = messages_.size();
        messages_.push_back({static_cast<std::size_t>(from.rank), r, 8 * from.count});
        ranks_[r].incoming.push_back(id);
        ranks_[static_cast<std::size_t>(from.rank)].outgoing.push_back(id);
      }
  }

  double run() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) begin_step(r);
    for (;;) {
      const double network = now_ + shared_.until_next_end();
      const double program = events_.empty() ? network : events_.top().at;
      const double next = std::min(network, program);
      if (std::isinf(std::min(network, program))) break;
      const std::vector<int> ended = shared_.pass(next - now_);
      now_ = next;
      for (const int id : ended) arrived(static_cast<std::size_t>(id));
      // All that happens at one instant, before rates are shared out again.
      while (!events_.empty() && events_.top().at <= now_) {
        const Event event = events_.top();
        events_.pop();
        happen(event);
      }
      if ((++turns_ & 1023) == 0) base::throw_if_interrupted();
    }
    double slowest = 0;
    for (const Rank& rank : ranks_) {
      if (rank.steps < iterations_)
        throw Error(ErrorCode::failed, "simulated processes wait for messages that nobody sends");
      slowest = std::max(slowest, rank.ended);
    }
    return slowest / iterations_;
  }

 private:
  enum class What { packed, own_done, remote_done, under_way };
  struct Event {
    double at;
    What what;
    std::size_t of;  ///< a rank, or the message that is under way
    bool operator>(const Event& other) const { return at > other.at; }
  };
  struct Rank {
    const SimulatedLoad* load;
    int node = 0;
    std::vector<std::size_t> incoming = {}, outgoing = {};
    int steps = 0;
    std::size_t awaited = 0, unsent = 0;  ///< messages of this step that have not come; long ones that have not gone
    bool own_done = false, remote_done = false;
    double ended = 0;
  };
  struct Transfer {
    std::size_t from, to;
    std::int64_t bytes;
    int posted = 0, expected = 0, begun = 0;  ///< times sent, received and matched
  };
  NodeLinks links_;
  int iterations_;
  SharedLinks shared_;
  std::vector<Rank> ranks_;
  std::vector<Transfer> messages_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0;
  std::uint64_t turns_ = 0;

  void later(double seconds, What what, std::size_t of) { events_.push({now_ + seconds, what, of}); }

  [[nodiscard]] double latency(std::size_t from, std::size_t to) const {
    return ranks_[from].node == ranks_[to].node ? links_.loopback_latency : links_.latency;
  }

  void work(double seconds, What what, std::size_t rank) { later(seconds + 2 * clock_s, what, rank); }

  void begin_step(std::size_t r) {
    Rank& rank = ranks_[r];
    rank.own_done = rank.remote_done = false;
    rank.awaited = rank.incoming.size();
    rank.unsent = 0;
    for (const std::size_t id : rank.incoming) {
      ++messages_[id].expected;
      match(id);
    }
    work(rank.load->pack_s, What::packed, r);
  }

  // A message travels once both ends have asked for it.
  void match(std::size_t id) {
    Transfer& message = messages_[id];
    if (message.begun == std::min(message.posted, message.expected)) return;
    ++message.begun;
    later(latency(message.from, message.to), What::under_way, id);
  }

  void happen(const Event& event) {
    if (event.what == What::under_way) {
      const Transfer& message = messages_[event.of];
      shared_.begin(static_cast<int>(event.of), ranks_[message.from].node, ranks_[message.to].node,
                    static_cast<double>(message.bytes));
      return;
    }
    Rank& rank = ranks_[event.of];
    switch (event.what) {
      case What::packed:
        for (const std::size_t id : rank.outgoing) {
          ++messages_[id].posted;
          rank.unsent += messages_[id].bytes >= longest_detached ? 1 : 0;
          match(id);
        }
        work(rank.load->own_s, What::own_done, event.of);
        break;
      case What::own_done:
        rank.own_done = true;
        all_came(event.of);
        break;
      case What::remote_done:
        rank.remote_done = true;
        all_went(event.of);
        break;
      case What::under_way: break;
    }
  }

  void arrived(std::size_t id) {
    const Transfer& message = messages_[id];
    --ranks_[message.to].awaited;
    if (message.bytes >= longest_detached) {
      --ranks_[message.from].unsent;
      all_went(message.from);
    }
    all_came(message.to);
  }

  void all_came(std::size_t r) {
    Rank& rank = ranks_[r];
    if (!rank.own_done || rank.awaited > 0) return;
    rank.own_done = false;
    work(rank.load->remote_s, What::remote_done, r);
  }

  void all_went(std::size_t r) {
    Rank& rank = ranks_[r];
    if (!rank.remote_done || rank.unsent > 0) return;
    rank.ended = now_;
    if (++rank.steps < iterations_)
      begin_step(r);
    else
      rank.remote_done = false;
  }
};
}  // namespace

double rows_iteration_seconds(const NodeLinks& links, int ranks_per_node, const std::vector<SimulatedLoad>& loads,
                              int iterations) {
  if (loads.empty()) return 0;
  return RowsProgram(links, ranks_per_node, loads, iterations).run();
}
}  // namespace sparsecast::cluster
