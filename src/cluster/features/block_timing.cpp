#include "cluster/features/block_timing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/clock.hpp"
#include "cluster/scheme/iterates.hpp"

namespace sparsecast::cluster {
double repeated_seconds(const std::function<void()>& work, const BlockTiming& timing) {
  double once = INFINITY;
  const double first = base::now_s();
  for (int k = 0; k < std::max(2, timing.warm_ups) && (k < 2 || base::now_s() - first < timing.warm_up_s); ++k) {
    const double start = base::now_s();
    work();
    once = std::clamp(base::now_s() - start, 1e-9, once);
  }
  const int repetitions = std::max(1, static_cast<int>(std::lround(timing.batch_s / once)));
  std::vector<double> batches;
  for (int batch = 0; batch < timing.batches; ++batch) {
    const double begin = base::now_s();
    for (int k = 0; k < repetitions; ++k) work();
    batches.push_back((base::now_s() - begin) / repetitions);
  }
  const auto quartile = batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 4);
  std::ranges::nth_element(batches, quartile);
  return *quartile;
}

Array<double> start_vector(std::int64_t columns) {
  Array<double> x(static_cast<std::size_t>(std::max<std::int64_t>(1, columns)));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = start_value(static_cast<std::int64_t>(k));
  return x;
}

double product_seconds(const LocalBlock& block, std::span<const double> x, std::span<double> y, bool add,
                       const BlockTiming& timing) {
  if (block.nonzeros() == 0 && (add || y.empty())) return 0;
  return repeated_seconds([&] { block.apply(x, y, add); }, timing);
}

double pack_seconds(std::int64_t rows, std::int64_t entries, const BlockTiming& timing) {
  if (entries == 0 || rows == 0) return 0;
  std::vector<std::int32_t> indices(static_cast<std::size_t>(entries));
  for (std::int64_t k = 0; k < entries; ++k)
    indices[static_cast<std::size_t>(k)] =
        static_cast<std::int32_t>(static_cast<double>(k) / static_cast<double>(entries) * static_cast<double>(rows));
  Array<double> x(static_cast<std::size_t>(rows), 1.0), outgoing(static_cast<std::size_t>(entries));
  return repeated_seconds(
      [&] {
        for (std::size_t k = 0; k < indices.size(); ++k) outgoing[k] = x[static_cast<std::size_t>(indices[k])];
        asm volatile("" : : "r"(outgoing.data()) : "memory");  // the copy must not be left out
      },
      timing);
}
}  // namespace sparsecast::cluster
