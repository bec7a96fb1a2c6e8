// The kernel texts as CUDA sees them, with warp shuffles, on a machine without a GPU: this file is one more mapping of
// their neutral words. A thread is a fiber; a group's fibers run in turns from barrier to barrier, so that a barrier or
// shuffle that not all threads reach is found, and the result is the same every time.

#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "formats/coo.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/gpu/row_tiles.hpp"
#include "formats/parts/split.hpp"
#include "formats/reference.hpp"
#include "hardware/self_check.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SPARSECAST_WATCHED_THREADS
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace sparsecast {
namespace {

constexpr int group_size = 256;
constexpr int warp_threads = 32;

// The thread sanitizer keeps the calls of every fiber, and must be told which one runs. That is inlined: a call would
// begin on one fiber and end on another.
#ifdef SPARSECAST_WATCHED_THREADS
void* new_fiber() { return __tsan_create_fiber(0); }
void* running_fiber() { return __tsan_get_current_fiber(); }
[[gnu::always_inline]] inline void tell_of_fiber(void* fiber) { __tsan_switch_to_fiber(fiber, 0); }
#else
void* new_fiber() { return nullptr; }
void* running_fiber() { return nullptr; }
void tell_of_fiber(void* /*fiber*/) {}
#endif

class Group {
 public:
  Group() { std::ranges::generate(fibers_, new_fiber); }
  // Runs body in every thread of one group.
  void run(const std::function<void()>& body) {
    body_ = &body;
    current_group = this;
    scheduling_fiber_ = running_fiber();
    for (int t = 0; t < group_size; ++t) prepare(t);
    int running = group_size;
    while (running > 0) {
      int finished = 0;
      for (thread = 0; thread < group_size; ++thread) {
        if (done_[thread]) continue;
        tell_of_fiber(fibers_[thread]);
        swapcontext(&scheduler_, &threads_[thread]);
        if (done_[thread]) ++finished;
      }
      if (finished != 0 && finished != running) throw std::logic_error("not all threads reach a barrier");
      running -= finished;
    }
  }
  void barrier() {
    tell_of_fiber(scheduling_fiber_);
    swapcontext(&threads_[thread], &scheduler_);
  }
  template <class T>
  T shuffle(T value, int from) {
    double& slot = slots_[thread];
    slot = static_cast<double>(value);
    barrier();
    const auto taken = static_cast<T>(slots_[thread / warp_threads * warp_threads + from]);
    barrier();
    return taken;
  }

  static Group* current_group;
  int thread = 0;
  long long number = 0, count = 1;

 private:
  // A function of its own, since getcontext() may return twice and a loop's counter would not be told.
  [[gnu::noinline]] void prepare(int t) {
    done_[t] = false;
    getcontext(&threads_[t]);
    threads_[t].uc_stack.ss_sp = stacks_[t].data();
    threads_[t].uc_stack.ss_size = stacks_[t].size();
    threads_[t].uc_link = nullptr;
    makecontext(&threads_[t], &Group::start, 0);
  }

  static void start() {
    Group& group = *current_group;
    (*group.body_)();
    group.done_[group.thread] = true;
    tell_of_fiber(group.scheduling_fiber_);
    swapcontext(&group.threads_[group.thread], &group.scheduler_);
  }
  const std::function<void()>* body_ = nullptr;
  ucontext_t scheduler_{};
  std::array<ucontext_t, group_size> threads_{};
  void* scheduling_fiber_ = nullptr;
  std::array<void*, group_size> fibers_{};
  std::array<bool, group_size> done_{};
  std::array<double, group_size> slots_{};
  std::array<std::array<char, 32768>, group_size> stacks_{};
};
Group* Group::current_group = nullptr;

// The texts, in double with 64-bit row pointers.
namespace texts {
struct Int2 {
  int x, y;
};
struct Double2 {
  double x, y;
};
#define PAIR_OF(type) PAIR_##type
#define PAIR(type) PAIR_OF(type)
#define UNROLL
#define UNROLL_2
#define LOAD_ONCE(address) (*(address))
#define PAIR_int Int2
#define PAIR_double Double2
#define VALUE double
#define OFFSET std::int64_t
#define GROUP group_size
#define WARP warp_threads  // a name that no text uses
#define WIDE long long
#define KERNEL(name) void name
#define FUNCTION inline
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY(type, name, count) static type name[count]
#define RESTRICT __restrict__
#define LOCAL_ID() (Group::current_group->thread)
#define GROUP_ID() (Group::current_group->number)
#define GROUP_COUNT() (Group::current_group->count)
#define BARRIER() Group::current_group->barrier()
#define FENCE()
#define NEXT_OF(address) ((*(address))++)
#define SHUFFLE(value, lane) Group::current_group->shuffle(value, lane)
#define SHUFFLE_XOR(value, mask) Group::current_group->shuffle(value, (LOCAL_ID() % WARP) ^ (mask))
// carry.cl comes before those that call it.
// clang-format off
#include "hardware/gpu/kernels/carry.cl"
#include "hardware/gpu/kernels/group_sum.cl"
#include "hardware/gpu/kernels/lane_sum.cl"
#include "hardware/gpu/kernels/add_carries.cl"
#include "hardware/gpu/kernels/coo.cl"
#include "hardware/gpu/kernels/csr_merge.cl"
#include "hardware/gpu/kernels/csr_stream.cl"
#include "hardware/gpu/kernels/csr_tiles.cl"
#define CSR_LANES csr_vector
#define LANES WARP
#include "hardware/gpu/kernels/csr_lanes.cl"
#undef CSR_LANES
#undef LANES
#define CSR_LANES csr_half
#define LANES (WARP / 2)
#include "hardware/gpu/kernels/csr_lanes.cl"
// clang-format on
}  // namespace texts

using Csr64 = CsrSpans<double, std::int64_t, std::int32_t>;

void launch(std::int64_t groups, const std::function<void()>& body, bool backwards = false) {
  static Group group;
  group.count = groups;
  for (std::int64_t number = 0; number < groups; ++number) {
    group.number = backwards ? groups - 1 - number : number;
    group.run(body);
  }
}

std::vector<double> merge(const Csr64& a, const std::vector<double>& x, std::int64_t groups) {
  const auto nonzeros = static_cast<std::int64_t>(a.values.size());
  const std::int64_t items = a.rows + nonzeros, tile = 7 * group_size, tiles = (items + tile - 1) / tile;
  std::vector<int> tile_rows;
  for (std::int64_t t = 0; t <= tiles; ++t)
    tile_rows.push_back(
        static_cast<int>(formats::merge_path_search(a.row_pointers.data(), a.rows, std::min(t * tile, items)).row));
  std::vector<double> y(static_cast<std::size_t>(a.rows), NAN), carries(static_cast<std::size_t>(groups));
  std::vector<int> carry_rows(static_cast<std::size_t>(groups));
  launch(groups, [&] {
    texts::csr_merge(a.rows, nonzeros, (tiles + groups - 1) / groups, tile_rows.data(), a.row_pointers.data(),
                     a.column_indices.data(), a.values.data(), x.data(), y.data(), carry_rows.data(), carries.data());
  });
  launch(1, [&] { texts::add_carries(a.rows, groups, carry_rows.data(), carries.data(), y.data()); });
  return y;
}

std::vector<double> coo(const Matrix& matrix, const std::vector<double>& x, std::int64_t groups) {
  const auto a = formats::to_coo<double, std::int32_t>(matrix, 1);
  const auto nonzeros = static_cast<std::int64_t>(a.values.size());
  const std::int64_t tile = 7 * group_size, tiles = (nonzeros + tile - 1) / tile;
  std::vector<double> y(static_cast<std::size_t>(a.rows)), carries(static_cast<std::size_t>(groups));
  std::vector<int> carry_rows(static_cast<std::size_t>(groups));
  launch(groups, [&] {
    texts::coo(nonzeros, (tiles + groups - 1) / groups, a.row_indices.data(), a.column_indices.data(), a.values.data(),
               x.data(), y.data(), carry_rows.data(), carries.data());
  });
  launch(1, [&] { texts::add_carries(a.rows, groups, carry_rows.data(), carries.data(), y.data()); });
  return y;
}

std::vector<double> lanes(const Csr64& a, const std::vector<double>& x, std::int64_t groups, bool half) {
  std::vector<double> y(static_cast<std::size_t>(a.rows), NAN);
  launch(groups, [&] {
    (half ? texts::csr_half : texts::csr_vector)(a.rows, a.row_pointers.data(), a.column_indices.data(),
                                                 a.values.data(), x.data(), y.data());
  });
  return y;
}

std::vector<double> stream(const Csr64& a, const std::vector<double>& x, std::int64_t groups) {
  const auto nonzeros = static_cast<std::int64_t>(a.values.size());
  std::vector<double> y(static_cast<std::size_t>(a.rows), NAN);
  launch(groups, [&] {
    texts::csr_stream(a.rows, nonzeros, formats::gpu_stream_rows(a.rows, nonzeros), a.row_pointers.data(),
                      a.column_indices.data(), a.values.data(), x.data(), y.data());
  });
  return y;
}

// Groups in the order of the tiles, and against it: another one ends last.
std::vector<double> tiles(const Csr64& a, const std::vector<double>& x, std::int64_t groups) {
  const auto cut = formats::row_tiles<std::int64_t>(a.row_pointers.data(), a.rows);
  const auto count = static_cast<std::int64_t>(cut.rows.size()) - 1;
  std::vector<double> y(static_cast<std::size_t>(a.rows)), before, parts(static_cast<std::size_t>(count), NAN);
  std::vector<int> arrived(static_cast<std::size_t>(count));
  for (const bool backwards : {false, true}) {
    std::ranges::fill(y, NAN);
    launch(
        groups,
        [&] {
          texts::csr_tiles(count, cut.rows.data(), cut.starts.data(), a.row_pointers.data(), a.column_indices.data(),
                           a.values.data(), x.data(), y.data(), parts.data(), arrived.data());
        },
        backwards);
    EXPECT_EQ(std::ranges::count(arrived, 0), count) << "ready for the next product";
    EXPECT_TRUE(!backwards || y == before);
    before = y;
  }
  return y;
}

class ShuffleTexts : public ::testing::TestWithParam<int> {};

TEST_P(ShuffleTexts, AgreeWithTheReference) {
  const std::int64_t groups = GetParam();
  for (const hardware::CheckMatrix& entry : hardware::check_matrices(DeviceProperties{})) {
    entry.matrix.visit([&](const auto& csr) {
      if constexpr (std::is_same_v<std::decay_t<decltype(csr)>, Csr64>) {
        Array<double> x(static_cast<std::size_t>(csr.cols));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + static_cast<double>(i * 40503 % 1024) / 1024;
        const std::vector<double> input(x.begin(), x.end());
        const formats::ReferenceProduct reference =
            formats::reference_product<double>(entry.matrix, std::span<const double>(x));
        const auto agrees = [&](const char* kernel, const std::vector<double>& y) {
          ASSERT_EQ(y.size(), reference.y.size());
          for (std::size_t row = 0; row < y.size(); ++row)
            ASSERT_LE(std::abs(y[row] - reference.y[row]), reference.bound[row])
                << kernel << ", " << entry.name << ", row " << row;
        };
        // A switch of fibers takes a system call, and a row ten switches of every fiber.
        if (csr.rows <= 1100) {
          agrees("csr-vector", lanes(csr, input, groups, false));
          agrees("csr-half", lanes(csr, input, groups, true));
        }
        agrees("csr-merge", merge(csr, input, groups));
        agrees("csr-tiles", tiles(csr, input, groups));
        agrees("csr-stream", stream(csr, input, groups));
        agrees("coo", coo(entry.matrix, input, groups));
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, ShuffleTexts, ::testing::Values(1, 5));

}  // namespace
}  // namespace sparsecast
