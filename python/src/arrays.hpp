#pragma once
// NumPy's arrays by NumPy's own C interface: a call on a tiny matrix takes less time than two conversions by way of
// DLPack would.

#include <nanobind/nanobind.h>

#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL sparsecast_numpy
#ifndef SPARSECAST_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <numpy/arrayobject.h>
#pragma GCC diagnostic pop

namespace sparsecast::python {

namespace nb = nanobind;

template <class Value>
inline constexpr int type_number = std::is_same_v<Value, double>                 ? NPY_DOUBLE
                                   : std::is_same_v<Value, float>                ? NPY_FLOAT
                                   : std::is_same_v<Value, std::complex<double>> ? NPY_CDOUBLE
                                   : std::is_same_v<Value, std::complex<float>>  ? NPY_CFLOAT
                                   : std::is_same_v<Value, std::int32_t>         ? NPY_INT32
                                                                                 : NPY_INT64;

inline PyArrayObject* as_array(nb::handle object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

/// An array of that type whose entries lie as C has them, aligned and in the machine's byte order.
template <class Value>
bool is_array_of(nb::handle object, int dimensions) {
  if (!PyArray_Check(object.ptr())) return false;
  PyArrayObject* array = as_array(object);
  return PyArray_NDIM(array) == dimensions && PyArray_EquivTypenums(PyArray_TYPE(array), type_number<Value>) != 0 &&
         PyArray_ISBEHAVED_RO(array);
}

/// The entries of a vector without gaps; empty data() where it is none of that type.
template <class Value>
bool vector_of(nb::handle object, std::span<const Value>& entries) {
  if (!is_array_of<Value>(object, 1) || !PyArray_IS_C_CONTIGUOUS(as_array(object))) return false;
  entries = {static_cast<const Value*>(PyArray_DATA(as_array(object))),
             static_cast<std::size_t>(PyArray_DIM(as_array(object), 0))};
  return true;
}

template <class Value>
std::span<Value> entries_of(nb::handle array) {
  return {static_cast<Value*>(PyArray_DATA(as_array(array))), static_cast<std::size_t>(PyArray_SIZE(as_array(array)))};
}

}  // namespace sparsecast::python
