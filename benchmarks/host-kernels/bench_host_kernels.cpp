// Host kernels beside other libraries' products, all on the same matrix and cores in one interleaved run: every round
// times a block of each contestant in turn, so that a drifting machine hurts all alike. Prints one JSON document.
//
//   bench-host-kernels [--threads N] [--rounds N] [--block-s S] [--mkl libmkl_rt.so.2] [--single] MATRIX…
//
// MATRIX is a file or a recipe, kind:key=value,… (as `sparsecast generate`). Under `mpirun -n N` PETSc takes part with
// N processes while all others use N threads of the first process.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sparsecast/structure.hpp>
#include <string>
#include <thread>
#include <vector>

#include "formats/host_product.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/simd.hpp"
#include "make.hpp"
#include "peers.hpp"
#include "results_json.hpp"

namespace sparsecast::bench {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  int threads = 1;
  int rounds = 11;
  double block_s = 0.03;
  bool single = false;
  std::string mkl;
  std::vector<std::string> matrices;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const auto takes = [&](const char* name) { return std::strcmp(argv[i], name) == 0 && i + 1 < argc; };
    if (takes("--threads")) {
      options.threads = std::atoi(argv[++i]);
    } else if (takes("--rounds")) {
      options.rounds = std::atoi(argv[++i]);
    } else if (takes("--block-s")) {
      options.block_s = std::atof(argv[++i]);
    } else if (takes("--mkl")) {
      options.mkl = argv[++i];
    } else if (std::strcmp(argv[i], "--single") == 0) {
      options.single = true;
    } else {
      options.matrices.emplace_back(argv[i]);
    }
  }
  return options;
}

template <class Value>
Contestant ours(const formats::HostKernel& kernel, std::unique_ptr<formats::HostProduct<Value>> built,
                const Matrix& matrix, std::span<const double> x) {
  std::shared_ptr<formats::HostProduct<Value>> product = std::move(built);
  auto in = std::make_shared<Array<Value>>(x.size());
  std::ranges::transform(x, in->begin(), [](double value) { return static_cast<Value>(value); });
  auto out = std::make_shared<Array<Value>>(static_cast<std::size_t>(matrix.rows()));
  return {std::string(kernel.name), product->bytes(),
          [=](int times) {
            const double start = now();
            for (int i = 0; i < times; ++i) product->apply(*in, *out);
            return now() - start;
          },
          [out] { return std::accumulate(out->begin(), out->end(), 0.0); }};
}

Json compare(const std::string& recipe, const Matrix& matrix, const Options& options, PetscSession& petsc) {
  Array<double> x(static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536;
  std::vector<Contestant> all;
  const Task<double> task{.matrix = matrix, .x = x, .threads = options.threads};
  for (Contestant& peer : petsc.peers(task))
    if (!options.single) all.push_back(std::move(peer));
  if (petsc.rank() != 0) {
    petsc.serve();
    return {};
  }
  const Structure structure = analyze(matrix, options.threads);
  const int value_bytes = options.single ? 4 : 8;
  Json skipped = Json::array();
  for (const formats::HostKernel& kernel : formats::host_kernels()) {
    // Padding beyond ten times the matrix tells nothing but how slow the memory is.
    if (kernel.bytes(structure, value_bytes) > 10 * matrix.bytes()) {
      skipped.push_back(kernel.name);
    } else if (options.single) {
      all.push_back(ours<float>(kernel, kernel.build_single(matrix, options.threads), matrix, x));
    } else {
      all.push_back(ours<double>(kernel, kernel.build_double(matrix, options.threads), matrix, x));
    }
  }
  if (!options.single) {
    all.push_back(eigen_peer(task));
    for (Contestant& peer : mkl_peers(task, options.mkl)) all.push_back(std::move(peer));
  }
  all.push_back(read_peer(matrix.bytes(), options.threads));

  std::vector<int> times;
  std::vector<std::vector<double>> seconds(all.size());
  for (const Contestant& one : all) {
    one.run(1);
    times.push_back(std::clamp(static_cast<int>(options.block_s / std::max(1e-9, one.run(2) / 2)), 1, 100'000));
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t c = 0; c < all.size(); ++c) {
      // Threads of the last contestant may still spin; let them fall asleep before other processes work.
      if (all[c].name == "petsc") std::this_thread::sleep_for(std::chrono::milliseconds(20));
      all[c].run(1);
      seconds[c].push_back(all[c].run(times[c]) / times[c]);
    }
  }

  const double vectors = static_cast<double>(matrix.rows() + matrix.cols()) * value_bytes;
  std::map<std::string, std::size_t> index;
  for (std::size_t c = 0; c < all.size(); ++c) index[all[c].name] = c;
  const double read_rate = static_cast<double>(all.back().bytes) / median(seconds.back());
  std::string best;
  Json results = Json::array();
  for (std::size_t c = 0; c < all.size(); ++c) {
    const bool is_ours = formats::find_host_kernel(all[c].name) != nullptr, is_read = all[c].name == "read";
    const double time = median(seconds[c]), moved = static_cast<double>(all[c].bytes) + (is_read ? 0 : vectors);
    if (is_ours && (best.empty() || time < median(seconds[index[best]]))) best = all[c].name;
    results.push_back(
        {{"name", all[c].name},
         {"seconds", time},
         {"spread", (*std::ranges::max_element(seconds[c]) - *std::ranges::min_element(seconds[c])) / time},
         {"moved_bytes", moved},
         {"bytes_per_s", moved / time},
         {"of_read_bandwidth", moved / time / read_rate},
         {"gflops", 2e-9 * static_cast<double>(matrix.nonzeros()) / time},
         {"sum_of_y", all[c].result()}});
  }
  // Per round, so that what slowed a whole round cancels.
  Json speedups = Json::object();
  for (const char* peer : {"eigen", "mkl", "petsc"}) {
    if (!index.contains(peer)) continue;
    std::vector<double> ratios;
    for (int round = 0; round < options.rounds; ++round)
      ratios.push_back(seconds[index[peer]][round] / seconds[index[best]][round]);
    speedups[peer] = median(ratios);
  }
  petsc.release();
  return {{"matrix", recipe},
          {"rows", matrix.rows()},
          {"cols", matrix.cols()},
          {"nonzeros", matrix.nonzeros()},
          {"read_bytes_per_s", read_rate},
          {"best", best},
          {"speedup_of_best_over", speedups},
          {"skipped", skipped},
          {"results", results}};
}

}  // namespace
}  // namespace sparsecast::bench

int main(int argc, char** argv) {
  using namespace sparsecast::bench;
  PetscSession petsc(&argc, &argv);
  const Options options = parse(argc, argv);
  nlohmann::ordered_json document{{"schema", "sparsecast/bench-host-kernels/1"},
                                  {"threads", options.threads},
                                  {"precision", options.single ? "single" : "double"},
                                  {"simd", sparsecast::formats::simd_name(sparsecast::formats::best_simd())},
                                  {"petsc_processes", PetscSession::available() ? petsc.processes() : 0},
                                  {"cases", nlohmann::ordered_json::array()}};
  for (const std::string& recipe : options.matrices) {
    const sparsecast::Matrix matrix = make(recipe, options.threads);
    auto result = compare(recipe, matrix, options, petsc);
    if (petsc.rank() != 0) continue;
    fmt::print(stderr, "{}: {} rows, {} non-zeros, read {:.1f} GB/s, best {}", recipe, matrix.rows(), matrix.nonzeros(),
               result["read_bytes_per_s"].get<double>() * 1e-9, result["best"].get<std::string>());
    for (const auto& [peer, ratio] : result["speedup_of_best_over"].items())
      fmt::print(stderr, ", {}x {}", ratio.dump().substr(0, 5), peer);
    fmt::print(stderr, "\n");
    for (const auto& one : result["results"])
      fmt::print(stderr, "  {:10s} {:10.3f} ms  {:6.2f} GB/s  {:5.1f} % of read  spread {:4.1f} %  sum {:.9g}\n",
                 one["name"].get<std::string>(), 1e3 * one["seconds"].get<double>(),
                 1e-9 * one["bytes_per_s"].get<double>(), 100 * one["of_read_bandwidth"].get<double>(),
                 100 * one["spread"].get<double>(), one["sum_of_y"].get<double>());
    document["cases"].push_back(std::move(result));
  }
  if (petsc.rank() == 0) fmt::print("{}\n", results_text(document));
}
