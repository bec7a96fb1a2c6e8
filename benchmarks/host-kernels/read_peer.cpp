#include <algorithm>
#include <memory>
#include <numeric>
#include <sparsecast/array.hpp>
#include <vector>

#include "formats/parts/split.hpp"
#include "formats/simd/prefetch.hpp"
#include "peers.hpp"

namespace sparsecast::bench {
namespace {

// Sixteen independent vectors of sums, so that no addition waits for another.
constexpr std::int64_t step = 128;

double read(const double* from, const double* to, std::int64_t ahead_bytes) {
  double lanes[step] = {};
  for (; from + step <= to; from += step) {
    if (ahead_bytes > 0)
      for (std::int64_t line = 0; line < step; line += 8) formats::prefetch(from + line, ahead_bytes);
    for (std::int64_t lane = 0; lane < step; ++lane) lanes[lane] += from[lane];
  }
  return std::accumulate(lanes, lanes + step, 0.0);
}

}  // namespace

Contestant read_peer(std::int64_t bytes, int threads) {
  auto values = std::make_shared<Array<double>>(static_cast<std::size_t>(bytes / 8));
  auto sums = std::make_shared<std::vector<double>>(static_cast<std::size_t>(threads));
  const auto count = static_cast<std::int64_t>(values->size());
  formats::for_each_part(threads, [&](int part) {
    std::fill(values->begin() + formats::part_begin(count, part, threads),
              values->begin() + formats::part_begin(count, part + 1, threads), 1.0);
  });
  const auto once = [=](std::int64_t ahead_bytes) {
    const double start = now();
    formats::for_each_part(threads, [&](int part) {
      (*sums)[part] = read(values->data() + formats::part_begin(count, part, threads),
                           values->data() + formats::part_begin(count, part + 1, threads), ahead_bytes);
    });
    return now() - start;
  };
  return {"read", bytes,
          [=](int times) {
            double best = 1e300;
            for (const std::int64_t ahead : {0, 1024, 4096, 8192}) {
              double seconds = 0;
              for (int i = 0; i < std::max(1, times / 4); ++i) seconds += once(ahead);
              best = std::min(best, seconds / std::max(1, times / 4));
            }
            return best * times;
          },
          [sums] { return (*sums)[0]; }};
}

}  // namespace sparsecast::bench
