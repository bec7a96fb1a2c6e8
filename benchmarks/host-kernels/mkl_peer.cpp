// MKL is loaded at run time from the virtual environment that the run script makes, so that the benchmark builds
// without it. The declarations below are those of MKL's reference manual, "Inspector-executor Sparse BLAS Routines"
// (LP64).

#include <dlfcn.h>

#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

#include "peers.hpp"

namespace sparsecast::bench {
namespace {

struct MatrixDescription {
  int type, mode, diag;
};
constexpr int success = 0, no_transpose = 10, general = 20, index_base_zero = 0, gnu_threading = 3, lp64 = 0;

using Handle = void*;
using CreateCsr = int (*)(Handle*, int base, int rows, int cols, int* rows_start, int* rows_end, int* columns,
                          double* values);
using SetMvHint = int (*)(Handle, int operation, MatrixDescription, int calls);
using Optimize = int (*)(Handle);
using Mv = int (*)(int operation, double alpha, Handle, MatrixDescription, const double* x, double beta, double* y);
using Destroy = int (*)(Handle);
using SetNumber = int (*)(int);

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

std::optional<Contestant> mkl_peer(const Matrix& matrix, std::span<const double> x, int threads,
                                   const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "without MKL: %s\n", dlerror());
    return std::nullopt;
  }
  const auto create = symbol<CreateCsr>(library, "mkl_sparse_d_create_csr");
  const auto hint = symbol<SetMvHint>(library, "mkl_sparse_set_mv_hint");
  const auto optimize = symbol<Optimize>(library, "mkl_sparse_optimize");
  const auto multiply = symbol<Mv>(library, "mkl_sparse_d_mv");
  const auto destroy = symbol<Destroy>(library, "mkl_sparse_destroy");
  symbol<SetNumber>(library, "MKL_Set_Interface_Layer")(lp64);
  symbol<SetNumber>(library, "MKL_Set_Threading_Layer")(gnu_threading);
  symbol<SetNumber>(library, "MKL_Set_Num_Threads")(threads);

  struct Product {
    Matrix keep;
    std::vector<double> x, y;
    Handle handle = nullptr;
    Destroy destroy;
    ~Product() { destroy(handle); }
  };
  auto product = std::make_shared<Product>(Product{
      matrix, {x.begin(), x.end()}, std::vector<double>(static_cast<std::size_t>(matrix.rows())), nullptr, destroy});
  constexpr MatrixDescription description{general, 0, 0};
  int status = matrix.visit([&](const auto& csr) {
    if constexpr (std::is_same_v<std::decay_t<decltype(csr)>, CsrSpans<double, std::int32_t, std::int32_t>>) {
      auto* pointers = const_cast<int*>(csr.row_pointers.data());
      return create(&product->handle, index_base_zero, static_cast<int>(csr.rows), static_cast<int>(csr.cols), pointers,
                    pointers + 1, const_cast<int*>(csr.column_indices.data()), const_cast<double*>(csr.values.data()));
    } else {
      return 1;
    }
  });
  if (status == success) status = hint(product->handle, no_transpose, description, 100'000);
  if (status == success) status = optimize(product->handle);
  if (status != success) {
    std::fprintf(stderr, "without MKL: status %d\n", status);
    return std::nullopt;
  }
  return Contestant{"mkl", matrix.bytes(),
                    [product, multiply](int times) {
                      const double start = now();
                      for (int i = 0; i < times; ++i)
                        multiply(no_transpose, 1.0, product->handle, description, product->x.data(), 0.0,
                                 product->y.data());
                      return now() - start;
                    },
                    [product] { return std::accumulate(product->y.begin(), product->y.end(), 0.0); }};
}

}  // namespace sparsecast::bench
