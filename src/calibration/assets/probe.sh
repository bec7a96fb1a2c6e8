#!/bin/sh
# Times products of made matrices on this machine, for forecasts of it elsewhere: sh THIS [FILE [cuda|hip|host]]
# It needs a C++ compiler, and for a GPU, the first that is there, nvcc (cuSPARSE) or hipcc (hipSPARSE). FILE is a table
# for `sparsecast predict --device NAME --anchors FILE`.
set -eu
file=${1:-products.tsv}
kind=${2:-}
if [ -z "$kind" ]; then
  if command -v nvcc > /dev/null && nvidia-smi -L > /dev/null 2>&1; then kind=cuda
  elif command -v hipcc > /dev/null && [ -e /dev/kfd ]; then kind=hip
  else kind=host; fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/matrices" <<'MATRICES'
@MATRICES@
MATRICES
cat > "$work/products.cpp" <<'PROGRAM'
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

struct Csr {
  int rows = 0;
  std::vector<int> starts, columns;
  std::vector<double> values;
};

// Rows of one length about the diagonal, every stride-th column.
Csr band(int rows, int length, int stride) {
  Csr a;
  a.rows = rows;
  a.starts.push_back(0);
  const int wide = (length - 1) * stride;
  for (int i = 0; i < rows; ++i) {
    const int first = std::max(0, std::min(i - wide / 2, rows - 1 - wide));
    for (int k = 0; k < length; ++k) a.columns.push_back(first + k * stride);
    a.starts.push_back((int)a.columns.size());
  }
  a.values.assign(a.columns.size(), 1.0);
  return a;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Median of seven blocks; the products of a block are waited for together.
void time_products(const std::string& head, const char* kernel, const std::function<void()>& product,
                   const std::function<void()>& wait) {
  const auto block = [&](int products) {
    const double start = now();
    for (int i = 0; i < products; ++i) product();
    wait();
    return (now() - start) / products;
  };
  block(3);
  const int products = (int)std::max(10.0, std::min(1000.0, 0.01 / block(3)));
  std::vector<double> times;
  for (int i = 0; i < 7; ++i) times.push_back(block(products));
  std::sort(times.begin(), times.end());
  std::printf("%s\t%s\t%d\t%.4g\n", head.c_str(), kernel, products, times[3]);
  std::fflush(stdout);
}

void check(const std::vector<double>& y, double length) {
  for (const double value : y)
    if (value != length) {
      std::fprintf(stderr, "a product is wrong: %g, not %g\n", value, length);
      std::exit(1);
    }
}

#if defined(WITH_CUDA) || defined(WITH_HIP)
#ifdef WITH_CUDA
#include <cuda_runtime.h>
#include <cusparse.h>
#define GPU(name) cuda##name
#define LIB(name) cusparse##name
#define OF_LIB(name) CUSPARSE_##name
#define REAL CUDA_R_64F
#define NAME "cusparse"
#else
#include <hip/hip_runtime.h>
#include <hipsparse.h>
#define GPU(name) hip##name
#define LIB(name) hipsparse##name
#define OF_LIB(name) HIPSPARSE_##name
#define REAL HIP_R_64F
#define NAME "hipsparse"
#endif

void must(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s failed: status %d\n", what, status);
  std::exit(1);
}

template <class T>
T* on_device(const std::vector<T>& data) {
  void* there = nullptr;
  must(GPU(Malloc)(&there, data.size() * sizeof(T)), "allocating");
  must(GPU(Memcpy)(there, data.data(), data.size() * sizeof(T), GPU(MemcpyHostToDevice)), "copying");
  return (T*)there;
}

void measure(const Csr& a, const std::string& head, double length) {
  std::vector<int> row_of;
  for (int i = 0; i < a.rows; ++i) row_of.insert(row_of.end(), (size_t)length, i);
  std::vector<double> y((size_t)a.rows), x((size_t)a.rows, 1.0);
  int *starts = on_device(a.starts), *columns = on_device(a.columns), *rows = on_device(row_of);
  double *values = on_device(a.values), *dx = on_device(x), *dy = on_device(y);
  const auto nonzeros = (int64_t)a.columns.size();
  const double one = 1, zero = 0;
  LIB(Handle_t) handle;
  must(LIB(Create)(&handle), "starting " NAME);
  LIB(DnVecDescr_t) vx, vy;
  must(LIB(CreateDnVec)(&vx, a.rows, dx, REAL), "a vector");
  must(LIB(CreateDnVec)(&vy, a.rows, dy, REAL), "a vector");
  for (const bool coo : {false, true}) {
    LIB(SpMatDescr_t) matrix;
    must(coo ? LIB(CreateCoo)(&matrix, a.rows, a.rows, nonzeros, rows, columns, values, OF_LIB(INDEX_32I),
                              OF_LIB(INDEX_BASE_ZERO), REAL)
             : LIB(CreateCsr)(&matrix, a.rows, a.rows, nonzeros, starts, columns, values, OF_LIB(INDEX_32I),
                              OF_LIB(INDEX_32I), OF_LIB(INDEX_BASE_ZERO), REAL), "a matrix");
    const auto kind = coo ? OF_LIB(SPMV_COO_ALG1) : OF_LIB(SPMV_CSR_ALG1);
    size_t bytes = 0;
    must(LIB(SpMV_bufferSize)(handle, OF_LIB(OPERATION_NON_TRANSPOSE), &one, matrix, vx, &zero, vy, REAL, kind,
                              &bytes), "asking for a buffer");
    char* buffer = on_device(std::vector<char>(std::max(bytes, (size_t)1)));
    time_products(head, coo ? NAME "-coo" : NAME "-csr", [&] {
      must(LIB(SpMV)(handle, OF_LIB(OPERATION_NON_TRANSPOSE), &one, matrix, vx, &zero, vy, REAL, kind, buffer),
           "a product");
    }, [&] { must(GPU(DeviceSynchronize)(), "waiting"); });
    must(GPU(Memcpy)(y.data(), dy, y.size() * sizeof(double), GPU(MemcpyDeviceToHost)), "copying");
    check(y, length);
    LIB(DestroySpMat)(matrix);
    must(GPU(Free)(buffer), "freeing");
  }
  LIB(DestroyDnVec)(vx);
  LIB(DestroyDnVec)(vy);
  LIB(Destroy)(handle);
  for (void* one_of : {(void*)starts, (void*)columns, (void*)rows, (void*)values, (void*)dx, (void*)dy})
    must(GPU(Free)(one_of), "freeing");
}
#else
void measure(const Csr& a, const std::string& head, double length) {
  std::vector<double> y((size_t)a.rows), x((size_t)a.rows, 1.0);
  time_products(head, "csr", [&] {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < a.rows; ++i) {
      double sum = 0;
      for (int k = a.starts[(size_t)i]; k < a.starts[(size_t)i + 1]; ++k)
        sum += a.values[(size_t)k] * x[(size_t)a.columns[(size_t)k]];
      y[(size_t)i] = sum;
    }
  }, [] {});
  check(y, length);
}
#endif

int main() {
  std::string head;
  std::getline(std::cin, head);
  std::printf("%s\tkernel\trepetitions\tseconds\n", head.c_str());
  while (std::getline(std::cin, head)) {
    int rows = 0, length = 0, stride = 0;
    if (std::sscanf(head.c_str(), "band-%d-%d-%d", &rows, &length, &stride) != 3) return 1;
    measure(band(rows, length, stride), head, length);
  }
}
PROGRAM
cd "$work"
case $kind in
  cuda) nvcc -O3 -std=c++17 -DWITH_CUDA -o products products.cpp -lcusparse ;;
  hip) hipcc -O3 -std=c++17 -DWITH_HIP -o products products.cpp -lhipsparse ;;
  *) "${CXX:-c++}" -O3 -std=c++17 -fopenmp -o products products.cpp ;;
esac
cd "$OLDPWD"
"$work/products" < "$work/matrices" > "$work/times"
cp "$work/times" "$file"
echo "$(($(wc -l < "$file") - 1)) products ($kind) in $file: sparsecast predict MATRIX --device NAME --anchors $file"
