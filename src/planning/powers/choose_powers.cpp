#include "planning/powers/choose_powers.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <optional>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "base/text.hpp"
#include "forecast/physical/storage.hpp"
#include "formats/kernels.hpp"
#include "matrix/order/permuted.hpp"
#include "planning/powers/levels.hpp"
#include "planning/powers/memory_now.hpp"
#include "planning/powers/powers_cost.hpp"

namespace sparsecast::planning {
namespace {
constexpr std::size_t most_kernels = 4;  // the fastest of the whole matrix, one of which is the fastest in the caches
constexpr double few_of_last_cache = 4;
constexpr std::int64_t stretches = 3;  // of the matrix that are looked at
constexpr std::int64_t least_stretch = 1024;
constexpr std::ptrdiff_t most_others =
    2;  // ways beside the best, each of which takes a conversion and some rounds to time

// Of blocks of rows: forms for symmetric values are none, as half of a block's entries lie in other blocks.
bool takes_blocks(const std::string& kernel) {
  const formats::KernelInfo* info = formats::find_kernel(kernel);
  return info != nullptr && info->on_host && info->made_for != formats::MadeFor::symmetry;
}

struct Way {
  PowersStrategy strategy;
  PowersCost cost;
};

class Search {
 public:
  Search(std::int64_t k, const Strategy& plain, const PowersForecasters& forecasters, const MemoryNow& memory)
      : k_(k), plain_(plain), forecasters_(forecasters), memory_(memory), value_bytes_(value_bytes(plain.precision)) {}

  // With the rows in that order, the fastest way of each depth, and the fastest of them first.
  [[nodiscard]] std::vector<Way> ways(const Matrix& matrix, PowersOrder order,
                                      const std::vector<SingleKernel>& singles) const {
    std::vector<Way> found;
    for (const Blocking& blocking : ways_to_block(matrix, k_, plain_.threads)) {
      // Where half of the matrix is resident there is next to no wavefront.
      if (2 * blocking.resident_rows > static_cast<double>(matrix.rows())) continue;
      if (std::optional<Way> one = forecast(matrix, order, singles, blocking)) found.push_back(std::move(*one));
    }
    std::ranges::stable_sort(found, {}, [](const Way& way) { return way.cost.last_s; });
    return found;
  }

 private:
  [[nodiscard]] std::optional<Way> forecast(const Matrix& matrix, PowersOrder order,
                                            const std::vector<SingleKernel>& singles, const Blocking& blocking) const {
    const std::vector<SingleKernel> cached = in_caches(matrix, blocking);
    std::optional<Way> best;
    std::size_t looked_at = 0;
    for (const SingleKernel& whole : singles) {
      if (!takes_blocks(whole.kernel)) continue;
      if (++looked_at > most_kernels) break;
      const auto in_cache = std::ranges::find(cached, whole.kernel, &SingleKernel::kernel);
      if (in_cache == cached.end()) continue;
      const double memory_s = memory_.product_s(whole, matrix.rows());
      const double cached_s = std::min(in_cache->seconds / plain_.threads, memory_s);
      const double row_bytes =
          static_cast<double>(whole.bytes) / static_cast<double>(std::max<std::int64_t>(1, matrix.rows()));
      const double resident_bytes = blocking.resident_rows * (row_bytes + 3.0 * value_bytes_);
      if (resident_bytes > constants::powers_resident_share * last_cache_bytes()) continue;
      const bool moves = order == PowersOrder::levels;
      const PowersTimes times{.memory_s = memory_s,
                              .cached_s = cached_s,
                              .vector_s = vector_s(matrix.rows()),
                              .waits_s = waits_s(blocking),
                              .move_s = moves ? move_s(matrix.rows()) : 0};
      const PowersCost cost = cost_of_powers(times, k_, blocking.depth);
      if (best && best->cost.last_s <= cost.last_s) continue;
      PowersStrategy s{.k = k_, .seconds = cost.last_s, .all_s = cost.all_s, .order = order, .kernel = whole.kernel};
      s.depth = blocking.depth;
      s.block_rows = blocking.block_rows;
      s.blocks = blocking.blocks;
      s.resident_bytes = static_cast<std::int64_t>(resident_bytes);
      s.low_s = whole.low_s > 0 ? whole.low_s / whole.seconds : 0;  // of the whole's, until the best is known
      s.high_s = whole.low_s > 0 ? whole.high_s / whole.seconds : 0;
      best = Way{std::move(s), cost};
    }
    return best;
  }

  // Seconds of a product of the whole matrix, on one thread, where as much of it as is resident is all there is.
  [[nodiscard]] std::vector<SingleKernel> in_caches(const Matrix& matrix, const Blocking& blocking) const {
    const std::int64_t rows = matrix.rows();
    const auto resident = static_cast<std::int64_t>(blocking.resident_rows) / plain_.threads;
    const std::int64_t of_stretch = std::min(rows, std::max(least_stretch, resident));
    const std::int64_t count = of_stretch * stretches < rows ? stretches : 1;
    std::vector<SingleKernel> sum;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = (rows - of_stretch) * (2 * i + 1) / (2 * count);
      const Matrix stretch = stretch_of_rows(matrix, first, first + of_stretch);
      const Strategy strategy = forecasters_.one_thread->strategy(stretch);
      for (const SingleKernel& single : strategy.singles) {
        const auto found = std::ranges::find(sum, single.kernel, &SingleKernel::kernel);
        if (i == 0)
          sum.push_back({.kernel = single.kernel, .seconds = single.seconds});
        else if (found != sum.end())
          found->seconds += single.seconds;
      }
    }
    for (SingleKernel& single : sum)
      single.seconds *= static_cast<double>(rows) / static_cast<double>(of_stretch * count);
    return sum;
  }

  // A vector that is written and goes back to memory, which reads its lines first: of the three streams of y += a·x,
  // whose rate counts each vector once, two.
  [[nodiscard]] double vector_s(std::int64_t rows) const {
    const double vector_bytes = static_cast<double>(rows) * value_bytes_;
    const Curve* update = forecasters_.profile->curve("update_bandwidth", plain_.threads);
    if (update != nullptr && base::usable(*update))
      return 2.0 / 3 * 2 * vector_bytes / base::value_at(*update, 16 * vector_bytes) +
             memory_.later_s(2 * vector_bytes);
    const double rate = forecasters_.profile->properties.memory_bandwidth;
    return rate > 0 ? 2 * vector_bytes / rate : 0;
  }

  // A vector into the order of levels, or out of it: neighbours there lie apart here, as in the curve of gathers.
  [[nodiscard]] double move_s(std::int64_t rows) const {
    const Curve* gather = forecasters_.profile->curve("gather_rate", plain_.threads);
    if (gather == nullptr || !base::usable(*gather)) return 2 * vector_s(rows);
    return static_cast<double>(rows) / base::value_at(*gather, static_cast<double>(rows) * value_bytes_);
  }

  // Of several threads: a look at the counters of neighbours' blocks, and its own store, for every task of a thread.
  [[nodiscard]] double waits_s(const Blocking& blocking) const {
    const Curve* handover = forecasters_.profile->curve("handover", plain_.threads);
    if (plain_.threads <= 1 || handover == nullptr || !base::usable(*handover)) return 0;
    return 2 * handover->y.front() * static_cast<double>(blocking.blocks * k_) / plain_.threads;
  }

  [[nodiscard]] double last_cache_bytes() const {
    const auto& caches = forecasters_.profile->properties.caches;
    return caches.empty() ? 0 : static_cast<double>(caches.back().size_bytes);
  }

  std::int64_t k_;
  const Strategy& plain_;
  const PowersForecasters& forecasters_;
  const MemoryNow& memory_;
  int value_bytes_;
};

PowersStrategy in_turn(std::int64_t k, const Strategy& plain, double product_s, std::string reason) {
  PowersStrategy s{.k = k, .reason = std::move(reason)};
  s.seconds = s.all_s = s.products_s = static_cast<double>(k) * product_s;
  const SingleKernel& single = plain.best_single;
  if (single.seconds > 0 && single.low_s > 0) {
    s.low_s = s.seconds * single.low_s / single.seconds;
    s.high_s = s.seconds * single.high_s / single.seconds;
  } else {
    s.low_s = s.high_s = s.seconds;
  }
  return s;
}

// What was measured before is told without its bytes.
std::vector<SingleKernel> with_bytes(const Strategy& plain, const Matrix& matrix) {
  std::vector<SingleKernel> singles = plain.singles;
  std::optional<Structure> structure;
  for (SingleKernel& one : singles) {
    if (one.bytes > 0) continue;
    if (!structure) structure = analyze(matrix, plain.threads);
    one.bytes = forecast::storage_bytes(DeviceKind::host, *structure, one.kernel, plain.precision).value_or(0);
  }
  return singles;
}

// Those that are forecast to take little longer than the best, which is not one of them.
std::vector<PowersStrategy> near_to(const Way& best, const std::vector<Way>& ways) {
  std::vector<const Way*> sorted;
  for (const Way& way : ways)
    if (way.strategy.order != best.strategy.order || way.strategy.depth != best.strategy.depth) sorted.push_back(&way);
  std::ranges::stable_sort(sorted, {}, [](const Way* way) { return way->cost.last_s; });
  std::vector<PowersStrategy> near;
  for (const Way* way : sorted)
    if (way->cost.last_s <= constants::powers_other_ways * best.cost.last_s && std::ssize(near) < most_others)
      near.push_back(way->strategy);
  return near;
}

std::string gain_of(const PowersStrategy& s) {
  return fmt::format("{} powers in {} instead of {}, as a block of rows takes {} of them while the caches hold it", s.k,
                     base::format_seconds(s.seconds), base::format_seconds(s.products_s), s.depth);
}
}  // namespace

PowersChoice choose_powers(const Matrix& matrix, std::int64_t k, const Strategy& plain,
                           const PowersForecasters& forecasters) {
  if (matrix.rows() != matrix.cols())
    throw Error(ErrorCode::usage,
                fmt::format("a matrix of {} rows and {} columns has no powers", matrix.rows(), matrix.cols()),
                {matrix.name()});
  if (k < 1) throw Error(ErrorCode::usage, fmt::format("{} powers of a matrix: at least one", k));
  const auto declined = [&](std::string reason) {
    return PowersChoice{in_turn(k, plain, plain.predicted_s, std::move(reason))};
  };
  if (plain.device != "host" || is_complex(plain.precision))
    return declined("blocks of rows take powers together on the host alone, with real values");
  if (k == 1) return declined("one power is a product");
  if (matrix.nonzeros() == 0) return declined("the matrix has no entries");
  if (plain.singles.empty() || !forecasters.planner || !forecasters.one_thread)
    return declined("without a forecast it is not known whether blocks of rows pay");
  if (!Matrix::fits32(matrix.rows())) return declined("rows beyond 32 bits are not put into blocks");
  const Curve* handover = forecasters.profile->curve("handover", plain.threads);
  if (plain.threads > 1 && (handover == nullptr || !base::usable(*handover)))
    return declined("what threads wait for each other was not calibrated with that many");
  const auto& caches = forecasters.profile->properties.caches;
  const double last_cache = caches.empty() ? 0 : static_cast<double>(caches.back().size_bytes);
  const MemoryNow memory(*forecasters.profile, plain.threads, forecasters.memory_rate, value_bytes(plain.precision));
  const std::vector<SingleKernel> singles = with_bytes(plain, matrix);
  SingleKernel product = plain.best_single;
  product.seconds = plain.predicted_s;
  const auto least = std::ranges::min_element(singles, {}, &SingleKernel::seconds);
  if (product.bytes == 0) product.bytes = least->bytes;
  const double product_s = memory.product_s(product, matrix.rows()), products_s = static_cast<double>(k) * product_s;
  const Search search(k, plain, forecasters, memory);
  std::vector<Way> ways = search.ways(matrix, PowersOrder::as_given, singles);
  std::optional<Way> best;
  if (!ways.empty()) best = ways.front();
  const double held =
      static_cast<double>(least->bytes) + static_cast<double>(matrix.rows() * (k + 1) * value_bytes(plain.precision));
  const double wanted = held < last_cache ? constants::powers_gain_in_cache : constants::powers_least_gain;
  const auto paying = [&](const Way& way) { return wanted * way.cost.last_s < products_s; };
  const auto bound = [&] { return best ? best->cost.last_s : products_s; };
  // Levels only make fewer rows resident: where these are few as they stand, the search costs more than it finds.
  const bool few =
      best && paying(*best) && static_cast<double>(best->strategy.resident_bytes) <= last_cache / few_of_last_cache;
  if (matrix.rows() > least_stretch && !few) {
    if (const auto order = level_order(matrix)) {
      const Matrix moved = matrix::permuted(matrix, *order, plain.threads);
      const Strategy of_moved = forecasters.planner->strategy(moved);
      const std::vector<Way> others = search.ways(moved, PowersOrder::levels, of_moved.singles);
      if (!others.empty() && constants::powers_levels_gain * others.front().cost.last_s < bound())
        best = others.front();
      ways.insert(ways.end(), others.begin(), others.end());
    } else if (!best || !paying(*best)) {
      return {in_turn(k, plain, product_s,
                      "some rows reach a quarter of the others at once, and no level of rows stays in the caches")};
    }
  }
  if (!best)
    return {in_turn(k, plain, product_s,
                    "no number of powers leaves rows few enough for the last cache between one power and the next")};
  std::vector<PowersStrategy> others = near_to(*best, ways);
  if (!paying(*best)) {
    PowersStrategy s = in_turn(k, plain, product_s,
                               fmt::format("blocks of rows would take {}, products {}",
                                           base::format_seconds(best->cost.last_s), base::format_seconds(products_s)));
    // What a plan may time all the same.
    if (constants::powers_worth_a_trial * best->cost.last_s < products_s) {
      s.order = best->strategy.order;
      s.kernel = best->strategy.kernel;
      s.depth = best->strategy.depth;
      s.block_rows = best->strategy.block_rows;
      s.blocks = best->strategy.blocks;
      s.resident_bytes = best->strategy.resident_bytes;
    }
    return {std::move(s), std::move(others)};
  }
  PowersStrategy chosen = std::move(best->strategy);
  chosen.pays = true;
  chosen.products_s = products_s;
  chosen.all_pays = constants::powers_least_gain * chosen.all_s < products_s;
  if (!chosen.all_pays) chosen.all_s = products_s;
  const auto widened = [&](double ratio) {
    return chosen.seconds * (ratio > 0 ? std::pow(ratio, constants::powers_interval) : 1);
  };
  chosen.low_s = widened(chosen.low_s);
  chosen.high_s = widened(chosen.high_s);
  chosen.reason = gain_of(chosen);
  return {std::move(chosen), std::move(others)};
}
}  // namespace sparsecast::planning
