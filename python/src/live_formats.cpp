#include "live_formats.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <vector>

#include "result_memory.hpp"

namespace sparsecast::python {
namespace {

// Values for which another thread is worth waking: as many as take it some microseconds.
constexpr std::int64_t of_a_thread = 20'000;

// After fork() a child's main thread is allowed one (use_one_thread of module.cpp): it has none of the others.
int parts_for(std::int64_t values) {
  return static_cast<int>(std::min<std::int64_t>(omp_get_max_threads(), 1 + values / of_a_thread));
}

template <class Work>
void for_each_of(int parts, const Work& work) {
  if (parts <= 1) return work(0);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) work(part);
}

std::int64_t begin_of(std::int64_t count, int part, int parts) {
  return count / parts * part + count % parts * part / parts;
}

bool is_entries(nb::handle object, int dimensions) {
  return PyArray_Check(object.ptr()) && PyArray_NDIM(as_array(object)) == dimensions &&
         PyArray_ISBEHAVED_RO(as_array(object)) && PyArray_IS_C_CONTIGUOUS(as_array(object));
}

template <class Entry>
const Entry* data_of(nb::handle object) {
  return static_cast<const Entry*>(PyArray_DATA(as_array(object)));
}

// Calls f with the types of the values and of the indices; NotImplemented where these are none of ours or not alike.
template <class F>
nb::object by_types(nb::handle values, nb::handle x, nb::handle some, nb::handle others, const F& f) {
  const int value = PyArray_TYPE(as_array(values)), index = PyArray_TYPE(as_array(some));
  const auto is = [](int type, auto entry) { return PyArray_EquivTypenums(type, type_number<decltype(entry)>) != 0; };
  if (PyArray_TYPE(as_array(x)) == value && PyArray_TYPE(as_array(others)) == index) {
    const auto with_index = [&](auto entry) {
      if (is(index, std::int32_t{})) return f(entry, std::int32_t{});
      if (is(index, std::int64_t{})) return f(entry, std::int64_t{});
      return nb::borrow(Py_NotImplemented);
    };
    if (is(value, double{})) return with_index(double{});
    if (is(value, float{})) return with_index(float{});
    if (is(value, std::complex<double>{})) return with_index(std::complex<double>{});
    if (is(value, std::complex<float>{})) return with_index(std::complex<float>{});
  }
  return nb::borrow(Py_NotImplemented);
}

// Without the detour for NaN that C++ takes: SciPy multiplies so too.
template <class Value>
void add_product(Value& sum, Value a, Value x) {
  if constexpr (requires { a.real(); }) {
    sum += Value(a.real() * x.real() - a.imag() * x.imag(), a.real() * x.imag() + a.imag() * x.real());
  } else {
    sum += a * x;
  }
}

template <class Value, class Index>
struct Coo {
  std::int64_t rows, count;
  const Index *row, *column;
  const Value *values, *x;

  // The first row of a part may be the last of the part before: its sum is added afterwards. False: rows out of order,
  // of which parts may have written the same; nobody reads that.
  bool multiply(Value* y) const {
    if (count == 0) return std::fill_n(y, rows, Value{}), true;
    if (row[0] < 0 || row[count - 1] >= rows) return false;
    const int parts = parts_for(count);
    std::vector<Value> first(static_cast<std::size_t>(parts));
    std::atomic<bool> in_order = true;
    for_each_of(parts, [&](int part) {
      const std::int64_t begin = begin_of(count, part, parts), end = begin_of(count, part + 1, parts);
      // From the row after the last one of the part before to the last one of this: zero, but for what is summed here.
      std::int64_t next = part == 0 ? 0 : std::int64_t{row[begin - 1]} + 1;
      const std::int64_t shared = next - 1;
      if (next < 0) return in_order.store(false, std::memory_order_relaxed);
      for (std::int64_t k = begin; k < end;) {
        const std::int64_t here = row[k];
        if (here >= rows || (here < next && here != shared)) return in_order.store(false, std::memory_order_relaxed);
        Value sum{};
        for (; k < end && row[k] == here; ++k) add_product(sum, values[k], x[column[k]]);
        if (here == shared && next == shared + 1) {
          first[part] += sum;
          if (k < end && row[k] <= shared) return in_order.store(false, std::memory_order_relaxed);
          continue;
        }
        if (here < next) return in_order.store(false, std::memory_order_relaxed);
        while (next < here) y[next++] = Value{};
        y[next++] = sum;
      }
      if (part == parts - 1)
        while (next < rows) y[next++] = Value{};
    });
    if (!in_order) return false;
    for (int part = 1; part < parts; ++part) y[row[begin_of(count, part, parts) - 1]] += first[part];
    return true;
  }
};

template <class Value, class Index>
struct Bsr {
  std::int64_t block_rows, height, width;
  const Index *row_pointers, *columns;
  const Value *values, *x;

  void multiply(Value* y) const {
    const std::int64_t entries = block_rows == 0 ? 0 : std::int64_t{row_pointers[block_rows]} * height * width;
    const int parts = parts_for(entries);
    for_each_of(parts, [&](int part) {
      const auto begin = row_of(part, parts), end = row_of(part + 1, parts);
      if (height == width) {
        switch (height) {
          case 2: return square<2>(begin, end, y);
          case 3: return square<3>(begin, end, y);
          case 4: return square<4>(begin, end, y);
          case 6: return square<6>(begin, end, y);
          case 8: return square<8>(begin, end, y);
          default: break;
        }
      }
      any(begin, end, y);
    });
  }

 private:
  // Block rows with as many blocks to each part.
  std::int64_t row_of(int part, int parts) const {
    if (part == parts) return block_rows;
    const std::int64_t blocks = row_pointers[block_rows];
    return std::lower_bound(row_pointers, row_pointers + block_rows,
                            static_cast<Index>(begin_of(blocks, part, parts))) -
           row_pointers;
  }
  template <int size>
  void square(std::int64_t begin, std::int64_t end, Value* y) const {
    for (std::int64_t row = begin; row < end; ++row) {
      Value sums[size]{};
      for (auto k = row_pointers[row]; k < row_pointers[row + 1]; ++k) {
        const Value* const block = values + static_cast<std::int64_t>(k) * size * size;
        const Value* const at = x + static_cast<std::int64_t>(columns[k]) * size;
        for (int i = 0; i < size; ++i)
          for (int j = 0; j < size; ++j) add_product(sums[i], block[i * size + j], at[j]);
      }
      std::copy_n(sums, size, y + row * size);
    }
  }
  void any(std::int64_t begin, std::int64_t end, Value* y) const {
    for (std::int64_t row = begin; row < end; ++row) {
      Value* const sums = y + row * height;
      std::fill_n(sums, height, Value{});
      for (auto k = row_pointers[row]; k < row_pointers[row + 1]; ++k) {
        const Value* const block = values + static_cast<std::int64_t>(k) * height * width;
        const Value* const at = x + static_cast<std::int64_t>(columns[k]) * width;
        for (std::int64_t i = 0; i < height; ++i)
          for (std::int64_t j = 0; j < width; ++j) add_product(sums[i], block[i * width + j], at[j]);
      }
    }
  }
};

}  // namespace

nb::object multiply_coo(std::int64_t rows, nb::handle row, nb::handle column, nb::handle values, nb::handle x) {
  const nb::object unlike = nb::borrow(Py_NotImplemented);
  if (rows < 0 || !is_entries(row, 1) || !is_entries(column, 1) || !is_entries(values, 1) || !is_entries(x, 1))
    return unlike;
  const npy_intp count = PyArray_DIM(as_array(values), 0);
  if (PyArray_DIM(as_array(row), 0) != count || PyArray_DIM(as_array(column), 0) != count) return unlike;
  return by_types(values, x, row, column, [&]<class Value, class Index>(Value, Index) -> nb::object {
    nb::object y = new_result(rows, -1, type_number<Value>);
    const Coo<Value, Index> coo{
        rows, count, data_of<Index>(row), data_of<Index>(column), data_of<Value>(values), data_of<Value>(x)};
    Value* const sums = entries_of<Value>(y).data();
    bool in_order = false;
    {
      const nb::gil_scoped_release others_may_run;
      in_order = coo.multiply(sums);
    }
    return in_order ? y : unlike;
  });
}

nb::object multiply_bsr(nb::handle row_pointers, nb::handle columns, nb::handle values, nb::handle x) {
  const nb::object unlike = nb::borrow(Py_NotImplemented);
  if (!is_entries(row_pointers, 1) || !is_entries(columns, 1) || !is_entries(values, 3) || !is_entries(x, 1))
    return unlike;
  const npy_intp* const sizes = PyArray_DIMS(as_array(values));
  const std::int64_t block_rows = PyArray_DIM(as_array(row_pointers), 0) - 1;
  if (block_rows < 0 || PyArray_DIM(as_array(columns), 0) != sizes[0] || sizes[2] == 0) return unlike;
  return by_types(values, x, row_pointers, columns, [&]<class Value, class Index>(Value, Index) -> nb::object {
    const Bsr<Value, Index> bsr{block_rows,
                                sizes[1],
                                sizes[2],
                                data_of<Index>(row_pointers),
                                data_of<Index>(columns),
                                data_of<Value>(values),
                                data_of<Value>(x)};
    if (bsr.row_pointers[block_rows] > sizes[0]) return unlike;
    nb::object y = new_result(block_rows * sizes[1], -1, type_number<Value>);
    Value* const sums = entries_of<Value>(y).data();
    const nb::gil_scoped_release others_may_run;
    bsr.multiply(sums);
    return y;
  });
}

}  // namespace sparsecast::python
