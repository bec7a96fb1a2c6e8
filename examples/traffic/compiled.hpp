#pragma once
// What the compiled twins of the MATLAB prototypes share: arrays, the five-point operator, one loop per vector
// operation.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace compiled {

// Arrays start at different places of a cache: several of the same size, each a multiple of the cache, would otherwise
// all compete for the same lines, which says something of the allocator and nothing of the algorithm.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size, T value = T()) : size_(size) {
    static std::size_t number = 0;
    constexpr std::size_t cache = 32768;
    const std::size_t shift = (++number * 3392) % cache;
    storage_.resize(size * sizeof(T) + 2 * cache);
    const auto start = reinterpret_cast<std::uintptr_t>(storage_.data());
    data_ = reinterpret_cast<T*>((start + cache - 1) / cache * cache + shift);
    for (std::size_t i = 0; i < size; ++i) data_[i] = value;
  }
  // A copy would share the storage.
  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::vector<char> storage_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
using Vector = Array<double>;

struct Csr {
  std::size_t rows = 0;
  Array<std::int32_t> pointers, columns;
  Vector values;
};

struct Entry {
  std::size_t row, column;
  double value;
};

// Entries must come row by row.
inline Csr make_csr(std::size_t rows, const std::vector<Entry>& entries) {
  Csr a;
  a.rows = rows;
  a.pointers = Array<std::int32_t>(rows + 1, 0);
  a.columns = Array<std::int32_t>(entries.size());
  a.values = Vector(entries.size());
  for (const Entry& e : entries) ++a.pointers[e.row + 1];
  for (std::size_t i = 0; i < rows; ++i) a.pointers[i + 1] += a.pointers[i];
  for (std::size_t k = 0; k < entries.size(); ++k) {
    a.columns[k] = static_cast<std::int32_t>(entries[k].column);
    a.values[k] = entries[k].value;
  }
  return a;
}

// poisson.m; `convection` is added right and subtracted left of the diagonal.
inline Csr poisson(std::size_t nx, std::size_t ny, double scale = 1, double convection = 0) {
  std::vector<Entry> entries;
  for (std::size_t j = 0; j < ny; ++j)
    for (std::size_t i = 0; i < nx; ++i) {
      const std::size_t row = j * nx + i;
      if (j > 0) entries.push_back({row, row - nx, -scale});
      if (i > 0)
        entries.push_back({row, row - 1, -scale - convection});
      else if (convection != 0 && row > 0)
        entries.push_back({row, row - 1, -convection});
      entries.push_back({row, row, 4 * scale});
      if (i + 1 < nx)
        entries.push_back({row, row + 1, -scale + convection});
      else if (convection != 0 && row + 1 < nx * ny)
        entries.push_back({row, row + 1, convection});
      if (j + 1 < ny) entries.push_back({row, row + nx, -scale});
    }
  return make_csr(nx * ny, entries);
}

// f(row, (A x)_row) for every row: y = A x, or what is done with it at once.
template <class F>
void product(const Csr& a, const Vector& x, F&& f) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (std::int32_t k = a.pointers[i]; k < a.pointers[i + 1]; ++k)
      sum +=
          a.values[static_cast<std::size_t>(k)] * x[static_cast<std::size_t>(a.columns[static_cast<std::size_t>(k)])];
    f(i, sum);
  }
}

inline void multiply(const Csr& a, const Vector& x, Vector& y) {
  product(a, x, [&](std::size_t i, double sum) { y[i] = sum; });
}

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The number of iterations from the command line: 0 sets everything up and does nothing.
inline int iterations(int argc, char** argv, int all) { return argc > 1 ? std::atoi(argv[1]) : all; }

// The grid from the command line, behind the iterations.
struct Grid {
  std::size_t nx = 96, ny = 512;
};
inline Grid grid(int argc, char** argv) {
  Grid usual;
  if (argc > 3) usual = {std::strtoul(argv[2], nullptr, 10), std::strtoul(argv[3], nullptr, 10)};
  return usual;
}

}  // namespace compiled
