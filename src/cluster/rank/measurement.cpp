#include "cluster/rank/measurement.hpp"

#include <sys/resource.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/median.hpp"
#include "calibration/timing.hpp"
#include "cluster/rank/assembly.hpp"
#include "cluster/rank/collective_timing.hpp"
#include "cluster/rank/iteration.hpp"
#include "cluster/scheme/index_permutation.hpp"
#include "cluster/scheme/iterates.hpp"

namespace sparsecast::cluster {
namespace {
using nlohmann::ordered_json;

// A case that is ready to iterate, its vectors in the precision of Value.
template <class Value>
struct Running {
  std::unique_ptr<Iteration<Value>> iteration;
  std::vector<std::int64_t> own_rows;  // in step with iteration->own()
  int matrix_exponent = 0;
  bool square = true;  ///< else y = A·x, again and again
};

template <class Value>
LocalWork<Value> product_of(CsrBlock block, LocalFormat format, int threads, bool add) {
  auto local = std::make_shared<const LocalBlockOf<Value>>(std::move(block), format, threads);
  return [local, add](std::span<const Value> x, std::span<Value> y) { local->apply(x, y, add); };
}

template <class Value>
Running<Value> prepare_grid(const Communicator& ranks, const Job& job, LocalFormat format) {
  const auto source = open_entries(ranks, job);
  GridPart part = assemble_grid(ranks, *source, job.seed);
  const int row = ranks.rank() / part.grid.columns, column = ranks.rank() % part.grid.columns;
  // The longest row of the whole matrix: lengths of the blocks of a grid row added up.
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(part.block.rows)), sums(lengths.size());
  for (std::size_t r = 0; r < lengths.size(); ++r)
    lengths[r] = part.block.row_pointers[r + 1] - part.block.row_pointers[r];
  MPI_Comm along_row = MPI_COMM_NULL;
  MPI_Comm_split(ranks.handle(), row, column, &along_row);
  MPI_Allreduce(lengths.data(), sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, along_row);
  MPI_Comm_free(&along_row);
  const std::int64_t longest = ranks.max(*std::ranges::max_element(sums));
  Running<Value> running;
  running.square = source->rows == source->cols;
  running.matrix_exponent = scale_values(ranks, {&part.block}, longest);
  auto iteration =
      std::make_unique<GridIteration<Value>>(ranks.handle(), part.grid, part.grid.piece_length(part.size),
                                             product_of<Value>(std::move(part.block), format, job.threads, false));
  const IndexPermutation permute(part.size, job.seed);
  const auto first = iteration->first_own(), last = first + static_cast<std::int64_t>(iteration->own().size());
  for (std::int64_t at = first; at < std::min(part.size, last); ++at) running.own_rows.push_back(permute.inverse(at));
  running.iteration = std::move(iteration);
  return running;
}

std::int64_t longest_row(const Communicator& ranks, const RowPart& part) {
  std::vector<std::int64_t> lengths(part.rows.size() + 1, 0);
  for (const LocalEntry& entry : part.entries) ++lengths[static_cast<std::size_t>(entry.row)];
  return ranks.max(*std::ranges::max_element(lengths));
}

template <class Value>
Running<Value> prepare_rows(const Communicator& ranks, JobFolder& folder, const Job& job, Scheme scheme,
                            LocalFormat format) {
  const auto source = open_entries(ranks, job);
  const RowDirectory directory(ranks, source->size(), folder.file("parts.bin"));
  RowPart part = assemble_rows(ranks, *source, directory);
  const std::int64_t longest = longest_row(ranks, part);
  Running<Value> running;
  running.square = source->rows == source->cols;
  if (scheme == Scheme::global_rows) {
    CsrBlock block;
    ranks.agreed([&] { block = global_block(part); });
    running.matrix_exponent = scale_values(ranks, {&block}, longest);
    running.iteration = std::make_unique<GlobalIteration<Value>>(
        ranks.handle(), part.all_counts, product_of<Value>(std::move(block), format, job.threads, false));
  } else {
    LocalSplit split = split_local(ranks, part, directory);
    running.matrix_exponent = scale_values(ranks, {&split.own, &split.remote}, longest);
    LocalWork<Value> pack = [indices = split.halo.send_indices](std::span<const Value> x, std::span<Value> outgoing) {
      for (std::size_t k = 0; k < indices.size(); ++k) outgoing[k] = x[static_cast<std::size_t>(indices[k])];
    };
    LocalWorks<Value> works{std::move(pack), product_of<Value>(std::move(split.own), format, job.threads, false),
                            product_of<Value>(std::move(split.remote), format, job.threads, true)};
    running.iteration = std::make_unique<LocalIteration<Value>>(
        ranks.handle(), static_cast<std::int64_t>(part.rows.size()), split.halo, std::move(works));
  }
  running.own_rows = std::move(part.rows);
  return running;
}

template <class Value>
void start(Running<Value>& running) {
  const std::span<Value> own = running.iteration->own();
  for (std::size_t k = 0; k < running.own_rows.size(); ++k)
    own[k] = static_cast<Value>(start_value(running.own_rows[k]));
  running.iteration->spread();
}

// A float has an eighth of a double's powers of two: a single step may take half of them.
template <class Value>
constexpr int renormalize_after = sizeof(Value) == sizeof(double) ? renormalize_every : 1;

// Some iterations from the present x; the exponent that renormalising took out.
template <class Value>
std::int64_t iterate(const Communicator& ranks, JobFolder& folder, Running<Value>& running, int iterations) {
  std::int64_t exponent = 0;
  for (int k = 1; k <= iterations; ++k) {
    running.iteration->step();
    folder.alive();
    if (!running.square || k % renormalize_after<Value> != 0) continue;
    const std::span<Value> own = running.iteration->own();
    double most = 0;
    for (const Value value : own) most = std::max(most, static_cast<double>(std::abs(value)));
    const int out = vector_exponent(ranks.max(most));
    for (Value& value : own) value = std::ldexp(value, -out);
    running.iteration->spread();
    exponent += out;
  }
  return exponent;
}

// Iterations per timed batch: as many as asked for, but so few that x needs no renormalising within a batch (which
// would be timed with them). `taken_out` is what renormalising took out over all iterations.
template <class Value>
int batch_length(int iterations, std::int64_t taken_out) {
  // Seven eighths of the powers of two between 1 and the denormal numbers.
  constexpr double free_bits = -0.875 * std::numeric_limits<Value>::min_exponent;
  const double drift = std::abs(static_cast<double>(taken_out)) / iterations;
  return drift * iterations <= free_bits ? iterations : std::max(1, static_cast<int>(free_bits / drift));
}

// Rank after rank hands its entries to rank 0, which writes them: rank 0 never holds more than one rank's share.
template <class Value>
void write_vector(const Communicator& ranks, const std::filesystem::path& file, Running<Value>& running) {
  std::vector<VectorEntry> mine;
  const std::span<const Value> own = running.iteration->result();
  for (std::size_t k = 0; k < running.own_rows.size(); ++k) mine.push_back({running.own_rows[k], own[k]});
  const auto counts = ranks.gather_to_all(static_cast<std::int64_t>(mine.size()));
  constexpr std::int64_t per_message = 1 << 20;
  std::ofstream stream;
  if (ranks.rank() == 0) stream.open(file, std::ios::binary);
  for (int q = 0; q < ranks.size(); ++q)
    for (std::int64_t at = 0; at < counts[static_cast<std::size_t>(q)]; at += per_message) {
      const std::int64_t count = std::min(per_message, counts[static_cast<std::size_t>(q)] - at);
      const auto bytes = static_cast<int>(count * static_cast<std::int64_t>(sizeof(VectorEntry)));
      std::vector<VectorEntry> piece;
      if (ranks.rank() == q) piece.assign(mine.begin() + at, mine.begin() + at + count);
      if (q != 0 && ranks.rank() == q) MPI_Send(piece.data(), bytes, MPI_BYTE, 0, 1, ranks.handle());
      if (ranks.rank() != 0) continue;
      piece.resize(static_cast<std::size_t>(count));
      if (q != 0) MPI_Recv(piece.data(), bytes, MPI_BYTE, q, 1, ranks.handle(), MPI_STATUS_IGNORE);
      stream.write(reinterpret_cast<const char*>(piece.data()), bytes);
    }
  stream.close();
  ranks.agreed([&] {
    if (ranks.rank() == 0 && !stream)
      throw Error(ErrorCode::failed, "cannot be written", {file.string()}, "check whether the disk is full");
  });
}

// Peak resident memory of this process so far.
std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

template <class Value>
ordered_json run_case(const Communicator& ranks, JobFolder& folder, const Job& job, std::size_t c,
                      HandoverProbe& probe) {
  const Case& asked = job.cases[c];
  const double begin = MPI_Wtime();
  Running<Value> running = asked.scheme == Scheme::two_d_uniform
                               ? prepare_grid<Value>(ranks, job, asked.format)
                               : prepare_rows<Value>(ranks, folder, job, asked.scheme, asked.format);
  const double ready_s = ranks.max(MPI_Wtime() - begin);
  if (!running.square) running.iteration->keep_x();
  start(running);
  const std::int64_t taken_out = iterate(ranks, folder, running, job.iterations);
  if (job.keep_vectors) write_vector(ranks, folder.file("vector-" + std::to_string(c) + ".bin"), running);
  const int length = batch_length<Value>(job.iterations, taken_out);
  std::vector<double> core;  // of this rank, per batch; the first is the time of the warm-up above
  const auto begin_batch = [&] {
    core.push_back(running.iteration->core_seconds() / length);
    running.iteration->reset_clock();
    start(running);
  };
  const CollectiveTime time = time_collectively(
      ranks, {length, job.budget_s}, begin_batch,
      [&] {
        running.iteration->step();
        folder.alive();
      },
      &probe);
  core.push_back(running.iteration->core_seconds() / length);
  if (core.size() > 2) core.erase(core.begin(), core.begin() + 2);
  ordered_json answer = answer_of(asked, time, ranks.max(calibration::half_sample_mode(core)));
  answer["exponent"] =
      taken_out + static_cast<std::int64_t>(running.square ? job.iterations : 1) * running.matrix_exponent;
  answer["prepare_s"] = ready_s;
  answer["square"] = running.square;
  return answer;
}
}  // namespace

ordered_json run_measurement(const Communicator& ranks, JobFolder& folder, const Job& job) {
  const auto base_memory = ranks.gather_to_all(peak_bytes());
  ordered_json outcome{{"cases", ordered_json::array()}};
  HandoverProbe probe(ranks);
  for (std::size_t c = 0; c < job.cases.size(); ++c) {
    folder.alive();
    outcome["cases"].push_back(job.precision == Precision::single_ ? run_case<float>(ranks, folder, job, c, probe)
                                                                   : run_case<double>(ranks, folder, job, c, probe));
  }
  outcome["nodes"] = ranks.nodes();
  outcome["square"] =
      std::ranges::all_of(outcome["cases"], [](const auto& c) { return c["square"].template get<bool>(); });
  outcome["base_memory_bytes"] = base_memory;
  outcome["peak_memory_bytes"] = ranks.gather_to_all(peak_bytes());
  return outcome;
}
}  // namespace sparsecast::cluster
