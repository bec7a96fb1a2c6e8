#include "cluster/launch/measure.hpp"
#include "cluster/launch/job.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <sparsecast/read.hpp>
#include <string_view>

#include "base/child_process.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "cluster/scheme/iterates.hpp"
#include "cluster/scheme/padded_square.hpp"
#include "cluster/scheme/partition.hpp"
#include "matrix/io/market_entries.hpp"
#include "matrix/io/market_header.hpp"

namespace sparsecast::cluster {
namespace {
namespace fs = std::filesystem;

// Plain text in coordinate form, which the ranks can read in parts.
bool readable_in_parts(const fs::path& file) {
  if (!fs::is_regular_file(file)) return false;  // a pipe would be waited for here and be empty later
  std::string head(4096, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  const std::string banner = head.substr(0, head.find('\n'));
  return matrix::is_matrix_market(head) && banner.find("coordinate") != std::string::npos;
}

bool needs_partition(const std::vector<Case>& cases) {
  return std::ranges::any_of(cases, [](const Case& c) { return c.scheme != Scheme::two_d_uniform; });
}

template <class T>
std::string_view bytes_of(std::span<T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void write_parts(const std::vector<std::int32_t>& parts, const fs::path& file) {
  base::write_file_atomically(file, bytes_of(std::span(parts)), {.what = "partition"});
}

IteratedVector read_vector(const fs::path& file, std::int64_t rows, std::int64_t exponent) {
  IteratedVector x{std::vector<double>(static_cast<std::size_t>(rows), std::nan("")), exponent};
  std::ifstream stream(file, std::ios::binary);
  std::vector<VectorEntry> piece(1 << 16);
  while (stream) {
    stream.read(reinterpret_cast<char*>(piece.data()),
                static_cast<std::streamsize>(piece.size() * sizeof(VectorEntry)));
    const auto count = static_cast<std::size_t>(stream.gcount()) / sizeof(VectorEntry);
    for (std::size_t k = 0; k < count; ++k)
      if (piece[k].index >= 0 && piece[k].index < rows)
        x.values[static_cast<std::size_t>(piece[k].index)] = piece[k].value;
  }
  return x;
}

// The matrix as a file of entries (job.hpp).
void write_entries(const Matrix& matrix, const fs::path& file) {
  base::AtomicFile out(file, {.what = "matrix for the ranks"});
  const EntryFileHeader header{.rows = matrix.rows(), .cols = matrix.cols(), .entries = matrix.nonzeros()};
  out.write(bytes_of(std::span(&header, 1)));
  std::vector<FileEntry> row;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t r = 0; r < csr.rows; ++r) {
      row.clear();
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        row.push_back({r, csr.column_indices[k], csr.values[k]});
      out.write(bytes_of(std::span(row)));
    }
  });
  out.finish();
}

ClusterMeasurements measure(const Matrix* matrix, const fs::path& file, MatrixForm form, const MeasureOptions& options,
                            const base::TemporaryFolder& folder) {
  for (const Case& c : options.cases) require_admissible(c.scheme, options.launch.processes);
  if (needs_partition(options.cases))
    write_parts(partition_rows(*matrix, options.launch.processes), folder.path() / "parts.bin");
  const Job job{Task::measure,          {fs::absolute(file).string(), form},
                options.cases,          options.iterations,
                options.launch.threads, options.precision,
                options.seed,           options.budget_s,
                options.check};
  const auto outcome = nlohmann::json::parse(run_ranks(options.launch, job, folder.path()));
  ClusterMeasurements measured;
  measured.square = outcome.at("square").get<bool>();
  std::optional<IteratedVector> reference;
  // As often as it was multiplied by the same x: once is what comes of it.
  if (options.check) reference = iterate_sequentially(*matrix, measured.square ? options.iterations : 1);
  for (std::size_t k = 0; k < options.cases.size(); ++k) {
    const auto& answer = outcome.at("cases").at(k);
    ClusterMeasurement m = measurement_of(answer, options.cases[k], options.launch.processes);
    m.nodes = outcome.at("nodes");
    m.threads = options.launch.threads;
    m.precision = options.precision;
    if (reference) {
      const IteratedVector x =
          read_vector(folder.path() / fmt::format("vector-{}.bin", k), matrix->rows(), answer.at("exponent"));
      m.checksum_error = relative_distance(x, *reference);
      if (const double norm = log2_norm(x); std::isfinite(norm)) m.norm_log2 = norm;
    }
    measured.cases.push_back(std::move(m));
  }
  measured.base_memory_bytes = outcome.at("base_memory_bytes").get<std::vector<std::int64_t>>();
  measured.peak_memory_bytes = outcome.at("peak_memory_bytes").get<std::vector<std::int64_t>>();
  return measured;
}
}  // namespace

std::vector<StateTime> states_of(const nlohmann::json& answer) {
  std::vector<StateTime> states;
  for (const auto& state : answer.at("states"))
    states.push_back({state.at("handover_s"), state.at("seconds"), state.at("batches")});
  return states;
}

ClusterMeasurement measurement_of(const nlohmann::json& answer, const Case& what, int processes) {
  ClusterMeasurement m;
  m.what = what;
  m.processes = processes;
  m.seconds = answer.at("seconds");
  m.low_s = answer.at("low_s");
  m.high_s = answer.at("high_s");
  m.core_s = answer.at("core_s");
  m.batches = answer.at("batches");
  m.states = states_of(answer);
  return m;
}

ClusterMeasurements measure_file(const fs::path& file, const MeasureOptions& options) {
  for (const Case& c : options.cases) require_admissible(c.scheme, options.launch.processes);
  const bool parts = readable_in_parts(file);
  if (parts && !options.check && !needs_partition(options.cases)) {
    // Nobody, not even this process, needs to hold the matrix.
    return measure(nullptr, file, MatrixForm::market, options, base::TemporaryFolder(job_place(options.scratch)));
  }
  const Matrix read = read_matrix(file);
  if (!parts) return measure_matrix(read, options);
  const Matrix matrix = padded_square(read);
  return measure(&matrix, file, MatrixForm::market, options, base::TemporaryFolder(job_place(options.scratch)));
}

ClusterMeasurements measure_matrix(const Matrix& asked, const MeasureOptions& options) {
  const Matrix matrix = padded_square(asked);
  const base::TemporaryFolder folder(job_place(options.scratch));
  const fs::path file = folder.path() / "entries.bin";
  write_entries(asked, file);
  return measure(&matrix, file, MatrixForm::entries, options, folder);
}
}  // namespace sparsecast::cluster
