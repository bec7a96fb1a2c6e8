#include "lent_csr.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <sparsecast/error.hpp>

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
  throw Error(ErrorCode::usage, std::string(name) + " are no vector of int32 or int64");
}

CsrView::Values values_of(nb::handle array) {
  if (std::span<const double> wide; vector_of(array, wide)) return wide;
  if (std::span<const float> narrow; vector_of(array, narrow)) return narrow;
  if (std::span<const std::complex<double>> wide; vector_of(array, wide)) return wide;
  if (std::span<const std::complex<float>> narrow; vector_of(array, narrow)) return narrow;
  throw Error(ErrorCode::usage, "the values are no vector of float32, float64, complex64 or complex128");
}

// Every so many of the entries: all of a small array.
template <class Entry>
std::uint64_t sample_of(std::span<const Entry> entries) noexcept {
  constexpr std::size_t most = 16;
  const std::size_t step = std::max<std::size_t>(1, entries.size() / most);
  std::uint64_t sum = entries.size();
  for (std::size_t i = 0; i < entries.size(); i += step) {
    std::uint64_t bits;
    if constexpr (sizeof(Entry) == 16) {
      const auto parts = std::bit_cast<std::array<std::uint64_t, 2>>(entries[i]);
      bits = parts[0] ^ std::rotl(parts[1], 1);
    } else if constexpr (sizeof(Entry) == 8) {
      bits = std::bit_cast<std::uint64_t>(entries[i]);
    } else {
      bits = std::bit_cast<std::uint32_t>(entries[i]);
    }
    sum = (sum ^ bits) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
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
  sample_ = sample();
}

bool LentCsr::is_single() const {
  return std::holds_alternative<std::span<const float>>(matrix_.values()) ||
         std::holds_alternative<std::span<const std::complex<float>>>(matrix_.values());
}

LentCsr LentCsr::with_values(nb::object values) const {
  return {matrix_.rows(), matrix_.cols(), row_pointers_, columns_, std::move(values), matrix_.name(), CsrCheck::sizes};
}

std::uint64_t LentCsr::sample() const noexcept {
  return matrix_.visit_any([](const auto& csr) {
    return sample_of(csr.row_pointers) ^ std::rotl(sample_of(csr.column_indices), 21) ^
           std::rotl(sample_of(csr.values), 42);
  });
}

}  // namespace sparsecast::python
