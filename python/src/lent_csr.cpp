#include "lent_csr.hpp"

#include <atomic>
#include <bit>
#include <sparsecast/error.hpp>

#include "sample.hpp"

namespace sparsecast::python {
namespace {

// Holds Python objects for the library, which may let them go on any thread.
std::shared_ptr<const void> owner_of(std::initializer_list<nb::handle> objects) {
  auto held = std::make_unique<std::vector<nb::object>>();
  for (const nb::handle object : objects) held->push_back(nb::borrow(object));
  return {held.release(), [](const std::vector<nb::object>* all) {
            if (!nb::is_alive()) return;  // the interpreter is gone, and its objects with it
            const nb::gil_scoped_acquire lock;
            delete all;
          }};
}

CsrView::Indices indices_of(nb::handle array, const char* name) {
  if (std::span<const std::int32_t> narrow; vector_of(array, narrow)) return narrow;
  if (std::span<const std::int64_t> wide; vector_of(array, wide)) return wide;
  throw Error(ErrorCode::usage, std::string(name) + " must be a vector of int32 or int64");
}

CsrView::Values values_of(nb::handle array) {
  if (std::span<const double> wide; vector_of(array, wide)) return wide;
  if (std::span<const float> narrow; vector_of(array, narrow)) return narrow;
  if (std::span<const std::complex<double>> wide; vector_of(array, wide)) return wide;
  if (std::span<const std::complex<float>> narrow; vector_of(array, narrow)) return narrow;
  throw Error(ErrorCode::usage, "the values must be a vector of float32, float64, complex64 or complex128");
}

template <class Entry>
std::uint64_t sample_of(std::span<const Entry> entries) noexcept {
  return sample_entries(entries.size(), [&](std::size_t i) { return bits_of<sizeof(Entry)>(&entries[i]); });
}

}  // namespace

LentCsr::LentCsr(std::int64_t rows, std::int64_t cols, nb::object row_pointers, nb::object columns, nb::object values,
                 std::string name, CsrCheck check)
    : row_pointers_(std::move(row_pointers)), columns_(std::move(columns)), values_(std::move(values)) {
  const CsrView view{.rows = rows,
                     .cols = cols,
                     .row_pointers = indices_of(row_pointers_, "row pointers"),
                     .column_indices = indices_of(columns_, "column indices"),
                     .values = values_of(values_),
                     .owner = owner_of({row_pointers_, columns_, values_})};
  {
    const nb::gil_scoped_release others_may_run;
    matrix_ = Matrix(view, std::move(name), check);
  }
  pattern_ = sample_of_pattern();
  entries_ = sample_of_values();
}

LentCsr LentCsr::live(std::int64_t rows, std::int64_t cols, const nb::object& row_pointers, const nb::object& columns,
                      const nb::object& values, bool kept) {
  LentCsr lent;
  if (kept) lent.row_pointers_ = row_pointers, lent.columns_ = columns, lent.values_ = values;
  const CsrView view{.rows = rows,
                     .cols = cols,
                     .row_pointers = indices_of(row_pointers, "row pointers"),
                     .column_indices = indices_of(columns, "column indices"),
                     .values = values_of(values),
                     .owner = kept ? owner_of({row_pointers, columns, values}) : nullptr};
  lent.matrix_ = Matrix(view, "matrix", CsrCheck::sizes);
  lent.live_ = true;
  return lent;
}

bool LentCsr::is_of(nb::handle row_pointers, nb::handle columns, nb::handle values) const noexcept {
  const auto holds = [](nb::handle object, const auto& entries) {
    if (!PyArray_Check(object.ptr())) return false;
    PyArrayObject* const array = as_array(object);
    using Entry = std::remove_cv_t<std::remove_reference_t<decltype(entries[0])>>;
    return PyArray_DATA(array) == entries.data() && PyArray_NDIM(array) == 1 &&
           PyArray_DIM(array, 0) == static_cast<npy_intp>(entries.size()) &&
           PyArray_EquivTypenums(PyArray_TYPE(array), type_number<Entry>) != 0 && PyArray_ISNOTSWAPPED(array) &&
           PyArray_IS_C_CONTIGUOUS(array);
  };
  return matrix_.visit_any([&](const auto& csr) {
    return holds(row_pointers, csr.row_pointers) && holds(columns, csr.column_indices) && holds(values, csr.values);
  });
}

bool LentCsr::is_single() const {
  return std::holds_alternative<std::span<const float>>(matrix_.values()) ||
         std::holds_alternative<std::span<const std::complex<float>>>(matrix_.values());
}

LentCsr LentCsr::with_values(nb::object values) const {
  return {matrix_.rows(), matrix_.cols(), row_pointers_, columns_, std::move(values), matrix_.name(), CsrCheck::sizes};
}

std::uint64_t LentCsr::sample_of_pattern() const noexcept {
  return matrix_.visit_any(
      [](const auto& csr) { return sample_of(csr.row_pointers) ^ std::rotl(sample_of(csr.column_indices), 21); });
}

std::uint64_t LentCsr::sample_of_values() const noexcept {
  return matrix_.visit_any([](const auto& csr) { return sample_of(csr.values); });
}

Change LentCsr::change() const noexcept {
  if (live_) return Change::none;
  if (sample_of_pattern() != pattern_) return Change::pattern;
  return sample_of_values() != entries_ ? Change::values : Change::none;
}

}  // namespace sparsecast::python
