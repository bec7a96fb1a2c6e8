#include "planning/powers/block_powers.hpp"

#include <omp.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "formats/parts/split.hpp"
#include "matrix/order/permuted.hpp"
#include "planning/powers/levels.hpp"
#include "planning/powers/wavefront.hpp"
#include "planning/rows/row_range.hpp"
#include "planning/rows/rows_product.hpp"

namespace sparsecast::planning {
namespace {
// How often a thread looks for a neighbour's block before it lets others run: some ten microseconds, a block's time.
constexpr int looks_before_yield = 1 << 10;
// Where there are fewer cores than threads, the neighbour may wait for this core.
constexpr int looks_before_sleep = looks_before_yield + 64;

void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// How far every block has come: the last power that it has.
class Progress {
 public:
  explicit Progress(std::int32_t blocks) : powers_(static_cast<std::size_t>(blocks)) {}

  void reached(std::int32_t block, std::int32_t power) {
    powers_[static_cast<std::size_t>(block)].store(power, std::memory_order_release);
  }
  // False where a thread has failed, whose blocks would be waited for for ever.
  [[nodiscard]] bool wait(std::int32_t first, std::int32_t last, std::int32_t power) const {
    for (std::int32_t block = first; block <= last; ++block)
      for (int looks = 0; powers_[static_cast<std::size_t>(block)].load(std::memory_order_acquire) < power; ++looks) {
        if (failed_.load(std::memory_order_relaxed)) return false;
        if (looks < looks_before_yield)
          pause_core();
        else if (looks < looks_before_sleep)
          std::this_thread::yield();
        else
          std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    return true;
  }
  void fail() { failed_.store(true, std::memory_order_relaxed); }

 private:
  std::vector<std::atomic<std::int32_t>> powers_;
  std::atomic<bool> failed_{false};
};

template <class Value>
class BlockPowers final : public Powers<Value> {
 public:
  BlockPowers(const Matrix& given, const PowersStrategy& strategy, int threads)
      : rows_(given.rows()), threads_(std::max(1, threads)), workspace_(threads_) {
    Matrix matrix = given;
    if (strategy.order == PowersOrder::levels) {
      if (auto order = level_order(given)) {
        matrix = matrix::permuted(given, *order, threads_);
        old_place_.resize(order->size());
        std::ranges::transform(*order, old_place_.begin(),
                               [](std::int64_t row) { return static_cast<std::int32_t>(row); });
      }
    }
    blocks_ = cut_rows(matrix, strategy.block_rows);
    tasks_ = wavefront(blocks_, strategy.k, std::max<std::int64_t>(1, strategy.depth), threads_ - 1);
    build(matrix, strategy);
    for (std::int32_t b = 0; b < blocks_.blocks(); ++b) most_rows_ = std::max(most_rows_, blocks_.rows(b));
  }

  void run(const Recurrence<Value>& recurrence, const RecurrenceVectors<Value>& vectors) const override {
    if (rows_ == 0) return;
    if (recurrence.powers() == 0) {  // v₀ alone
      for (std::size_t i = 0; i < vectors.x.size(); ++i)
        vectors.y[i] = recurrence.wanted == Wanted::sum ? recurrence.weights[0] * vectors.x[i] : vectors.x[i];
      return;
    }
    Course course(*this, recurrence, vectors);
    const int most = std::min({threads_, base::most_in_team(), static_cast<int>(blocks_.blocks())});
    if (most <= 1) {
      course.work(0, 1);
      return;
    }
    base::CarriedException failure;
#pragma omp parallel num_threads(base::team_of(most))
    failure.run([&] {
      try {
        course.work(omp_get_thread_num(), omp_get_num_threads());
      } catch (...) {
        course.progress.fail();
        throw;
      }
    });
    failure.rethrow();
  }

  [[nodiscard]] std::int64_t bytes() const override {
    std::int64_t sum = formats::array_bytes(old_place_) + (whole_ ? whole_->bytes() : 0);
    for (const auto& one : products_) sum += one->bytes();
    return sum;
  }

 private:
  // In one piece where the format multiplies rows of it at such borders: large arrays lie in huge pages. Else every
  // block is a product of its own.
  void build(const Matrix& matrix, const PowersStrategy& strategy) {
    whole_ = build_rows<Value>(strategy.kernel, matrix, threads_);
    if (whole_->row_step() > 0 && strategy.block_rows % whole_->row_step() == 0) return;
    whole_.reset();
    products_.resize(static_cast<std::size_t>(blocks_.blocks()));
    base::parallel_for(blocks_.blocks(), {threads_, true}, [&](std::int64_t block) {
      const auto b = static_cast<std::size_t>(block);
      products_[b] = build_rows<Value>(strategy.kernel, row_range(matrix, blocks_.bounds[b], blocks_.bounds[b + 1]), 1);
    });
  }

  // The product of a block: `to` is where its rows begin.
  void multiply(std::int32_t block, const Value* x, Value* to) const {
    const auto b = static_cast<std::size_t>(block);
    const std::int64_t first = blocks_.bounds[b], count = blocks_.rows(block);
    if (whole_)
      whole_->apply_rows(first, first + count, x, to - first);
    else
      products_[b]->apply({x, static_cast<std::size_t>(rows_)}, {to, static_cast<std::size_t>(count)});
  }

  using Loan = typename formats::Workspace<Value>::Loan;

  // One call.
  struct Course {
    Course(const BlockPowers& all, const Recurrence<Value>& what, const RecurrenceVectors<Value>& where)
        : powers(all),
          recurrence(what),
          vectors(where),
          progress(all.blocks_.blocks()),
          moves(!all.old_place_.empty()),
          even(all.workspace_.borrow(moves || what.wanted == Wanted::sum ? all.rows_ : 0)),
          odd(all.workspace_.borrow(moves || what.wanted != Wanted::all ? all.rows_ : 0)),
          sums(all.workspace_.borrow(moves && what.wanted == Wanted::sum ? all.rows_ : 0)),
          pieces(all.workspace_.borrow(all.threads_ * all.most_rows_)) {
      if (!moves) return;
      formats::for_each_part(all.threads_, [&](int part) {
        const std::int64_t end = formats::part_begin(all.rows_, part + 1, all.threads_);
        for (std::int64_t i = formats::part_begin(all.rows_, part, all.threads_); i < end; ++i)
          even.data()[i] = vectors.x[static_cast<std::size_t>(all.old_place_[static_cast<std::size_t>(i)])];
      });
    }

    // Where vₚ is written, and later read.
    [[nodiscard]] Value* at(std::int64_t power) {
      if (moves || recurrence.wanted == Wanted::sum) return power % 2 == 0 ? even.data() : odd.data();
      if (recurrence.wanted == Wanted::all) return vectors.y.data() + (power - 1) * powers.rows_;
      return (recurrence.powers() - power) % 2 == 0 ? vectors.y.data() : odd.data();
    }
    [[nodiscard]] const Value* read(std::int64_t power) { return power == 0 && !moves ? vectors.x.data() : at(power); }

    void work(int thread, int of) {
      Value* piece = pieces.data() + thread * powers.most_rows_;
      const auto last = static_cast<std::int32_t>(recurrence.powers());
      for (const PowerTask& task : powers.tasks_) {
        if (task.block % of != thread || task.power > last) continue;
        const auto b = static_cast<std::size_t>(task.block);
        if (of > 1 && !progress.wait(powers.blocks_.first[b], powers.blocks_.last[b], task.power - 1)) return;
        take(task, piece);
        if (of > 1) progress.reached(task.block, task.power);
      }
    }

    // One power of one block.
    void take(const PowerTask& task, Value* piece) {
      const auto b = static_cast<std::size_t>(task.block);
      const auto first = static_cast<std::size_t>(powers.blocks_.bounds[b]);
      const auto count = static_cast<std::size_t>(powers.blocks_.rows(task.block));
      const Value* from = read(task.power - 1);
      Value* to = at(task.power) + first;
      const auto& step = recurrence.steps[static_cast<std::size_t>(task.power) - 1];
      if (step.plain()) {
        powers.multiply(task.block, from, to);
      } else {
        const Value* before = task.power > 1 ? read(task.power - 2) + first : from + first;
        powers.multiply(task.block, from, piece);
        combine(step, piece, from + first, before, to, count);
      }
      if (recurrence.wanted == Wanted::sum)
        add(task.power, first, count, to);
      else if (moves && (recurrence.wanted == Wanted::all || task.power == recurrence.powers()))
        put(first, count, to,
            vectors.y.data() + (recurrence.wanted == Wanted::all ? (task.power - 1) * powers.rows_ : 0));
    }

    static void combine(const RecurrenceStep<Value>& step, const Value* product, const Value* x, const Value* before,
                        Value* to, std::size_t count) {
      if (step.gamma == Value{0}) {
        for (std::size_t i = 0; i < count; ++i) to[i] = step.alpha * product[i] + step.beta * x[i];
      } else {
        for (std::size_t i = 0; i < count; ++i)
          to[i] = step.alpha * product[i] + step.beta * x[i] + step.gamma * before[i];
      }
    }

    void add(std::int64_t power, std::size_t first, std::size_t count, const Value* v) {
      Value* sum = (moves ? sums.data() : vectors.y.data()) + first;
      const Value weight = recurrence.weights[static_cast<std::size_t>(power)];
      if (power == 1) {
        const Value* x = read(0) + first;
        for (std::size_t i = 0; i < count; ++i) sum[i] = recurrence.weights[0] * x[i] + weight * v[i];
      } else {
        for (std::size_t i = 0; i < count; ++i) sum[i] += weight * v[i];
      }
      if (moves && power == recurrence.powers()) put(first, count, sum, vectors.y.data());
    }

    // Into the caller's order.
    void put(std::size_t first, std::size_t count, const Value* from, Value* to) const {
      const std::int32_t* place = powers.old_place_.data() + first;
      for (std::size_t i = 0; i < count; ++i) to[place[i]] = from[i];
    }

    const BlockPowers& powers;
    const Recurrence<Value>& recurrence;
    const RecurrenceVectors<Value>& vectors;
    Progress progress;
    bool moves;  // into another order, and out of it
    Loan even, odd, sums, pieces;
  };

  std::int64_t rows_;
  int threads_;
  mutable formats::Workspace<Value> workspace_;
  Array<std::int32_t> old_place_;  // of the order of levels; empty: the rows stand as they were given
  RowBlocks blocks_;
  std::vector<PowerTask> tasks_;
  std::unique_ptr<formats::HostProduct<Value>> whole_;                  // or
  std::vector<std::unique_ptr<formats::HostProduct<Value>>> products_;  // one for every block
  std::int64_t most_rows_ = 0;
};
}  // namespace

template <class Value>
std::unique_ptr<Powers<Value>> block_powers(const Matrix& matrix, const PowersStrategy& strategy, int threads) {
  return std::make_unique<BlockPowers<Value>>(matrix, strategy, threads);
}
template std::unique_ptr<Powers<float>> block_powers(const Matrix&, const PowersStrategy&, int);
template std::unique_ptr<Powers<double>> block_powers(const Matrix&, const PowersStrategy&, int);
}  // namespace sparsecast::planning
