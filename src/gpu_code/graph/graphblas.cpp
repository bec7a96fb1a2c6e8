#include "gpu_code/graph/graphblas.hpp"

#include <fmt/format.h>
#include <new>
#include <sparsecast/error.hpp>

#ifdef SPARSECAST_GRAPHBLAS
extern "C" {
#include <GraphBLAS.h>
}
#endif

namespace sparsecast::gpu_code::graphblas {
#ifdef SPARSECAST_GRAPHBLAS
namespace {
void check(GrB_Info info) {
  if (info == GrB_OUT_OF_MEMORY) throw std::bad_alloc();
  if (info != GrB_SUCCESS && info != GrB_NO_VALUE)
    throw Error(ErrorCode::failed, fmt::format("GraphBLAS failed with code {}", static_cast<int>(info)), {},
                "the longest path gives the same time without it");
}

// GraphBLAS is started once in a process and lives until its end. A program that uses it itself has started it: to call
// it again with a mode that exists is an invalid value then, and nothing else is.
void start() {
  static const GrB_Info info = GrB_init(GrB_NONBLOCKING);
  if (info != GrB_INVALID_VALUE) check(info);
}

struct Matrix {
  GrB_Matrix handle = nullptr;
  Matrix(std::size_t size, std::span<const MaxPlusEntry> entries) {
    std::vector<GrB_Index> rows, cols;
    std::vector<double> values;
    for (const auto& e : entries) {
      rows.push_back(static_cast<GrB_Index>(e.row));
      cols.push_back(static_cast<GrB_Index>(e.col));
      values.push_back(e.value);
    }
    check(GrB_Matrix_new(&handle, GrB_FP64, size, size));
    check(GrB_Matrix_build_FP64(handle, rows.data(), cols.data(), values.data(), values.size(), GrB_MAX_FP64));
  }
  ~Matrix() { GrB_Matrix_free(&handle); }
  Matrix& operator=(Matrix&&) = delete;  // nor copied
};

struct Vector {
  GrB_Vector handle = nullptr;
  explicit Vector(std::size_t size) { check(GrB_Vector_new(&handle, GrB_FP64, size)); }
  ~Vector() { GrB_Vector_free(&handle); }
  Vector& operator=(Vector&&) = delete;  // nor copied
};
}  // namespace

bool available() noexcept { return true; }
const char* version() noexcept { return GxB_IMPLEMENTATION_NAME; }

std::vector<double> apply_power(std::span<const MaxPlusEntry> a, std::int64_t m, std::span<const double> x) {
  start();
  const Matrix matrix(x.size(), a);
  Vector vector(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != epsilon) check(GrB_Vector_setElement_FP64(vector.handle, x[i], i));
  GrB_Index count = 1;
  for (std::int64_t step = 0; step < m && count > 0; ++step) {
    check(
        GrB_mxv(vector.handle, nullptr, nullptr, GrB_MAX_PLUS_SEMIRING_FP64, matrix.handle, vector.handle, GrB_DESC_R));
    check(GrB_Vector_nvals(&count, vector.handle));
  }
  std::vector<GrB_Index> indices(x.size());
  std::vector<double> values(x.size()), y(x.size(), epsilon);
  count = x.size();
  check(GrB_Vector_extractTuples_FP64(indices.data(), values.data(), &count, vector.handle));
  for (std::size_t i = 0; i < count; ++i) y[indices[i]] = values[i];
  return y;
}

#else
namespace {
[[noreturn]] void missing() {
  throw Error(ErrorCode::unavailable, "the matrix form needs SuiteSparse:GraphBLAS, which this build does not have", {},
              "install libgraphblas-dev and build again; the longest path gives the same time without it");
}
}  // namespace

bool available() noexcept { return false; }
const char* version() noexcept { return ""; }
std::vector<double> apply_power(std::span<const MaxPlusEntry>, std::int64_t, std::span<const double>) { missing(); }
#endif
}  // namespace sparsecast::gpu_code::graphblas
