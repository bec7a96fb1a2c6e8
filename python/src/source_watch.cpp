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
  if (!PyArray_Check(object.ptr())) throw Error(ErrorCode::usage, "what is watched is not an array");
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
            .sampled = sampled,
            .sample = 0};
  if (part.sampled) part.sample = sample_of(part);
  return part;
}

template <std::size_t bytes>
std::uint64_t SourceWatch::sample_of(const Part& part) noexcept {
  std::size_t count = 1;
  bool gapless = true;  // as C has it
  for (std::size_t k = part.shape.size(); k-- > 0;) {
    gapless = gapless && part.strides[k] == static_cast<npy_intp>(count * bytes);
    count *= static_cast<std::size_t>(part.shape[k]);
  }
  if (gapless) return sample_entries(count, [&](std::size_t i) { return bits_of<bytes>(part.data + i * bytes); });
  return sample_entries(count, [&](std::size_t i) {
    const char* at = part.data;
    for (std::size_t k = part.shape.size(); k-- > 0;) {
      const auto size = static_cast<std::size_t>(part.shape[k]);
      at += static_cast<npy_intp>(i % size) * part.strides[k];
      i /= size;
    }
    return bits_of<bytes>(at);
  });
}

std::uint64_t SourceWatch::sample_of(const Part& part) noexcept {
  switch (PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(part.dtype.ptr()))) {
    case 1: return sample_of<1>(part);
    case 2: return sample_of<2>(part);
    case 4: return sample_of<4>(part);
    case 8: return sample_of<8>(part);
    case 16: return sample_of<16>(part);
    default: return 0;  // of a type that no plan takes
  }
}

namespace {
// An attribute of an instance, without the way through its type, which of a tiny matrix would take a tenth of a
// product.
class Attributes {
 public:
  explicit Attributes(nb::handle source) : source_(source) {
#ifndef Py_GIL_DISABLED  // where another thread might take it away meanwhile
    own_ = nb::steal(PyObject_GenericGetDict(source.ptr(), nullptr));
    if (!own_.is_valid()) PyErr_Clear();
#endif
  }
  /// Not valid where there is none.
  [[nodiscard]] nb::object get(nb::handle name) const {
    if (own_.is_valid())
      if (PyObject* const found = PyDict_GetItemWithError(own_.ptr(), name.ptr())) return nb::borrow(found);
    PyErr_Clear();
    nb::object found = nb::steal(PyObject_GetAttr(source_.ptr(), name.ptr()));
    if (!found.is_valid()) PyErr_Clear();
    return found;
  }

 private:
  nb::handle source_;
  nb::object own_;
};

// The array that it was, of the same type and size.
template <class Part>
bool holds(const Attributes& attributes, const Part& part) {
  nb::object now = attributes.get(part.name);
  if (now.is_valid() && part.place >= 0) {
    now = nb::steal(PySequence_GetItem(now.ptr(), part.place));
    if (!now.is_valid()) PyErr_Clear();
  }
  if (!now.is_valid() || !now.is(part.array.get())) return false;
  PyArrayObject* const array = as_array(now);
  return PyArray_DATA(array) == part.data && reinterpret_cast<PyObject*>(PyArray_DESCR(array)) == part.dtype.ptr() &&
         std::equal(part.shape.begin(), part.shape.end(), PyArray_DIMS(array),
                    PyArray_DIMS(array) + PyArray_NDIM(array));
}
}  // namespace

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
    const Attributes attributes(source);
    for (const Part& part : parts_)
      if (!part.name.is_none() && !holds(attributes, part)) return false;
    if (!shape_.is_none()) {
      const nb::object shape = attributes.get(shape_name);
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
