#include "forecast/machines/loop_terms.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

#include "forecast/physical/x_misses.hpp"
#include "formats/parts/thread_parts.hpp"

namespace sparsecast::forecast {
namespace {
double falls_out(double steepness, double size, double cache) {
  return 1 / (1 + std::exp(-steepness * std::log(size / cache)));
}

// How far quartiles of the row lengths lie apart, over the mean; of a deviation alone as far as that tells.
double quartile_distance(const Structure& s, double variation) {
  if (s.row_quartiles.size() == 3 && s.row_mean > 0)
    return (s.row_quartiles.back() - s.row_quartiles.front()) / s.row_mean;
  constexpr double quarter = 1.0 / 4;
  if (!s.row_histogram.empty() && s.row_mean > 0)
    return static_cast<double>(s.row_quantile(1 - quarter) - s.row_quantile(quarter)) / s.row_mean;
  return variation / (1 + variation / constants::quartiles_of_variation);
}

// Of equal shares of rows the largest over the mean, as far as moments of the lengths tell.
double slowest_share(const LoopMatrix& m, double threads) {
  const auto& [middle, power, most, of_threads] = constants::slowest_of_equal_rows;
  const double varied = std::pow(m.variation, power), heavy = varied / (varied + std::pow(middle, power));
  const double share = 1 + std::max(0.0, most * std::pow(threads, of_threads) - 1) * heavy;
  return std::max(share, std::min(threads, m.numbers.longest * threads / m.numbers.nonzeros));
}
}  // namespace

Team::Team(const DeviceProperties& p, int of, Places places) {
  const int cores = std::max(1, p.compute_units), all_sockets = std::max(1, p.sockets);
  const int of_socket = std::max(1, cores / all_sockets), used = std::max(1, of);
  const bool close = places == Places::close;
  threads = used;
  sockets = std::min(all_sockets, close ? (used + of_socket - 1) / of_socket : used);
  const MachineNumbers machine(p);
  clock = machine.clock;
  if (!p.caches.empty()) {
    const CacheLevel& last = p.caches.back();
    const int shared = std::max(1, last.shared_by), groups = (cores + shared - 1) / shared;
    own_last = static_cast<double>(last.size_bytes);
    last_cache = own_last * std::min(groups, close ? (used + shared - 1) / shared : used);
    near_cache = own_last / shared;
    for (const CacheLevel& cache : p.caches)
      if (cache.level < last.level) near_cache = static_cast<double>(cache.size_bytes) / std::max(1, cache.shared_by);
  }
  const double share = close ? std::clamp(threads / of_socket, constants::near_memory, 1.0) : 1;
  const int finest = static_cast<int>(std::lround(all_sockets / constants::near_memory));
  const int domains = std::min(std::max(all_sockets, p.numa_domains), finest);
  memory = p.memory_bandwidth * std::min(share / all_sockets, 1. / domains);
  memories = std::min(domains, close ? (used * domains + cores - 1) / cores : used);
  const auto told = p.limits.find("fma_cycles");
  chain = told != p.limits.end() && told->second > 0 ? told->second : constants::usual_fma_cycles;
}

LoopMatrix::LoopMatrix(const Structure& s, Precision precision, bool slices, int threads)
    : numbers(s, precision, slices) {
  if (s.row_mean > 0) variation = s.row_std / s.row_mean;
  if (s.row_max > 0) numbers.longest = static_cast<double>(s.row_max);
  uneven = quartile_distance(s, variation) + constants::uneven_of_variation * std::min(variation, 1.0);
  // A table that does not tell where entries lie has 0 everywhere, which no matrix of several rows has.
  window = numbers.x_bytes;
  if (s.bandwidth_scaled > 0 || s.neighbours > 0 || s.cross_row_similarity > 0) {
    lone = numbers.lone * (1 - numbers.alike);
    window = numbers.window;
  }
  if (threads <= 1)
    slowest = 1;
  else if (!s.block_nonzeros.empty())
    slowest = formats::parts_in_order(s, formats::by_rows, threads)[0].nonzeros;
}

MachineTerms::Sum LoopPrices::operator()(const LoopMatrix& matrix, const Team& team) const {
  std::array<double, common_count> c{};
  std::array<double, own_count> k{};
  std::ranges::transform(common, c.begin(), [](double price) { return std::exp(price); });
  std::ranges::transform(own, k.begin(), [](double price) { return std::exp(price); });
  const auto& [launch_power, predicted_rows, uneven_lengths, next_cache, core_stream, reached_share, steep, place,
               irregular, irregular_uneven, next_gather, memory_gather, together_less_one, waits, overlap_length,
               row_lines] = c;
  const auto& [launch_s, entry, row, mispredicted, overlap, lone_weight] = k;
  const MatrixNumbers& m = matrix.numbers;
  const double threads = team.threads, entries = m.nonzeros / threads, rows = m.rows / threads;
  const double launch =
      threads > 1 ? launch_s * std::pow(threads, launch_power) * std::pow(constants::sockets_apart, team.sockets - 1)
                  : 0;
  const double slowest = (deals ? matrix.slowest.value_or(slowest_share(matrix, threads)) : 1) +
                         (threads > 1 ? waits * (1 - 1 / threads) : 0);
  // A row's end is predicted as long as the lengths before are remembered, the same product after product.
  const double forgotten =
      m.rows / (m.rows + predicted_rows * threads) * matrix.uneven / (matrix.uneven + uneven_lengths);
  const double hidden =
      std::min(constants::most_overlapped, overlap) * overlap_length / (overlap_length + entries / rows);
  const double instructions = entries * entry * (chain ? team.chain : 1) * (1 - hidden) / team.clock;
  const double of_rows = rows * (row + forgotten * mispredicted) / team.clock, work = instructions + of_rows;

  const double near = threads * team.near_cache;
  const double beyond = falls_out(steep, m.bytes, place * (near + team.last_cache));
  // A plain loop reads what one thread filled, from the memory near to it; a library, whose formats nobody tells who
  // fills, from the memories of one socket.
  const double reached = team.memory * reached_share * (chain ? 1 : team.memories / team.sockets);
  const double stream = beyond * m.bytes * std::max(1 / (threads * core_stream), 1 / reached);
  const double cache = falls_out(steep, m.bytes, place * near) * m.bytes / threads / (next_cache * team.clock);
  // Where nobody looked: rows of different lengths scatter, and a row begins on a line of its own.
  const double guessed = std::min(1.0, irregular + irregular_uneven * matrix.uneven / (matrix.uneven + uneven_lengths) +
                                           row_lines * rows / entries);
  const double scattered = matrix.lone ? lone_weight * *matrix.lone : guessed;
  const double x_near = falls_out(steep, matrix.window, team.near_cache);
  const double x_far = falls_out(steep, matrix.window, team.own_last) * std::min(1.0, 2 * beyond);
  const double gather = entries * scattered * (x_near * next_gather + x_far * memory_gather);
  const double x_memory = m.nonzeros * scattered * x_far * cache_line_bytes / reached;

  // Work, caches and memory run side by side: between the largest and the sum. Gathers wait.
  const double together = 1 + together_less_one;
  std::array<double, 3> side{work * slowest, cache * slowest, stream + x_memory};
  double powers = 0;
  for (const double time : side) powers += std::pow(time, together);
  const double body = std::pow(powers, 1 / together);
  for (double& time : side) time = body * std::pow(time, together) / powers;
  const auto& [worked, cached, moved] = side;
  const double streamed = stream + x_memory > 0 ? stream / (stream + x_memory) : 1;
  MachineTerms::Sum sum;
  sum.parts = {launch,
               moved * streamed,
               cached,
               moved * (1 - streamed),
               gather,
               worked / slowest * of_rows / work,
               worked * (1 - 1 / slowest) + gather * (slowest - 1),
               worked / slowest * instructions / work};
  sum.seconds = launch + body + gather * slowest;
  return sum;
}
}  // namespace sparsecast::forecast
