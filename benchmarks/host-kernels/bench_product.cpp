// The product that a user can call beside those of other libraries: A·x and A·X of eight vectors, in float and double,
// on the same matrix and cores in one interleaved run. Writes one JSON document, anew after every matrix.
//
//   bench-product -o FILE [--threads N] [--rounds N] [--block-s S] [--mkl libmkl_rt.so.2] [--scipy PYTHON SCRIPT]
//                 KIND MATRIX …
//
// KIND is "structured" or "other", MATRIX a file or a recipe (make.hpp). Under `mpirun -n N` PETSc takes part with N
// processes while all others use N threads of the first process.
//
// Of our kernels that take the matrix the three that a short trial found fastest take part in the rounds, where each
// contestant is timed for a block in turn; times are medians over the rounds.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <sparsecast/structure.hpp>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "forecast/physical/workload.hpp"
#include "forecast/physical/x_misses.hpp"
#include "formats/kernels.hpp"
#include "formats/simd/simd.hpp"
#include "hardware/host/host_properties.hpp"
#include "make.hpp"
#include "peers.hpp"
#include "results_json.hpp"

namespace sparsecast::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  int threads = 1;
  int rounds = 7;
  double block_s = 0.01;
  std::string output, mkl, python, script;
  std::vector<std::pair<std::string, std::string>> matrices;  // kind and recipe
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const auto takes = [&](const char* name, int count) { return std::strcmp(argv[i], name) == 0 && i + count < argc; };
    if (takes("-o", 1)) {
      options.output = argv[++i];
    } else if (takes("--threads", 1)) {
      options.threads = std::atoi(argv[++i]);
    } else if (takes("--rounds", 1)) {
      options.rounds = std::atoi(argv[++i]);
    } else if (takes("--block-s", 1)) {
      options.block_s = std::atof(argv[++i]);
    } else if (takes("--mkl", 1)) {
      options.mkl = argv[++i];
    } else if (takes("--scipy", 2)) {
      options.python = argv[++i];
      options.script = argv[++i];
    } else if (i + 1 < argc) {
      options.matrices.emplace_back(argv[i], argv[i + 1]);
      ++i;
    }
  }
  return options;
}

template <class Value>
struct Ours {
  std::shared_ptr<formats::HostProduct<Value>> product;
  Array<Value> x, y;
  formats::Workspace<Value> workspace;

  Ours(const formats::HostKernel& kernel, const Task<Value>& task)
      : product(kernel.build<Value>(task.matrix, task.threads)),
        x(task.x.begin(), task.x.end()),
        workspace(task.threads) {
    y.resize(task.rows() * static_cast<std::size_t>(task.vectors));
  }
  void multiply(const Matrix& matrix, int vectors) {
    if (vectors == 1) return product->apply(x, y);
    product->apply_block({}, {x.data(), matrix.cols(), vectors, vectors, 1},
                         {y.data(), matrix.rows(), vectors, vectors, 1}, workspace);
  }
};

template <class Value>
Contestant ours(const formats::KernelInfo& kernel, const Task<Value>& task) {
  auto mine = std::make_shared<Ours<Value>>(kernel.host, task);
  return {std::string(kernel.name), mine->product->bytes(),
          [mine, matrix = task.matrix, vectors = task.vectors](int times) {
            const double start = now();
            for (int i = 0; i < times; ++i) mine->multiply(matrix, vectors);
            return now() - start;
          },
          [mine] { return std::accumulate(mine->y.begin(), mine->y.end(), 0.0); }};
}

// The fastest of our kernels in a trial of some products each.
template <class Value>
std::vector<Contestant> best_of_ours(const Task<Value>& task, const Structure& structure) {
  constexpr std::size_t kept = 3;
  constexpr double trial_s = 0.004;
  std::vector<std::pair<double, Contestant>> tried;
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    if (!kernel.on_host || !formats::refusal_of(kernel.name, structure).empty()) continue;
    // Padding beyond three times the matrix is never fastest.
    if (kernel.host.bytes(structure, sizeof(Value)) > 3 * task.matrix.bytes()) continue;
    if (task.vectors > 1 && !kernel.reads_once) continue;
    Contestant one = ours(kernel, task);
    one.run(1);
    const double once = one.run(1);
    const int times = std::clamp(static_cast<int>(trial_s / std::max(once, 1e-9) / 3), 1, 10'000);
    double best = once;
    for (int i = 0; i < 3; ++i) best = std::min(best, one.run(times) / times);
    tried.emplace_back(best, std::move(one));
    std::ranges::sort(tried, {}, [](const auto& entry) { return entry.first; });
    if (tried.size() > kept) tried.pop_back();
  }
  std::vector<Contestant> all;
  for (auto& [seconds, one] : tried) all.push_back(std::move(one));
  return all;
}

template <class Value>
Array<Value> vectors_for(const Matrix& matrix, int vectors) {
  Array<Value> x(static_cast<std::size_t>(matrix.cols() * vectors));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<Value>(0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536);
  return x;
}

// Seconds of one product of each contestant.
std::vector<double> race(const std::vector<Contestant>& all, const Options& options) {
  std::vector<int> times;
  std::vector<std::vector<double>> seconds(all.size());
  for (const Contestant& one : all) {
    one.run(1);
    // Threads that were just woken may share a core for some milliseconds, and a block of one product is no block.
    double once = one.run(2) / 2;
    for (int i = 0; i < 4; ++i) once = std::min(once, one.run(2) / 2);
    times.push_back(std::clamp(static_cast<int>(options.block_s / std::max(1e-9, once)), 1, 100'000));
  }
  for (int round = 0; round < options.rounds; ++round) {
    bool others = false;
    for (std::size_t c = 0; c < all.size(); ++c) {
      // Threads of the last contestant may still spin; let them fall asleep before other processes work.
      const bool elsewhere = all[c].name.starts_with("petsc") || all[c].name == "scipy";
      if (elsewhere && !others && options.threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      others = elsewhere;
      all[c].run(1 + times[c] / 4);
      seconds[c].push_back(all[c].run(times[c]) / times[c]);
    }
  }
  std::vector<double> medians;
  for (const auto& of_one : seconds) medians.push_back(median(of_one));
  return medians;
}

struct Traits {
  std::string kind, recipe;
  const Structure& structure;
  std::int64_t distinct_values = 0;
  bool beyond_cache = false;  // CSR in double is larger than the last cache
};

Traits traits_of(const std::string& kind, const std::string& recipe, const Matrix& matrix, const Structure& structure) {
  Traits traits{kind, recipe, structure};
  std::unordered_set<double> values;
  matrix.visit([&](const auto& csr) {
    for (const double value : csr.values) values.insert(value);
    traits.distinct_values = static_cast<std::int64_t>(values.size());
  });
  traits.beyond_cache = static_cast<double>(matrix.bytes()) > forecast::last_cache_bytes(hardware::host_properties());
  return traits;
}

template <class Value>
Json row(const Task<Value>& task, const Traits& traits, const Options& options, std::vector<Contestant> peers) {
  std::vector<Contestant> all = best_of_ours(task, traits.structure);
  const std::size_t mine = all.size();
  all.push_back(eigen_peer(task));
  for (Contestant& peer : mkl_peers(task, options.mkl)) all.push_back(std::move(peer));
  for (Contestant& peer : rsb_peers(task)) all.push_back(std::move(peer));
  for (Contestant& peer : peers) all.push_back(std::move(peer));
  const std::vector<double> seconds = race(all, options);
  const auto best =
      static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.begin() + mine) - seconds.begin());

  Json others = Json::object();
  double fastest = 1e300;
  std::string text;
  const double expected = all[best].result();
  for (std::size_t c = 0; c < all.size(); ++c) {
    const double sum = all[c].result(), tolerance = sizeof(Value) == 8 ? 1e-7 : 2e-2;
    if (!(std::abs(sum - expected) <= tolerance * std::max(1.0, std::abs(expected))))
      fmt::print(stderr, "{}: {} computes {:.9g}, {} {:.9g}\n", traits.recipe, all[c].name, sum, all[best].name,
                 expected);
    if (c >= mine) {
      others[all[c].name] = seconds[c];
      fastest = std::min(fastest, seconds[c]);
    }
    text += fmt::format(" {} {:.1f}", all[c].name, 1e6 * seconds[c]);
  }
  const double moved = static_cast<double>(all[best].bytes) +
                       static_cast<double>((task.matrix.rows() + task.matrix.cols()) * task.vectors) * sizeof(Value);
  Contestant reading = read_peer(static_cast<std::int64_t>(moved), task.threads);
  const double read_s = race({reading}, options).front();
  fmt::print(stderr, "{:5.2f} {} {} {} x{}: µs{}\n", fastest / seconds[best], traits.recipe, task.threads,
             sizeof(Value) == 8 ? "double" : "single", task.vectors, text);
  return {{"matrix", std::filesystem::path(traits.recipe).filename().string()},  // without its folder
          {"kind", traits.kind},
          {"threads", task.threads},
          {"precision", sizeof(Value) == 8 ? "double" : "single"},
          {"vectors", task.vectors},
          {"rows", task.matrix.rows()},
          {"nonzeros", task.matrix.nonzeros()},
          {"kernel", all[best].name},
          {"seconds", seconds[best]},
          {"distinct_values", traits.distinct_values},
          {"beyond_cache", traits.beyond_cache},
          {"bytes", moved},
          {"bandwidth_share", read_s / seconds[best]},
          {"peers", others}};
}

void compare(const Traits& traits, const Matrix& matrix, const Options& options, PetscSession& petsc,
             ScipySession& scipy, Json& rows) {
  const Structure& s = traits.structure;
  const int block = s.dense_blocks.rows > 1 && s.dense_blocks.rows == s.dense_blocks.cols &&
                            matrix.rows() % s.dense_blocks.rows == 0 && matrix.cols() % s.dense_blocks.rows == 0 &&
                            matrix.nonzeros() == s.dense_blocks.blocks * s.dense_blocks.rows * s.dense_blocks.cols
                        ? s.dense_blocks.rows
                        : 0;
  const auto task = [&]<class Value>(const Array<Value>& x, int vectors) {
    return Task<Value>{matrix, x, vectors, options.threads, block, s.symmetry.symmetric == 1};
  };
  const auto with_scipy = [&](const auto& of, std::vector<Contestant> peers) {
    for (Contestant& peer : scipy.peers(of)) peers.push_back(std::move(peer));
    return peers;
  };
  const auto x = vectors_for<double>(matrix, 1);
  const auto in_petsc = petsc.peers(task(x, 1));
  if (petsc.rank() != 0) return petsc.serve();
  rows.push_back(row(task(x, 1), traits, options, with_scipy(task(x, 1), in_petsc)));
  const auto single_x = vectors_for<float>(matrix, 1);
  rows.push_back(row(task(single_x, 1), traits, options, with_scipy(task(single_x, 1), in_petsc)));
  petsc.release();
  constexpr int many = 8;
  const auto block_x = vectors_for<double>(matrix, many);
  rows.push_back(row(task(block_x, many), traits, options, with_scipy(task(block_x, many), {})));
  const auto single_block_x = vectors_for<float>(matrix, many);
  rows.push_back(row(task(single_block_x, many), traits, options, with_scipy(task(single_block_x, many), {})));
}

}  // namespace
}  // namespace sparsecast::bench

int main(int argc, char** argv) {
  using namespace sparsecast::bench;
  const Options options = parse(argc, argv);
  PetscSession petsc(&argc, &argv);
  ScipySession scipy(petsc.rank() == 0 ? options.python : "", options.script);
  nlohmann::ordered_json document{{"schema", "sparsecast/bench-product/2"},
                                  {"threads", options.threads},
                                  {"simd", sparsecast::formats::simd_name(sparsecast::formats::best_simd())},
                                  {"petsc_processes", PetscSession::available() ? petsc.processes() : 0},
                                  {"rows", nlohmann::ordered_json::array()}};
  for (const auto& [kind, recipe] : options.matrices) {
    const sparsecast::Matrix matrix = make(recipe, options.threads);
    const sparsecast::Structure structure = sparsecast::analyze(matrix, options.threads);
    compare(traits_of(kind, recipe, matrix, structure), matrix, options, petsc, scipy, document["rows"]);
    if (petsc.rank() == 0) std::ofstream(options.output) << results_text(document) << '\n';
  }
}
