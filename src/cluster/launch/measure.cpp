#include "cluster/launch/job.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/child_process.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "matrix/io/market_header.hpp"

namespace sparsecast::cluster {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void require_launcher(const std::string& program, bool simulation) {
  if (!base::find_program(program).empty()) return;
  throw Error(ErrorCode::unavailable, fmt::format("the launcher '{}' is not here", program), {},
              simulation ? "install libsimgrid-dev"
                         : "install openmpi-bin, load the site's MPI module, or name the launcher with --launcher");
}

bool is_srun(const std::string& program) { return fs::path(program).filename() == "srun"; }

// The launcher with both outputs in files of the job folder, and what it keeps for itself in `own`.
base::ChildJob child_job(const std::vector<std::string>& words, int threads, const fs::path& folder,
                         const fs::path& own) {
  base::ChildJob job;
  job.program = words[0];
  job.arguments.assign(words.begin() + 1, words.end());
  // Variables that make Open MPI take more ranks than cores and, in a container, run as root; others do not read them.
  job.environment.set_where_missing("OMPI_MCA_rmaps_base_oversubscribe", "1");
  job.environment.set_where_missing("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
  job.environment.set_where_missing("OMP_NUM_THREADS", std::to_string(threads));
  // Open MPI has its sockets and tables there, and leaves them where it is killed. srun hands the variable on to nodes
  // that do not have the folder.
  if (!is_srun(words[0])) job.environment.set("TMPDIR", own.string());
  // Open MPI binds a rank to one core, which its threads would share.
  if (threads > 1) {
    job.environment.set_where_missing("OMPI_MCA_hwloc_base_binding_policy", "none");
    job.environment.set_where_missing("PRTE_MCA_hwloc_default_binding_policy", "none");
  }
  if (geteuid() == 0) {
    job.environment.set_where_missing("OMPI_ALLOW_RUN_AS_ROOT", "1");
    job.environment.set_where_missing("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  job.output = {base::ChildOutput::To::file, folder / "launcher.out"};
  job.errors = {base::ChildOutput::To::file, folder / "launcher.err"};
  job.grace_s = 3;  // Open MPI ends its ranks when it is asked
  job.dies_with_us = true;
  return job;
}

// Empty where there is nothing to quote.
std::string logged(const fs::path& file) {
  try {
    return base::read_file(file);
  } catch (const Error&) {
    return {};
  }
}

// What the launcher said that a user can use: the line that names a signal or an abort, else its first line of text.
std::string last_words(const fs::path& folder) {
  const std::string text = logged(folder / "launcher.err") + logged(folder / "launcher.out");
  std::string first;
  for (std::string_view line : base::split(text, '\n')) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty() || line.find_first_not_of("-= ") == std::string_view::npos) continue;
    if (first.empty()) first = line;
    for (const char* const word : {"signal", "sparsecast-rank: rank", "MPI_ABORT", "Killed"})
      if (line.find(word) != std::string_view::npos) return std::string(line);
  }
  return first;
}

void wait_for_end(base::ChildProcess& child, const Launch& launch, const fs::path& folder) {
  const double begin = base::now_s();
  double sign_of_life = begin;
  fs::file_time_type seen{};
  while (!child.ended_within(0.05)) {
    base::throw_if_interrupted();
    if (base::now_s() - begin > launch.limit_s) {
      child.stop();
      throw Error(ErrorCode::failed, fmt::format("{} processes did not get done within {:.0f} s and were ended",
                                                 launch.processes, launch.limit_s));
    }
    std::error_code absent;
    const auto alive = fs::last_write_time(folder / "alive", absent);
    if (!absent && alive != seen) {
      seen = alive;
      sign_of_life = base::now_s();
    }
    if (base::now_s() - sign_of_life > launch.patience_s) {
      child.stop();
      throw Error(ErrorCode::failed,
                  fmt::format("the ranks gave no sign of life for {:.0f} s and were ended", launch.patience_s), {},
                  "is a rank stopped or a node lost? --patience sets another limit");
    }
  }
}

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
  std::optional<IteratedVector> reference;
  if (options.check) reference = iterate_sequentially(*matrix, options.iterations);
  ClusterMeasurements measured;
  for (std::size_t k = 0; k < options.cases.size(); ++k) {
    const auto& answer = outcome.at("cases").at(k);
    ClusterMeasurement m = measurement_of(answer, options.cases[k], options.launch.processes);
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

base::TemporaryPlace job_place(const fs::path& scratch) {
  return {.purpose = "the job",
          .prefix = "job",
          .parent = scratch.empty() ? base::home_folder() / "cluster-jobs" : scratch,
          .remedy = "name another place with --scratch"};
}

std::vector<std::string> launch_command(const Launch& launch, const fs::path& program, const fs::path& folder) {
  const std::string processes = std::to_string(launch.processes);
  if (!launch.platform.empty()) {
    auto words = simulation_command(launch.platform, launch.processes, folder);
    words.insert(words.end(), {program.string(), folder.string()});
    return words;
  }
  std::vector<std::string> words = words_of(launch.launcher);
  if (words.empty()) throw Error(ErrorCode::usage, "the launcher has no name", {}, "for example --launcher mpirun");
  words.insert(words.end(), {"-n", processes});
  // Slurm lets the other ranks go on waiting for one that died unless told otherwise.
  if (is_srun(words[0])) {
    words.emplace_back("--kill-on-bad-exit=1");
    if (launch.threads > 1) words.push_back(fmt::format("--cpus-per-task={}", launch.threads));
  }
  words.insert(words.end(), {program.string(), folder.string()});
  return words;
}

fs::path rank_program(bool simulation) {
  const std::string name = simulation ? "sparsecast-rank-smpi" : "sparsecast-rank";
  std::vector<fs::path> places;
  if (const char* named = std::getenv("SPARSECAST_RANK"); named != nullptr && !simulation) places.emplace_back(named);
  std::error_code failure;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", failure); !failure)
    places.insert(places.end(),
                  {self.parent_path() / name, self.parent_path().parent_path() / "libexec/sparsecast" / name});
  for (const fs::path& place : places)
    if (fs::is_regular_file(place)) return place;
  throw Error(
      ErrorCode::unavailable, fmt::format("this build has no {}", name), {},
      simulation ? "install libsimgrid-dev and build again" : "install libopenmpi-dev and openmpi-bin and build again");
}

std::string run_ranks(const Launch& launch, const Job& job, const fs::path& folder) {
  const auto command = launch_command(launch, rank_program(!launch.platform.empty()), folder);
  require_launcher(command[0], !launch.platform.empty());
  base::write_file_atomically(folder / "job.json", to_text(job), {"job", "is the disk full?"});
  for (const char* const old : {"outcome.json", "alive"}) fs::remove(folder / old);
  const base::TemporaryFolder own;
  base::ChildProcess child(child_job(command, launch.threads, folder, own.path()));
  wait_for_end(child, launch, folder);
  if (const fs::path outcome = folder / "outcome.json"; fs::exists(outcome)) {
    std::string text = base::read_file(outcome);
    const auto document = nlohmann::ordered_json::parse(text, nullptr, false);
    if (document.is_discarded()) throw Error(ErrorCode::failed, "the ranks' answer is no JSON", {outcome.string()});
    if (document.contains("error")) throw error_from(document.at("error"));
    if (child.end().exit_status == 0) return text;
  }
  const base::ChildEnd& end = child.end();
  const std::string how =
      end.signal > 0 ? fmt::format("signal {}", end.signal) : fmt::format("exit status {}", end.exit_status);
  const std::string words = last_words(folder);
  throw Error(ErrorCode::failed,
              fmt::format("the ranks ended before their work was done ({} of {})", how, command[0]) +
                  (words.empty() ? "" : ": " + words),
              {}, "all other ranks were ended too");
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
  return m;
}

ClusterMeasurements measure_file(const fs::path& file, MeasureOptions options) {
  for (const Case& c : options.cases) require_admissible(c.scheme, options.launch.processes);
  const bool parts = readable_in_parts(file);
  if (parts && !options.check && !needs_partition(options.cases)) {
    // Nobody, not even this process, needs to hold the matrix.
    return measure(nullptr, file, MatrixForm::market, options, base::TemporaryFolder(job_place(options.scratch)));
  }
  const Matrix read = read_matrix(file);
  options.iterations = iterations_of(read.rows(), read.cols(), options.iterations);
  const Matrix matrix = padded_square(read);
  if (!parts) return measure_matrix(matrix, options);
  return measure(&matrix, file, MatrixForm::market, options, base::TemporaryFolder(job_place(options.scratch)));
}

ClusterMeasurements measure_matrix(const Matrix& asked, MeasureOptions options) {
  options.iterations = iterations_of(asked.rows(), asked.cols(), options.iterations);
  const Matrix matrix = padded_square(asked);
  const base::TemporaryFolder folder(job_place(options.scratch));
  const fs::path file = folder.path() / "entries.bin";
  write_entries(matrix, file);
  return measure(&matrix, file, MatrixForm::entries, options, folder);
}
}  // namespace sparsecast::cluster
