#include "cluster/rank/message_benchmarks.hpp"

#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cluster/message_pattern.hpp"
#include "cluster/rank/collective_timing.hpp"
#include "cluster/rank/grid_exchange.hpp"
#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
namespace {
using nlohmann::ordered_json;

class Benchmarks {
 public:
  Benchmarks(const Communicator& ranks, JobFolder& folder, const Job& job)
      : ranks_(ranks),
        folder_(folder),
        budget_s_(job.budget_s),
        limit_s_(job.limit_s),
        largest_(job.largest_message_bytes),
        probe_(ranks) {}

  ordered_json run() {
    if (ranks_.size() > 1) {
      ping_pong(MessagePattern::ping_pong_near, 1);
      ping_pong(MessagePattern::ping_pong_far, ranks_.size() - 1);
      for (const int neighbours : {2, 6, 12})
        if (neighbours < ranks_.size() || neighbours == 2) halo(std::min(neighbours, ranks_.size() - 1));
    }
    collectives();
    if (const Grid shape = grid_of(ranks_.size()); shape.rows > 0) grid(shape);
    return results_;
  }
  [[nodiscard]] bool is_cut() const { return cut_; }

 private:
  const Communicator& ranks_;
  JobFolder& folder_;
  double budget_s_, limit_s_;
  std::int64_t largest_;
  HandoverProbe probe_;
  std::map<std::pair<MessagePattern, int>, double> spent_;  // by pattern and neighbours; the same on every rank
  double all_spent_ = 0;
  bool cut_ = false;  // what was wanted of every pattern was left out for want of time; the same on every rank
  ordered_json results_ = ordered_json::array();

  // 8 B, 32 B, 128 B … : for log-log interpolation of times that grow smoothly.
  [[nodiscard]] std::vector<std::int64_t> sizes() const {
    std::vector<std::int64_t> out;
    for (std::int64_t bytes = 8; bytes <= largest_; bytes *= 4) out.push_back(bytes);
    return out;
  }

  // For the patterns that a forecast reads off directly. An MPI changes its algorithm and its protocol with the size,
  // and the time leaps by up to a factor two where it does: sizes close to each other, closer still where it leaps, and
  // up to `most` or as far as a gibibyte on all ranks together goes, since beyond the last size nothing tells what
  // comes. `time` takes a size and returns the seconds, 0 where it leaves the size out.
  template <class F>
  void close_sizes(std::int64_t most, const F& time) const {
    constexpr double step = simulated ? 1.4142 : 2;
    most = std::min(most, (std::int64_t{1} << 30) / ranks_.size());
    std::int64_t before = 0;
    double seconds_before = 0;
    for (double size = 8; size <= static_cast<double>(most); size *= size < 4096 ? 4 : step) {
      const std::int64_t bytes = static_cast<std::int64_t>(size) / 8 * 8;
      const double seconds = time(bytes);
      if (simulated && before >= 4096 && seconds_before > 0)
        narrow_leap(before, seconds_before, bytes, seconds, 3, time);
      before = bytes;
      seconds_before = seconds;
    }
  }
  template <class F>
  void narrow_leap(std::int64_t below, double seconds_below, std::int64_t above, double seconds_above, int times,
                   const F& time) const {
    const double ratio = static_cast<double>(above) / static_cast<double>(below);
    if (times == 0 || (seconds_above < 1.2 * ratio * seconds_below && seconds_above > 0.9 * seconds_below)) return;
    const auto middle = static_cast<std::int64_t>(static_cast<double>(below) * std::sqrt(ratio)) / 8 * 8;
    const double seconds = time(middle);
    narrow_leap(below, seconds_below, middle, seconds, times - 1, time);
    narrow_leap(middle, seconds, above, seconds_above, times - 1, time);
  }

  template <class F>
  double record(MessagePattern pattern, std::int64_t bytes, int neighbours, double share, const F& repetition) {
    // Rows of patterns that all ranks have spent their time on end here, but for their smallest messages.
    constexpr double patterns = 10;
    double& spent = spent_[{pattern, neighbours}];
    if (limit_s_ > 0 && bytes > 256 && spent > limit_s_ / patterns) return 0;
    // Of more ranks than cores even those take long: beyond the whole limit nothing is begun.
    if (limit_s_ > 0 && all_spent_ > limit_s_) {
      cut_ = true;
      return 0;
    }
    const double begin = MPI_Wtime();
    // Simulated times do not scatter. Two repetitions, as in a simulation: the ranks that are through with one begin
    // the next while others are still in it.
    const TimingOptions options = simulated ? TimingOptions{2, 0, 1, 1}
                                            : TimingOptions{bytes <= 4096        ? 20
                                                            : bytes <= (1 << 18) ? 5
                                                                                 : 2,
                                                            budget_s_, 5, 50};
    const CollectiveTime time = time_collectively(
        ranks_, options, [&] { folder_.alive(); }, repetition, &probe_);
    nlohmann::ordered_json states = states_json(time);
    for (auto& state : states) state["seconds"] = share * state["seconds"].get<double>();
    results_.push_back({{"pattern", word_of(pattern)},
                        {"processes", ranks_.size()},
                        {"bytes", bytes},
                        {"neighbours", neighbours},
                        {"seconds", share * time.seconds},
                        {"states", std::move(states)}});
    if (limit_s_ > 0) {
      const double took = ranks_.max(MPI_Wtime() - begin);
      spent += took;
      all_spent_ += took;
    }
    return time.seconds;
  }

  void ping_pong(MessagePattern pattern, int peer) {
    if (peer < 1 || peer >= ranks_.size()) return;
    for (const std::int64_t bytes : sizes()) {
      std::vector<char> buffer(static_cast<std::size_t>(bytes));
      const auto count = static_cast<int>(bytes);
      record(pattern, bytes, 1, 0.5, [&] {
        if (ranks_.rank() == 0) {
          MPI_Send(buffer.data(), count, MPI_BYTE, peer, 0, ranks_.handle());
          MPI_Recv(buffer.data(), count, MPI_BYTE, peer, 0, ranks_.handle(), MPI_STATUS_IGNORE);
        } else if (ranks_.rank() == peer) {
          MPI_Recv(buffer.data(), count, MPI_BYTE, 0, 0, ranks_.handle(), MPI_STATUS_IGNORE);
          MPI_Send(buffer.data(), count, MPI_BYTE, 0, 0, ranks_.handle());
        }
      });
    }
  }

  // Every rank exchanges with its nearest ranks on both sides, all at once; `bytes` is the size of one message.
  void halo(int neighbours) {
    for (const std::int64_t bytes : sizes()) {
      if (bytes > (1 << 18)) break;
      std::vector<char> in(static_cast<std::size_t>(bytes * neighbours)), out(in.size());
      std::vector<MPI_Request> receives(static_cast<std::size_t>(neighbours)), sends(receives.size());
      for (int k = 0; k < neighbours; ++k) {
        const int step = k % 2 == 0 ? k / 2 + 1 : -(k / 2 + 1);
        const int to = (ranks_.rank() + step + ranks_.size()) % ranks_.size(),
                  from = (ranks_.rank() - step + ranks_.size()) % ranks_.size();
        const auto at = static_cast<std::size_t>(k * bytes), i = static_cast<std::size_t>(k);
        MPI_Recv_init(in.data() + at, static_cast<int>(bytes), MPI_BYTE, from, k, ranks_.handle(), &receives[i]);
        MPI_Send_init(out.data() + at, static_cast<int>(bytes), MPI_BYTE, to, k, ranks_.handle(), &sends[i]);
      }
      record(MessagePattern::halo, bytes, neighbours, 1, [&] {
        MPI_Startall(neighbours, receives.data());
        MPI_Startall(neighbours, sends.data());
        MPI_Waitall(neighbours, receives.data(), MPI_STATUSES_IGNORE);
        MPI_Waitall(neighbours, sends.data(), MPI_STATUSES_IGNORE);
      });
      for (auto* requests : {&receives, &sends})
        for (MPI_Request& request : *requests) MPI_Request_free(&request);
    }
  }

  void collectives() {
    for (const std::int64_t bytes : sizes()) {
      const auto count = static_cast<int>(bytes / 8);
      std::vector<double> a(static_cast<std::size_t>(count), 1.0), b(a.size());
      record(MessagePattern::bcast, bytes, 0, 1, [&] { MPI_Bcast(a.data(), count, MPI_DOUBLE, 0, ranks_.handle()); });
      record(MessagePattern::reduce, bytes, 0, 1,
             [&] { MPI_Reduce(a.data(), b.data(), count, MPI_DOUBLE, MPI_SUM, 0, ranks_.handle()); });
    }
    // `bytes` is the size of the whole vector that is gathered.
    close_sizes(4 * largest_, [&](std::int64_t bytes) {
      const std::int64_t total = std::max<std::int64_t>(bytes / 8, ranks_.size());
      if (total != bytes / 8 && bytes * 4 < 8 * ranks_.size()) return 0.0;
      std::vector<int> counts, first;
      for (int q = 0; q < ranks_.size(); ++q) {
        first.push_back(static_cast<int>(total * q / ranks_.size()));
        counts.push_back(static_cast<int>(total * (q + 1) / ranks_.size()) - first.back());
      }
      const int mine = counts[static_cast<std::size_t>(ranks_.rank())];
      std::vector<double> own(static_cast<std::size_t>(mine), 1.0), all(static_cast<std::size_t>(total));
      return record(MessagePattern::allgatherv, 8 * total, 0, 1, [&] {
        MPI_Allgatherv(own.data(), mine, MPI_DOUBLE, all.data(), counts.data(), first.data(), MPI_DOUBLE,
                       ranks_.handle());
      });
    });
  }

  // 2du's pair: reductions along all rows of the grid at once, then broadcasts down its columns. `bytes` is the part of
  // x that a column multiplies by.
  void grid(Grid shape) {
    GridExchange exchange(ranks_.handle(), shape, 1);
    close_sizes(largest_ / 2, [&](std::int64_t bytes) {
      exchange.resize(std::max<std::int64_t>(1, bytes / 8 / shape.pieces_of_column()));
      std::vector<double> x(static_cast<std::size_t>(exchange.column_length()), 1.0),
          y(static_cast<std::size_t>(exchange.row_length()), 1.0);
      const auto reduce = [&] { exchange.reduce(y.data(), x.data()); };
      const auto broadcast = [&] { exchange.broadcast(x.data()); };
      record(MessagePattern::grid_reduce, bytes, 0, 1, reduce);
      record(MessagePattern::grid_bcast, bytes, 0, 1, broadcast);
      return record(MessagePattern::grid, bytes, 0, 1, [&] {
        reduce();
        broadcast();
      });
    });
  }
};
}  // namespace

ordered_json run_benchmarks(const Communicator& ranks, JobFolder& folder, const Job& job) {
  Benchmarks benchmarks(ranks, folder, job);
  ordered_json times = benchmarks.run();
  return {{"benchmarks", std::move(times)}, {"cut", benchmarks.is_cut()}, {"nodes", ranks.nodes()}};
}
}  // namespace sparsecast::cluster
