#include "hardware/host/host_probe.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <sparsecast/array.hpp>

#include "base/clock.hpp"
#include "base/machine/fork_join.hpp"
#include "base/random.hpp"
#include "base/team.hpp"
#include "formats/simd/prefetch.hpp"
#include "formats/simd/vector_loops.hpp"
#include "hardware/curve_steps.hpp"

namespace sparsecast::hardware {
namespace {
constexpr std::int64_t most_bytes = 48 << 20;  // touching as much takes as long as all the rest

// Seconds of one call: the least of some batches, each long beside the clock and short beside a time slice, so that
// some of them lie between two waits for one.
double least_seconds(const std::function<void()>& call, double estimate_s) {
  constexpr double batch_s = 4e-6, enough_s = 3e-4, most_s = 0.04;
  constexpr int fewest = 6, fewest_long = 2;
  const int calls = std::max(1, static_cast<int>(batch_s / std::max(estimate_s, 1e-8)));
  double least = std::numeric_limits<double>::infinity(), spent = 0;
  for (int batch = 0; spent < most_s; ++batch) {
    const double start = base::now_s();
    for (int i = 0; i < calls; ++i) call();
    const double taken = base::now_s() - start;
    spent += taken;
    least = std::min(least, taken / calls);
    const bool is_long = least * calls > enough_s;
    if (batch + 1 >= (is_long ? fewest_long : fewest) && spent >= enough_s) break;
  }
  return least;
}

template <class T>
void keep_alive(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

template <class Part>
double in_parts(int threads, std::int64_t count, const Part& part) {
  if (threads == 1) return part(0, count);
  double total = 0;
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static) reduction(+ : total)
  for (int t = 0; t < threads; ++t) total += part(count * t / threads, count * (t + 1) / threads);
  return total;
}

// Every line asked for well ahead, as the kernels do (host_curves.cpp takes the better of two ways).
double squares(const double* data, std::int64_t begin, std::int64_t end, bool ahead) {
  if (!ahead) return formats::vector_loops().dot(end - begin, data + begin, data + begin);
  constexpr std::int64_t block = 512;
  double total = 0;
  std::int64_t first = begin;
  for (; first + block <= end; first += block) {
    for (std::int64_t i = first; i < first + block; i += 8) formats::prefetch(data + i, formats::prefetch_bytes);
    total += formats::vector_loops().dot(block, data + first, data + first);
  }
  return total + formats::vector_loops().dot(end - first, data + first, data + first);
}

double gathered(const double* values, const double* x, const std::int32_t* index, std::int64_t begin,
                std::int64_t end) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t i = begin; i < end; ++i) total += values[i] * x[index[i]];
  return total;
}

std::int64_t cache_of(const DeviceProperties& properties, int level, std::int64_t otherwise) {
  for (const CacheLevel& cache : properties.caches)
    if (cache.level == level && cache.size_bytes > 0) return cache.size_bytes;
  return otherwise;
}

// Half of each level of cache and half as much again as the last, where that is not too much.
std::vector<std::int64_t> probed_footprints(const DeviceProperties& properties) {
  const std::int64_t first = cache_of(properties, 1, 32 << 10), second = cache_of(properties, 2, 1 << 20);
  const std::int64_t last = std::max(second, last_cache(properties, {.size_bytes = 32 << 20}).size_bytes);
  const std::int64_t memory = properties.memory_bytes > 0 ? properties.memory_bytes / 8 : most_bytes;
  std::vector<std::int64_t> sizes{first / 2, second / 2, std::min(last / 2, most_bytes / 4),
                                  std::min({last + last / 2, most_bytes, memory})};
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

double fresh_rate(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  const double seconds = least_seconds(
      [&] {
        void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        if (size >= UninitializedAllocator<double>::large) prefer_huge_pages(memory, size);
        std::memset(memory, 1, size);
        keep_alive(memory);
        munmap(memory, size);
      },
      static_cast<double>(bytes) / 2e9);
  return static_cast<double>(bytes) / seconds;
}

double first_level_latency(std::int64_t bytes, int line_bytes) {
  const Array<std::int64_t> ring = chase_ring(bytes, line_bytes);
  constexpr int steps = 4096;
  std::int64_t position = 0;
  return least_seconds(
             [&] {
               for (int i = 0; i < steps; ++i) position = ring[position];
               keep_alive(position);
             },
             steps * 1e-9) /
         steps;
}

// The array that is read, and what is gathered from it.
class Probed {
 public:
  Probed(std::int64_t bytes, int threads)
      : data_(static_cast<std::size_t>(bytes / 8)), values_(gathers, 1.0), index_(gathers * parts) {
    const std::int64_t elements = bytes / 8;
#pragma omp parallel for num_threads(base::team_of(threads)) schedule(static)
    for (int t = 0; t < threads; ++t)
      std::fill(data_.data() + elements * t / threads, data_.data() + elements * (t + 1) / threads, 1.0);
  }

  // Bytes/s.
  [[nodiscard]] double read(std::int64_t bytes, int threads) {
    double least = std::numeric_limits<double>::infinity();
    for (const bool ahead : {false, true})
      least = std::min(least, least_seconds(
                                  [&] {
                                    total_ += in_parts(threads, bytes / 8, [&](auto first, auto last) {
                                      return squares(data_.data(), first, last, ahead);
                                    });
                                  },
                                  static_cast<double>(bytes) / usual_rate));
    keep_alive(total_);
    return static_cast<double>(bytes) / least;
  }

  // Elements/s out of so many bytes.
  void aim(std::int64_t bytes) {
    base::Random random(1);
    const auto elements = static_cast<std::uint64_t>(std::max<std::int64_t>(1, bytes / 8));
    for (auto& i : index_) i = static_cast<std::int32_t>(random.below(elements));
  }
  // Each part of the indices once: what was read before lies in a cache.
  [[nodiscard]] double gather(int threads) {
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int32_t* index = index_.data() + part * gathers;
      const double start = base::now_s();
      total_ += in_parts(threads, gathers, [&](auto first, auto last) {
        return gathered(values_.data(), data_.data(), index, first, last);
      });
      least = std::min(least, base::now_s() - start);
    }
    keep_alive(total_);
    return static_cast<double>(gathers) / least;
  }

 private:
  static constexpr std::int64_t gathers = 1 << 14, parts = 12;
  static constexpr double usual_rate = 5e10;  // bytes/s of a core in its first cache
  Array<double> data_, values_;
  Array<std::int32_t> index_;
  double total_ = 0;
};
// Several threads that together do less than one alone waited for the cores, which others had.
void leave_out_disturbed(std::vector<Curve>& curves) {
  std::erase_if(curves, [&](const Curve& several) {
    if (several.threads <= 1 || several.name == "launch") return false;
    return std::ranges::any_of(curves, [&](const Curve& one) {
      return one.threads == 1 && one.name == several.name &&
             (several.y.size() < one.y.size() || several.y.back() < one.y.back());
    });
  });
}
}  // namespace

std::vector<Curve> probe_host_curves(const DeviceProperties& properties, const std::vector<int>& threads) {
  const std::vector<std::int64_t> footprints = probed_footprints(properties);
  const std::vector<std::int64_t> gathered_from{footprints[footprints.size() > 1 ? 1 : 0], footprints.back()};
  Probed probed(footprints.back(), *std::ranges::max_element(threads));
  std::vector<Curve> curves;
  for (const int count : threads) {
    // Where others have the cores, every region of several threads waits for them: what one thread tells must do.
    constexpr double enough_s = 0.03;
    const double start = base::now_s();
    const auto late = [&] { return count > 1 && base::now_s() - start > enough_s; };
    Curve read{"read_bandwidth", count, {}, {}};
    for (const std::int64_t bytes : footprints) {
      if (late()) break;
      read.x.push_back(static_cast<double>(bytes));
      read.y.push_back(probed.read(bytes, count));
    }
    curves.push_back(std::move(read));
  }
  leave_out_disturbed(curves);
  std::vector<int> undisturbed;
  for (const Curve& curve : curves) undisturbed.push_back(curve.threads);
  for (const int count : undisturbed) curves.push_back({"gather_rate", count, {}, {}});
  for (const std::int64_t bytes : gathered_from) {
    probed.aim(bytes);
    for (Curve& curve : curves)
      if (curve.name == "gather_rate" && (curve.x.empty() || curve.x.back() < static_cast<double>(bytes))) {
        curve.x.push_back(static_cast<double>(bytes));
        curve.y.push_back(probed.gather(curve.threads));
      }
  }
  for (const int count : undisturbed)
    if (count > 1)
      curves.push_back({"launch", count, {static_cast<double>(count)}, {base::fork_join_seconds(count, 1)}});
  leave_out_disturbed(curves);
  const CacheLevel last = last_cache(properties, {.size_bytes = 32 << 20, .line_bytes = 64});
  const std::int64_t ring = footprints.front();
  curves.push_back(
      {"latency", 1, {static_cast<double>(ring)}, {first_level_latency(ring, std::max(8, last.line_bytes))}});
  Curve fresh{"fresh_bandwidth", 1, {}, {}};
  for (const std::int64_t bytes : {std::int64_t{1} << 18, std::int64_t{1} << 23}) {
    fresh.x.push_back(static_cast<double>(bytes));
    fresh.y.push_back(fresh_rate(bytes));
  }
  curves.push_back(std::move(fresh));
  return curves;
}
}  // namespace sparsecast::hardware
