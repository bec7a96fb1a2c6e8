// MKL is loaded at run time from the virtual environment that the run script makes, so that the benchmark builds
// without it. The declarations below are those of MKL's reference manual, "Inspector-executor Sparse BLAS Routines"
// (LP64).

#include <dlfcn.h>

#include <cstdio>
#include <memory>
#include <numeric>

#include "peers.hpp"

namespace sparsecast::bench {
namespace {

struct MatrixDescription {
  int type, mode, diag;
};
constexpr int success = 0, no_transpose = 10, index_base_zero = 0, gnu_threading = 3, lp64 = 0, row_major = 101;
constexpr int general = 20, symmetric = 21, upper = 41, non_unit = 50;
constexpr int calls = 100'000;

using Handle = void*;
using Destroy = int (*)(Handle);
using SetNumber = int (*)(int);

// The routines that one contestant uses, of the value type's letter.
template <class Value>
struct Routines {
  using CreateCsr = int (*)(Handle*, int base, int rows, int cols, int* rows_start, int* rows_end, int* columns,
                            Value* values);
  using Mv = int (*)(int operation, Value alpha, Handle, MatrixDescription, const Value* x, Value beta, Value* y);
  using Mm = int (*)(int operation, Value alpha, Handle, MatrixDescription, int layout, const Value* x, int columns,
                     int leading_x, Value beta, Value* y, int leading_y);
  using ConvertBsr = int (*)(Handle, int block, int layout, int operation, Handle*);
  using SetMvHint = int (*)(Handle, int operation, MatrixDescription, int calls);
  using SetMmHint = int (*)(Handle, int operation, MatrixDescription, int layout, int columns, int calls);
  using Optimize = int (*)(Handle);

  CreateCsr create = nullptr;
  Mv mv = nullptr;
  Mm mm = nullptr;
  ConvertBsr convert_bsr = nullptr;
  SetMvHint mv_hint = nullptr;
  SetMmHint mm_hint = nullptr;
  Optimize optimize = nullptr;
  Destroy destroy = nullptr;

  explicit Routines(void* library) {
    const std::string letter = sizeof(Value) == 8 ? "d_" : "s_";
    const auto find = [&](auto& routine, const std::string& name) {
      routine = reinterpret_cast<std::decay_t<decltype(routine)>>(dlsym(library, ("mkl_sparse_" + name).c_str()));
    };
    find(create, letter + "create_csr");
    find(mv, letter + "mv");
    find(mm, letter + "mm");
    find(convert_bsr, "convert_bsr");
    find(mv_hint, "set_mv_hint");
    find(mm_hint, "set_mm_hint");
    find(optimize, "optimize");
    find(destroy, "destroy");
  }
};

// The entries on the diagonal and above it.
template <class Value>
struct Triangle {
  std::vector<int> pointers{0}, columns;
  Array<Value> values;

  explicit Triangle(const NarrowCsr<Value>& csr) {
    for (std::size_t row = 0; row + 1 < csr.pointers.size(); ++row) {
      for (int k = csr.pointers[row]; k < csr.pointers[row + 1]; ++k) {
        if (csr.columns[k] < static_cast<int>(row)) continue;
        columns.push_back(csr.columns[k]);
        values.push_back(csr.values[k]);
      }
      pointers.push_back(static_cast<int>(columns.size()));
    }
  }
};

template <class Value>
struct MklProduct {
  MklProduct(const Task<Value>& task, const Routines<Value>& with)
      : routines(with), csr(task.matrix), x(task.x.begin(), task.x.end()), vectors(task.vectors) {
    y.resize(task.rows() * static_cast<std::size_t>(vectors));
  }
  MklProduct(const MklProduct&) = delete;
  MklProduct& operator=(const MklProduct&) = delete;
  ~MklProduct() {
    if (handle != nullptr) routines.destroy(handle);
  }

  int create(std::span<const int> pointers, std::span<const int> columns, std::span<const Value> values) {
    auto* first = const_cast<int*>(pointers.data());
    return routines.create(&handle, index_base_zero, static_cast<int>(csr.keep.rows()),
                           static_cast<int>(csr.keep.cols()), first, first + 1, const_cast<int*>(columns.data()),
                           const_cast<Value*>(values.data()));
  }
  int prepare() {
    const int status = vectors == 1 ? routines.mv_hint(handle, no_transpose, description, calls)
                                    : routines.mm_hint(handle, no_transpose, description, row_major, vectors, calls);
    return status == success ? routines.optimize(handle) : status;
  }
  int multiply() {
    if (vectors == 1) return routines.mv(no_transpose, 1, handle, description, x.data(), 0, y.data());
    return routines.mm(no_transpose, 1, handle, description, row_major, x.data(), vectors, vectors, 0, y.data(),
                       vectors);
  }

  Routines<Value> routines;
  NarrowCsr<Value> csr;
  std::shared_ptr<Triangle<Value>> triangle;
  Array<Value> x, y;
  int vectors;
  Handle handle = nullptr;
  MatrixDescription description{general, 0, 0};
};

enum class Form { csr, blocks, triangle };

template <class Value>
std::shared_ptr<MklProduct<Value>> build(const Task<Value>& task, const Routines<Value>& routines, Form form) {
  auto product = std::make_shared<MklProduct<Value>>(task, routines);
  const NarrowCsr<Value>& csr = product->csr;
  int status = success;
  if (form == Form::triangle) {
    product->triangle = std::make_shared<Triangle<Value>>(csr);
    product->description = {symmetric, upper, non_unit};
    status = product->create(product->triangle->pointers, product->triangle->columns, product->triangle->values);
  } else {
    status = product->create(csr.pointers, csr.columns, csr.values);
  }
  if (form == Form::blocks && status == success) {
    Handle blocks = nullptr;
    status = routines.convert_bsr(product->handle, task.block, row_major, no_transpose, &blocks);
    if (status == success) {
      routines.destroy(product->handle);
      product->handle = blocks;
    }
  }
  if (status == success) status = product->prepare();
  if (status == success) status = product->multiply();
  if (status == success) return product;
  std::fprintf(stderr, "without MKL in one form: status %d\n", status);
  return nullptr;
}

}  // namespace

template <class Value>
std::vector<Contestant> mkl_peers(const Task<Value>& task, const std::string& path) {
  std::vector<Contestant> peers;
  if (path.empty()) return peers;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "without MKL: %s\n", dlerror());
    return peers;
  }
  const auto set = [&](const char* name, int number) { reinterpret_cast<SetNumber>(dlsym(library, name))(number); };
  set("MKL_Set_Interface_Layer", lp64);
  set("MKL_Set_Threading_Layer", gnu_threading);
  set("MKL_Set_Num_Threads", task.threads);
  const Routines<Value> routines(library);
  const auto add = [&](const char* name, Form form) {
    auto product = build(task, routines, form);
    if (product == nullptr) return;
    peers.push_back({name, product->csr.bytes(),
                     [product](int times) {
                       const double start = now();
                       for (int i = 0; i < times; ++i) product->multiply();
                       return now() - start;
                     },
                     [product] { return std::accumulate(product->y.begin(), product->y.end(), 0.0); }});
  };
  add("mkl", Form::csr);
  if (task.block > 1) add("mkl-bsr", Form::blocks);
  if (task.symmetric) add("mkl-sym", Form::triangle);
  return peers;
}
template std::vector<Contestant> mkl_peers(const Task<float>&, const std::string&);
template std::vector<Contestant> mkl_peers(const Task<double>&, const std::string&);

}  // namespace sparsecast::bench
