// A long run: threads of library calls and one of commands, in random order on random matrices, every product held
// against the sequential one. Ends with 1 at the first result that is wrong, error that none of the calls may throw, or
// where memory went on growing: what the system gave, and what was asked for and not freed, which a leak alone raises.
//   soak MINUTES [SEED]

#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <sparsecast/answers.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/kernels.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast/write.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "fields/answers.hpp"
#include "fields/json.hpp"
#include "formats/reference.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#define SOAK_UNDER_ADDRESS_SANITIZER
#endif
#endif

namespace {

using namespace sparsecast;
using Random = std::mt19937_64;

std::atomic<bool> over{false}, wrong{false};
std::atomic<long> products{0}, questions{0}, files{0};
std::mutex mouth;
const std::string wrong_device = "no-such-device";

void fail(const std::string& what) {
  const std::lock_guard lock(mouth);
  std::printf("WRONG: %s\n", what.c_str());
  wrong = over = true;
}

MatrixSpec random_spec(Random& random) {
  MatrixSpec spec;
  spec.seed = random();
  const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 3000);
  switch (random() % 5) {
    case 0:
      spec.kind = "poisson2d";
      spec.parameters = {.size = static_cast<double>(2 + random() % 60)};
      break;
    case 1:
      spec.kind = "banded";
      spec.rows = n + 10;
      spec.parameters = {.bandwidth = static_cast<double>(1 + random() % 9)};
      break;
    case 2:
      spec.kind = "powerlaw";
      spec.rows = n + 50;
      spec.row_length = 1 + static_cast<double>(random() % 20);
      break;
    case 3:
      spec.kind = "blocks";
      spec.rows = 3 * (30 + n / 3);
      spec.row_length = 6 + static_cast<double>(random() % 20);
      break;
    default:
      spec.kind = "normal";
      spec.rows = n + 20;
      spec.row_length = 1 + static_cast<double>(random() % 12);
  }
  return spec;
}

std::vector<std::string> host_kernels() {
  std::vector<std::string> kernels;
  for (const Kernel& kernel : kernel_table())
    if (kernel.on_host) kernels.emplace_back(kernel.name);
  return kernels;
}

void check_product(const Matrix& matrix, const std::string& kernel, int threads, Random& random) {
  std::vector<double> x(static_cast<std::size_t>(matrix.cols())), y(static_cast<std::size_t>(matrix.rows()), NAN);
  for (double& value : x) value = static_cast<double>(random() % 2001) / 1000 - 1;
  try {
    const Plan plan(matrix, one_kernel(matrix, kernel, Precision::double_, threads));
    plan.apply(x, y);
    if (random() % 4 == 0) {
      const Plan copy = plan;
      copy.apply(x, y);
    }
  } catch (const Error& error) {
    // A form that is not for this matrix.
    if (error.code() == ErrorCode::too_large || error.code() == ErrorCode::usage) return;
    return fail(kernel + ": " + error.what());
  }
  const formats::ReferenceProduct reference = formats::reference_product<double>(matrix, x);
  for (std::size_t row = 0; row < y.size(); ++row)
    if (!(std::abs(y[row] - reference.y[row]) <= reference.bound[row]))
      return fail(kernel + " on " + matrix.name() + ", row " + std::to_string(row));
  ++products;
}

void check_files(const Matrix& matrix, const std::filesystem::path& folder, int thread) {
  const auto file = folder / ("m" + std::to_string(thread) + ".mtx");
  write_matrix_market(matrix, file);
  const Matrix again = read_matrix(file);
  const Structure a = analyze(matrix, 1), b = analyze(again, 2);
  if (again.nonzeros() != matrix.nonzeros() || a.row_max != b.row_max || a.row_mean != b.row_mean)
    return fail("what was written is read otherwise: " + matrix.name());
  const std::string text = to_json(a);
  if (to_json(structure_from_json(text, "soak")) != text) return fail("a structure is read otherwise");
  ++files;
}

void library_calls(int thread, std::uint64_t seed, const std::filesystem::path& folder) try {
  Random random(seed + static_cast<std::uint64_t>(thread));
  const std::vector<std::string> kernels = host_kernels();
  while (!over) {
    const Matrix matrix = generate(random_spec(random), 1 + static_cast<int>(random() % 2));
    for (int k = 0; k < 3 && !over; ++k)
      check_product(matrix, kernels[random() % kernels.size()], 1 + static_cast<int>(random() % 4), random);
    if (random() % 3 == 0) check_files(matrix, folder, thread);
  }
} catch (const std::exception& error) {
  fail(std::string("a call failed: ") + error.what());
}

// A question of those that need no calibration, some of them wrong on purpose.
nlohmann::json ask(Random& random, const std::filesystem::path& file, const std::vector<std::string>& kernels) {
  const int threads = 1 + static_cast<int>(random() % 2);
  switch (random() % 7) {
    case 0: return fields::written(info({.matrix = file}));
    case 1: return fields::written(predict({.matrix = file, .device = "nvidia-h100"}));
    case 2: return fields::written(compare({.matrices = {file}, .devices = {"nvidia-h100", "amd-mi300x"}}));
    case 3: return fields::written(catalogue());
    case 4: return fields::written(predict({.matrix = file, .device = wrong_device}));
    case 5: return fields::written(info({.matrix = std::filesystem::path("/dev/zero")}));
    default:
      return fields::written(
          measure({.matrix = file, .kernels = {kernels[random() % kernels.size()]}, .threads = threads}));
  }
}

void ask_questions(std::uint64_t seed, const std::filesystem::path& folder) try {
  Random random(seed);
  const std::filesystem::path file = folder / "c.mtx";
  const std::vector<std::string> kernels = host_kernels();
  write_matrix_market(generate({.kind = "poisson2d", .parameters = {.size = 20}}), file);
  while (!over) {
    try {
      if (ask(random, file, kernels).empty()) fail("an answer without a field");
    } catch (const Error& error) {
      const std::string text = error.what();
      const bool meant = text.find("/dev/zero") != text.npos || text.find(wrong_device) != text.npos;
      if (error.reason().empty() || (!meant && error.code() != ErrorCode::usage)) fail("a question: " + text);
    }
    ++questions;
  }
} catch (const std::exception& error) {
  fail(std::string("a question failed: ") + error.what());
}

double resident_mb() {
  ::malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * 4096 / 1e6;
}

// What was asked for and not freed yet.
double live_mb() {
#ifdef SOAK_UNDER_ADDRESS_SANITIZER
  return static_cast<double>(__sanitizer_get_current_allocated_bytes()) / 1e6;
#else
  const auto all = ::mallinfo2();
  return static_cast<double>(all.uordblks + all.hblkhd) / 1e6;
#endif
}

// Of a tenth of the run. Matrices come and go, so of what lives the least is what stays.
struct Memory {
  double most_resident = 0, least_live = 1e300;
};

bool went_on_growing(const std::array<Memory, 10>& tenths) {
  // The first half fills caches and allocators; from then on memory is to stay where it is.
  double resident = 0, live = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    resident = std::max(resident, tenths[k].most_resident);
    live = std::max(live, tenths[k].least_live);
  }
  return tenths[9].most_resident > 1.25 * resident + 50 || tenths[9].least_live > 1.1 * live + 5;
}

}  // namespace

int main(int argc, char** argv) {
  const double minutes = argc > 1 ? std::atof(argv[1]) : 1;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const base::TemporaryFolder folder;
  ::setenv("SPARSECAST_HOME", (folder.path() / "home").c_str(), 1);
  std::vector<std::thread> threads;
  threads.emplace_back(ask_questions, seed, folder.path());
  for (int t = 0; t < 3; ++t) threads.emplace_back(library_calls, t, seed, folder.path());
  // A process that was stopped for a while (Ctrl-Z) has not run that long: a look every half second, which counts as
  // two seconds at most.
  double ran = 0;
  std::array<Memory, 10> tenths;
  for (std::size_t k = 0; k < tenths.size() && !over; ++k) {
    do {
      const double before = base::now_s();
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      tenths[k].most_resident = std::max(tenths[k].most_resident, resident_mb());
      tenths[k].least_live = std::min(tenths[k].least_live, live_mb());
      ran += std::min(base::now_s() - before, 2.0);
    } while (!over && ran < 6 * minutes * static_cast<double>(k + 1));
    std::printf(
        "%5.1f minutes: %ld products, %ld questions, %ld files; resident at most %.0f MB, in use at least %.1f MB\n",
        ran / 60, products.load(), questions.load(), files.load(), tenths[k].most_resident, tenths[k].least_live);
    std::fflush(stdout);
  }
  const bool whole = !over;
  over = true;
  for (std::thread& thread : threads) thread.join();
  std::printf("%.1f minutes, seed %llu: %ld products, %ld questions, %ld files\n", ran / 60,
              static_cast<unsigned long long>(seed), products.load(), questions.load(), files.load());
  if (whole && went_on_growing(tenths)) fail("memory went on growing");
  return wrong ? 1 : 0;
}
