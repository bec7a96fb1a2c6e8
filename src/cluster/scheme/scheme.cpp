#include "cluster/scheme/scheme.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "cluster/scheme/local_block.hpp"
#include "fields/cluster_forecast.hpp"
#include "formats/kernels.hpp"
#include "matrix/order/symmetric_graph.hpp"

namespace sparsecast::cluster {
namespace {
constexpr std::array schemes{Scheme::two_d_uniform, Scheme::global_rows, Scheme::local_rows};
constexpr std::array local_formats{LocalFormat::csr, LocalFormat::coo};
}  // namespace

std::span<const Scheme> all_schemes() { return schemes; }
std::span<const LocalFormat> all_formats() { return local_formats; }

std::string_view to_string(Scheme scheme) { return word_of(scheme); }
std::string_view to_string(LocalFormat format) { return word_of(format); }

int grid_side(int processes) {
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(processes))));
  return side * side == processes ? side : 0;
}

int Grid::pieces() const { return std::lcm(rows, columns); }

std::int64_t Grid::piece_length(std::int64_t n) const {
  return std::max<std::int64_t>(1, (n + pieces() - 1) / pieces());
}

Grid grid_of(int processes) {
  if (processes == 1) return {1, 1};
  for (int rows = static_cast<int>(std::sqrt(static_cast<double>(processes))) + 1; rows >= 2; --rows)
    if (rows * rows <= processes && processes % rows == 0) return {rows, processes / rows};
  return {};
}

bool admissible(Scheme scheme, int processes) {
  return processes >= 1 && (scheme != Scheme::two_d_uniform || grid_of(processes).rows > 0);
}

void require_admissible(Scheme scheme, int processes) {
  if (processes < 1)
    throw Error(ErrorCode::usage, fmt::format("{} processes cannot run anything", processes), {}, "take 1 or more");
  if (admissible(scheme, processes)) return;
  int below = processes, above = processes;
  while (!admissible(scheme, below)) --below;
  while (!admissible(scheme, above)) ++above;
  throw Error(
      ErrorCode::usage,
      fmt::format("2du cuts the matrix into a grid of blocks, and {} is not a square nor another product of two "
                  "numbers from 2 on",
                  processes),
      {}, fmt::format("take {} or {} processes, or the scheme g1dr or l1dr", below, above));
}
}  // namespace sparsecast::cluster

#ifdef SPARSECAST_HAS_METIS
#include <metis.h>
#endif

namespace sparsecast::cluster {
namespace {
#ifdef SPARSECAST_HAS_METIS

// The graph of A + Aᵀ in METIS's CSR, rows weighed by their work.
struct Graph {
  std::vector<idx_t> pointers, neighbours, weights;
};

Graph weighted_graph(const Matrix& matrix) {
  const matrix::Graph joined = matrix::symmetric_graph(matrix);
  const auto ends = static_cast<std::int64_t>(joined.neighbours.size());
  if (ends > INT32_MAX)
    throw Error(ErrorCode::unavailable,
                fmt::format("the graph has {} edge ends and METIS counts them in 32 bits", ends), {matrix.name()},
                "use 2du, which needs no partition");
  Graph graph{{joined.pointers.begin(), joined.pointers.end()},
              {joined.neighbours.begin(), joined.neighbours.end()},
              std::vector<idx_t>(static_cast<std::size_t>(matrix.rows()))};
  matrix.visit_pattern([&](const auto& csr) {
    for (std::size_t r = 0; r < graph.weights.size(); ++r)
      graph.weights[r] = static_cast<idx_t>(csr.row_pointers[r + 1] - csr.row_pointers[r] + 1);
  });
  return graph;
}

std::vector<std::int32_t> metis(Graph graph, int processes) {
  std::vector<idx_t> parts(graph.weights.size(), 0);
  idx_t vertices = static_cast<idx_t>(parts.size()), constraints = 1, k = processes, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  const int status =
      METIS_PartGraphKway(&vertices, &constraints, graph.pointers.data(), graph.neighbours.data(), graph.weights.data(),
                          nullptr, nullptr, &k, nullptr, nullptr, options, &cut, parts.data());
  if (status != METIS_OK)
    throw Error(ErrorCode::failed,
                fmt::format("METIS could not cut the graph into {} parts (status {})", processes, status), {},
                status == METIS_ERROR_MEMORY ? "it ran out of memory: use 2du, which needs no partition" : "");
  return {parts.begin(), parts.end()};
}

#endif

template <class Offset, class Index>
Matrix padded(const Matrix& matrix, std::int64_t size) {
  Csr<Offset, Index> out;
  out.rows = out.cols = size;
  matrix.visit([&](const auto& csr) {
    out.row_pointers.resize(static_cast<std::size_t>(size) + 1);
    std::ranges::fill(out.row_pointers, static_cast<Offset>(csr.column_indices.size()));
    std::ranges::transform(csr.row_pointers, out.row_pointers.begin(), [](auto k) { return static_cast<Offset>(k); });
    out.column_indices.resize(csr.column_indices.size());
    std::ranges::transform(csr.column_indices, out.column_indices.begin(),
                           [](auto k) { return static_cast<Index>(k); });
    out.values.resize(csr.values.size());
    std::ranges::copy(csr.values, out.values.begin());
  });
  return {std::move(out), matrix.name()};
}

double max_magnitude(std::span<const double> x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}
}  // namespace

#ifdef SPARSECAST_HAS_METIS
bool has_partitioner() { return true; }
#else
bool has_partitioner() { return false; }
#endif

std::vector<std::int32_t> partition_rows(const Matrix& matrix, int processes) {
  const auto n = static_cast<std::size_t>(matrix.rows());
  if (matrix.rows() != matrix.cols())
    throw Error(ErrorCode::usage,
                fmt::format("{} rows and {} columns: x ← A·x needs a square matrix", matrix.rows(), matrix.cols()),
                {matrix.name()});
  std::vector<std::int32_t> parts(n, 0);
  if (processes == 1) return parts;
  if (static_cast<std::size_t>(processes) >= n) {  // one row each; METIS does not take more parts than vertices
    std::iota(parts.begin(), parts.end(), 0);
    return parts;
  }
#ifdef SPARSECAST_HAS_METIS
  Graph graph = weighted_graph(matrix);
  if (graph.neighbours.empty()) {  // no edges to save: equal runs of rows
    for (std::size_t r = 0; r < n; ++r)
      parts[r] = static_cast<std::int32_t>(r * static_cast<std::size_t>(processes) / n);
    return parts;
  }
  return metis(std::move(graph), processes);
#else
  throw Error(ErrorCode::unavailable, "this build has no METIS, which cuts the rows for g1dr and l1dr", {},
              "install libmetis-dev and build again, or use 2du");
#endif
}

int RowOrder::owner(std::int64_t at) const {
  return static_cast<int>(std::upper_bound(first.begin() + 1, first.end(), at) - first.begin()) - 1;
}

RowOrder order_rows(const std::vector<std::int32_t>& parts, int processes) {
  RowOrder order;
  order.first.assign(static_cast<std::size_t>(processes) + 1, 0);
  for (const std::int32_t part : parts) ++order.first[static_cast<std::size_t>(part) + 1];
  std::partial_sum(order.first.begin(), order.first.end(), order.first.begin());
  order.position.resize(parts.size());
  order.row.resize(parts.size());
  std::vector<std::int64_t> next(order.first.begin(), order.first.end() - 1);
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const std::int64_t at = next[static_cast<std::size_t>(parts[r])]++;
    order.position[r] = at;
    order.row[static_cast<std::size_t>(at)] = static_cast<std::int64_t>(r);
  }
  return order;
}

Matrix padded_square(const Matrix& matrix) {
  if (matrix.rows() == matrix.cols()) return matrix;
  const std::int64_t size = std::max(matrix.rows(), matrix.cols());
  if (!Matrix::fits32(size)) return padded<std::int64_t, std::int64_t>(matrix, size);
  return Matrix::fits32(matrix.nonzeros()) ? padded<std::int32_t, std::int32_t>(matrix, size)
                                           : padded<std::int64_t, std::int32_t>(matrix, size);
}

int matrix_exponent(double max_value, std::int64_t longest_row) {
  if (max_value == 0 || longest_row == 0) return 0;
  return std::ilogb(max_value) + 1 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest_row)));
}

int vector_exponent(double max_entry) { return max_entry == 0 ? 0 : std::ilogb(max_entry); }

IteratedVector iterate_sequentially(const Matrix& matrix, int iterations) {
  return matrix.visit([&](const auto& csr) {
    std::int64_t longest = 0;
    for (std::int64_t r = 0; r < csr.rows; ++r)
      longest = std::max<std::int64_t>(longest, csr.row_pointers[r + 1] - csr.row_pointers[r]);
    std::vector<double> values(csr.values.begin(), csr.values.end());
    const int scale = matrix_exponent(max_magnitude(values), longest);
    for (double& value : values) value = std::ldexp(value, -scale);
    IteratedVector x;
    x.values.resize(static_cast<std::size_t>(csr.cols));
    for (std::int64_t i = 0; i < csr.cols; ++i) x.values[i] = start_value(i);
    std::vector<double> y(static_cast<std::size_t>(csr.rows));
    for (int k = 1; k <= iterations; ++k) {
      base::throw_if_interrupted();
      for (std::int64_t r = 0; r < csr.rows; ++r) {
        double sum = 0;
        for (auto e = csr.row_pointers[r]; e < csr.row_pointers[r + 1]; ++e)
          sum += values[e] * x.values[csr.column_indices[e]];
        y[r] = sum;
      }
      x.values.swap(y);
      x.exponent += scale;
      if (k % renormalize_every == 0) {
        const int out = vector_exponent(max_magnitude(x.values));
        for (double& value : x.values) value = std::ldexp(value, -out);
        x.exponent += out;
      }
    }
    return x;
  });
}

double relative_distance(const IteratedVector& x, const IteratedVector& reference) {
  const auto shift = static_cast<int>(std::clamp<std::int64_t>(x.exponent - reference.exponent, -4000, 4000));
  double distance = 0;
  const double size = max_magnitude(reference.values);
  for (std::size_t i = 0; i < reference.values.size(); ++i) {
    const double d = std::abs(std::ldexp(x.values[i], shift) - reference.values[i]);
    if (std::isnan(d)) return d;
    distance = std::max(distance, d);
  }
  return size == 0 ? distance : distance / size;
}

double log2_norm(const IteratedVector& x) {
  const double size = max_magnitude(x.values);
  if (size == 0) return -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const double value : x.values) sum += (value / size) * (value / size);
  return 0.5 * std::log2(sum) + std::log2(size) + static_cast<double>(x.exponent);
}
}  // namespace sparsecast::cluster
