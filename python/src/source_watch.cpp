#include "source_watch.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>

#include "sample.hpp"

namespace sparsecast::python {

void refuse_changed(Change change) {
  throw Error(ErrorCode::usage, "the matrix was changed after it was planned", {},
              change == Change::values ? "update_values(A) takes its new values" : "plan(A) plans it as it is now");
}

SourceWatch::Weak::Weak(nb::handle object) {
  if (PyObject* const made = PyWeakref_NewRef(object.ptr(), nullptr)) {
    held_ = nb::steal(made);
    weak_ = true;
    return;
  }
  PyErr_Clear();
  held_ = nb::borrow(object);
}

nb::object SourceWatch::Weak::get() const {
  if (!held_.is_valid()) return nb::none();
  if (!weak_) return held_;
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX >= 0x030D0000
  PyObject* object = nullptr;
  return PyWeakref_GetRef(held_.ptr(), &object) > 0 ? nb::steal(object) : nb::none();
#else
  return nb::borrow(PyWeakref_GetObject(held_.ptr()));
#endif
}

SourceWatch::SourceWatch(const nb::object& source, const std::vector<WatchedArray>& arrays, nb::object probe,
                         nb::object compare)
    : source_(source.is_none() ? Weak() : Weak(source)), probe_(std::move(probe)), compare_(std::move(compare)) {
  take(source, arrays);
}

SourceWatch::Part SourceWatch::part_of(const WatchedArray& watched) {
  const auto& [name, place, object, sampled] = watched;
  if (!PyArray_Check(object.ptr())) throw Error(ErrorCode::usage, "what is watched is no array");
  PyArrayObject* const array = as_array(object);
  nb::handle owner = object;
  while (PyArray_BASE(as_array(owner)) != nullptr && PyArray_Check(PyArray_BASE(as_array(owner))))
    owner = PyArray_BASE(as_array(owner));
  const nb::handle beyond = PyArray_BASE(as_array(owner));
  const int dimensions = PyArray_NDIM(array);
  Part part{.name = name ? nb::steal(PyUnicode_InternFromString(name->c_str())) : nb::none(),
            .place = place,
            .array = Weak(object),
            .memory = Weak(beyond.is_valid() ? beyond : owner),
            .dtype = nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(array))),
            .data = static_cast<const char*>(PyArray_DATA(array)),
            .shape = {PyArray_DIMS(array), PyArray_DIMS(array) + dimensions},
            .strides = {PyArray_STRIDES(array), PyArray_STRIDES(array) + dimensions},
            .sampled = sampled && PyArray_ITEMSIZE(array) <= 16,
            .sample = 0};
  if (part.sampled) part.sample = sample_of(part);
  return part;
}

std::uint64_t SourceWatch::sample_of(const Part& part) noexcept {
  std::size_t count = 1;
  for (const npy_intp size : part.shape) count *= static_cast<std::size_t>(size);
  const auto bytes = static_cast<std::size_t>(PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(part.dtype.ptr())));
  return sample_entries(count, bytes, [&](std::size_t i) {
    const char* at = part.data;
    for (std::size_t k = part.shape.size(); k-- > 0;) {
      const auto size = static_cast<std::size_t>(part.shape[k]);
      at += static_cast<npy_intp>(i % size) * part.strides[k];
      i /= size;
    }
    return at;
  });
}

// The attribute is the array that it was, of the same type and size.
bool SourceWatch::holds(nb::handle source, const Part& part) {
  nb::object now = nb::steal(PyObject_GetAttr(source.ptr(), part.name.ptr()));
  if (now.is_valid() && part.place >= 0) now = nb::steal(PySequence_GetItem(now.ptr(), part.place));
  if (!now.is_valid()) {
    PyErr_Clear();
    return false;
  }
  if (!now.is(part.array.get())) return false;
  PyArrayObject* const array = as_array(now);
  return PyArray_DATA(array) == part.data && reinterpret_cast<PyObject*>(PyArray_DESCR(array)) == part.dtype.ptr() &&
         std::equal(part.shape.begin(), part.shape.end(), PyArray_DIMS(array),
                    PyArray_DIMS(array) + PyArray_NDIM(array));
}

void SourceWatch::take(nb::handle source, const std::vector<WatchedArray>& arrays) {
  std::vector<Part> parts;
  for (const WatchedArray& array : arrays) parts.push_back(part_of(array));
  std::int64_t probed = 0;
  if (!probe_.is_none() && !source.is_none()) probed = nb::cast<std::int64_t>(probe_(source));
  shape_ = source.is_none() ? nb::none() : nb::getattr(source, "_shape", nb::none());
  parts_ = std::move(parts);
  probed_ = probed;
}

bool SourceWatch::as_it_was(nb::handle source) const {
  static PyObject* const shape_name = PyUnicode_InternFromString("_shape");
  if (!source.is_none()) {
    for (const Part& part : parts_)
      if (!part.name.is_none() && !holds(source, part)) return false;
    if (!shape_.is_none()) {
      const nb::object shape = nb::steal(PyObject_GetAttr(source.ptr(), shape_name));
      if (!shape.is_valid()) PyErr_Clear();
      if (!shape.is(shape_) && (!shape.is_valid() || !shape.equal(shape_))) return false;
    }
    if (!probe_.is_none() && nb::cast<std::int64_t>(probe_(source)) != probed_) return false;
  }
  return std::ranges::all_of(parts_, [](const Part& part) {
    if (!part.sampled) return true;
    const nb::object alive = part.memory.get();
    return alive.is_none() || sample_of(part) == part.sample;
  });
}

void SourceWatch::compare_with(const nb::object& source) {
  if (source.is_none()) refuse_changed(Change::values);
  const nb::object found = compare_(source);
  std::string_view said;
  if (nb::try_cast(found, said)) refuse_changed(said == "values" ? Change::values : Change::pattern);
  take(source, nb::cast<std::vector<WatchedArray>>(found));
}

void SourceWatch::look() {
  const nb::ft_lock_guard turn(turn_);
  const nb::object source = source_.get();
  if (!as_it_was(source)) compare_with(source);
}

void SourceWatch::compare() {
  const nb::ft_lock_guard turn(turn_);
  const nb::object source = source_.get();
  if (!source.is_none()) {
    compare_with(source);
  } else if (!as_it_was(source)) {
    refuse_changed(Change::values);
  }
}

}  // namespace sparsecast::python
