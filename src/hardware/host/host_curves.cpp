#include "hardware/host/host_curves.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "base/machine/fork_join.hpp"
#include "base/machine/handover.hpp"
#include "base/random.hpp"
#include "base/team.hpp"
#include "formats/simd/prefetch.hpp"
#include "formats/simd/vector_loops.hpp"
#include "hardware/curve_steps.hpp"
#include "hardware/host/bound_team.hpp"

namespace sparsecast::hardware {
namespace {
// Seconds of one call: of many short batches the time that a quarter of them stay below. Where another program has a
// core, a call of several threads waits for a time slice, thousands of times its own time. A batch is far shorter than
// a slice, so that most of them lie between two waits; a median of few long ones would be the waits' time.
double seconds_per_call(const std::function<void()>& call, double total_s) {
  constexpr double batch_s = 1e-4, share = 0.25;
  constexpr std::size_t fewest = 7;
  const auto timed = [&](int calls) {
    const double start = base::now_s();
    for (int i = 0; i < calls; ++i) call();
    return base::now_s() - start;
  };
  call();
  int batch = 1;
  while (batch < (1 << 20)) {
    const double taken = std::min(timed(batch), timed(batch));
    if (taken >= batch_s) break;
    batch = taken < batch_s / 16 ? batch * 8 : batch * 2;
  }
  std::vector<double> times;
  for (double spent = 0; spent < total_s || times.size() < fewest;) {
    const double taken = timed(batch);
    spent += taken;
    times.push_back(taken / batch);
  }
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size()));
  std::ranges::nth_element(times, at);
  return *at;
}

// Keeps a computed value alive without storing it anywhere.
template <class T>
void use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Squares summed in the widest registers: an addition after the other would wait longer than the caches take.
double sum(const double* data, std::int64_t begin, std::int64_t end) {
  return formats::vector_loops().dot(end - begin, data + begin, data + begin);
}

// As the kernels read their streams from memory: every line is asked for well ahead (formats/simd/prefetch.hpp).
double sum_ahead(const double* data, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t block = 512;  // doubles: a page
  double total = 0;
  std::int64_t first = begin;
  for (; first + block <= end; first += block) {
    for (std::int64_t i = first; i < first + block; i += 8) formats::prefetch(data + i, formats::prefetch_bytes);
    total += sum(data, first, first + block);
  }
  return total + sum(data, first, end);
}

// What all threads make of their parts, part(first, last), of so many elements.
template <class Part>
double on_threads(int threads, std::int64_t count, const Part& part) {
  if (threads == 1) return part(0, count);
  double total = 0;
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static) reduction(+ : total)
  for (int t = 0; t < threads; ++t) total += part(count * t / threads, count * (t + 1) / threads);
  return total;
}

// The faster of the two ways to read: the processor's own prefetcher suffices in the caches, not in memory.
double read_bandwidth(std::int64_t bytes, int threads, double total_s) {
  const std::int64_t count = bytes / 8;
  Array<double> data(static_cast<std::size_t>(count));
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static)
  for (std::int64_t i = 0; i < count; ++i) data[i] = 1;
  double total = 0;
  const auto seconds = [&](auto&& part) {
    return seconds_per_call(
        [&] {
          total += on_threads(threads, count, [&](auto first, auto last) { return part(data.data(), first, last); });
        },
        total_s);
  };
  const double fastest = std::min(seconds(sum), seconds(sum_ahead));
  use(total);
  return static_cast<double>(count * 8) / fastest;
}

// Bytes/s of both vectors of a pass of solvers, x·y or y += a·x.
template <class Pass>
double pass_bandwidth(std::int64_t bytes, int threads, double total_s, const Pass& pass) {
  const std::int64_t count = bytes / 16;
  Array<double> x(static_cast<std::size_t>(count)), y(static_cast<std::size_t>(count));
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static)
  for (std::int64_t i = 0; i < count; ++i) x[i] = y[i] = 1;
  double total = 0;
  const double seconds = seconds_per_call(
      [&] {
        total += on_threads(threads, count, [&](auto first, auto last) {
          return pass(last - first, x.data() + first, y.data() + first);
        });
      },
      total_s);
  use(total);
  return static_cast<double>(count * 16) / seconds;
}

double dot_bandwidth(std::int64_t bytes, int threads, double total_s) {
  return pass_bandwidth(bytes, threads, total_s, formats::vector_loops().dot);
}

double update_bandwidth(std::int64_t bytes, int threads, double total_s) {
  return pass_bandwidth(bytes, threads, total_s, [](std::int64_t count, const double* x, double* y) {
    formats::vector_loops().update(count, 1e-9, x, y);
    return y[0];
  });
}

double gather(const double* values, const double* x, const std::int32_t* index, std::int64_t begin, std::int64_t end) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t i = begin; i < end; ++i) total += values[i] * x[index[i]];
  return total;
}

double gather_rate(std::int64_t x_bytes, int threads, double total_s) {
  const std::int64_t elements = std::max<std::int64_t>(1, x_bytes / 8);
  const auto count = static_cast<std::int64_t>(gathers_of_a_pass(static_cast<double>(x_bytes)));
  Array<double> values(static_cast<std::size_t>(count), 1.0), x(static_cast<std::size_t>(elements), 1.0);
  Array<std::int32_t> index(static_cast<std::size_t>(count));
  base::Random random(1);
  for (auto& i : index) i = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(elements)));
  double total = 0;
  const double seconds = seconds_per_call(
      [&] {
        total += on_threads(threads, count, [&](auto first, auto last) {
          return gather(values.data(), x.data(), index.data(), first, last);
        });
      },
      total_s);
  use(total);
  return static_cast<double>(count) / seconds;
}

double latency(std::int64_t bytes, int line_bytes, double total_s) {
  const Array<std::int64_t> ring = chase_ring(bytes, line_bytes);
  constexpr int steps = 4096;
  std::int64_t position = 0;
  const double seconds = seconds_per_call(
      [&] {
        for (int i = 0; i < steps; ++i) position = ring[position];
        use(position);
      },
      total_s);
  return seconds / steps;
}

// Bytes/s of writing memory that the system has just been asked for: it finds the pages meanwhile.
double fresh_bandwidth(std::int64_t bytes, double total_s) {
  const auto size = static_cast<std::size_t>(bytes);
  const double seconds = seconds_per_call(
      [&] {
        void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        if (size >= UninitializedAllocator<double>::large) prefer_huge_pages(memory, size);
        std::memset(memory, 1, size);
        use(memory);
        munmap(memory, size);
      },
      total_s);
  return static_cast<double>(bytes) / seconds;
}
}  // namespace

double host_read_bandwidth(std::int64_t bytes, int threads) { return read_bandwidth(bytes, threads, 0.1); }

double host_update_bandwidth(std::int64_t bytes, int threads, double total_s) {
  return update_bandwidth(bytes, threads, total_s);
}

void measure_host_curves(std::vector<Curve>& curves, const DeviceProperties& properties, int threads, bool quick,
                         const base::ProgressFunction& progress) {
  const BoundTeam bound(threads);
  const double total_s = quick ? 0.01 : 0.05;
  const CacheLevel last = last_cache(properties, {.size_bytes = 32 << 20, .line_bytes = 64});
  CurveSteps steps(curves, threads,
                   CurveSteps::footprints(8192, std::min(8 * last.size_bytes, properties.memory_bytes / 8), quick),
                   threads == 1 ? 6 : 4, progress);
  steps.measure("read_bandwidth", [&](std::int64_t bytes) { return read_bandwidth(bytes, threads, total_s); });
  steps.measure("gather_rate", [&](std::int64_t bytes) { return gather_rate(bytes, threads, total_s); });
  steps.measure("dot_bandwidth", [&](std::int64_t bytes) { return dot_bandwidth(bytes, threads, total_s); });
  steps.measure("update_bandwidth", [&](std::int64_t bytes) { return update_bandwidth(bytes, threads, total_s); });
  if (threads == 1) {
    steps.measure("latency", [&](std::int64_t bytes) { return latency(bytes, last.line_bytes, total_s); });
    // Arrays in small pages, and in huge ones (array.hpp).
    steps.measure("fresh_bandwidth", {1 << 18, 1 << 24},
                  [&](std::int64_t bytes) { return fresh_bandwidth(bytes, total_s); });
  }
  if (threads > 1) steps.once("handover", threads, [&] { return base::handover_seconds(threads, quick ? 5 : 20); });
  steps.launch(threads, [&] { return base::fork_join_seconds(threads, quick ? 20 : 100); });
}
}  // namespace sparsecast::hardware
