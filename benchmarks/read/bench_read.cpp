// Times read_matrix, and makes the files to time it on.
//   bench-read FILE THREADS    reads once; prints {"seconds", "cpu_seconds", "bytes", "nonzeros", "matrix_bytes",
//   "peak_bytes"} bench-read make KIND ROWS FILE    writes a matrix with our own writer: banded (27 a row, short
//   values), random (20
//   a
//                                     row at random, 17 digits), symmetric (the lower triangle of banded)
// One reading a process, so that its peak of memory is its own.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <sparsecast/read.hpp>
#include <sparsecast/write.hpp>
#include <string>

namespace {

using sparsecast::Csr;
using sparsecast::Matrix;

/// Resident bytes that are not of files, at their highest: VmHWM counts mapped pages of the file too, so take those
/// off.
double peak_anonymous_bytes(double file_bytes) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 - file_bytes;
}

/// Of all threads, in the program and in the system on its behalf.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Matrix make(const std::string& kind, std::int32_t rows) {
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = csr.cols = rows;
  csr.row_pointers.push_back(0);
  std::mt19937_64 random(1);
  std::normal_distribution<double> value;
  std::vector<std::int32_t> columns;
  for (std::int32_t r = 0; r < rows; ++r) {
    columns.clear();
    if (kind == "random") {
      for (int k = 0; k < 20; ++k)
        columns.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(rows)));
      std::ranges::sort(columns);
      columns.erase(std::ranges::unique(columns).begin(), columns.end());
    } else {
      for (std::int32_t c = std::max(r - 13, 0); c <= std::min(r + 13, rows - 1); ++c) columns.push_back(c);
    }
    for (const std::int32_t c : columns) {
      csr.column_indices.push_back(c);
      csr.values.push_back(kind == "random" ? value(random) : static_cast<double>((r + c) % 1000) / 8);
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return Matrix(std::move(csr), kind);
}

int run(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "make") {
    const std::string kind = argv[2];
    write_matrix_market(make(kind, std::stoi(argv[3])), argv[4], {.symmetric = kind == "symmetric"});
    return 0;
  }
  if (argc != 3) {
    std::fprintf(stderr, "bench-read FILE THREADS, or bench-read make banded|random|symmetric ROWS FILE\n");
    return 2;
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(argv[1]));
  const double before = peak_anonymous_bytes(0);
  const double cpu_before = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  const Matrix matrix = sparsecast::read_matrix(argv[1], {.threads = std::stoi(argv[2])});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double cpu = cpu_seconds() - cpu_before;
  fmt::print(
      R"({{"seconds": {}, "cpu_seconds": {}, "bytes": {}, "nonzeros": {}, "matrix_bytes": {}, "peak_bytes": {}}})"
      "\n",
      seconds.count(), cpu, bytes, matrix.nonzeros(), matrix.bytes(), peak_anonymous_bytes(bytes) - before);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
