// Matrices: the caller's arrays as the library's Matrix.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/transpose.hpp>

#include "c_interface/objects.hpp"
#include "c_interface/structs.hpp"

namespace sparsecast::c_interface {
namespace {
using Owners = std::vector<std::shared_ptr<const void>>;  // of what is copied

template <class T>
std::span<const T> entries(const void* data, std::int64_t count) {
  return {static_cast<const T*>(data), static_cast<std::size_t>(count)};
}

template <class T>
std::span<const T> keep(std::vector<T> array, Owners& owners) {
  const auto kept = std::make_shared<const std::vector<T>>(std::move(array));
  owners.push_back(kept);
  return *kept;
}

// Indices from 0 on; numbers that make no sense are found later.
template <class T>
std::span<const T> from_zero(std::span<const T> indices, Owners& owners) {
  std::vector<T> shifted(indices.size());
  std::ranges::transform(indices, shifted.begin(),
                         [](T index) { return static_cast<T>(static_cast<std::uint64_t>(index) - 1); });
  return keep(std::move(shifted), owners);
}

CsrView::Indices indices_of(const void* data, std::int64_t count, std::int32_t type, std::int32_t base,
                            const char* name, Owners& owners) {
  if (data == nullptr && count > 0) refuse_usage(std::string(name) + " is NULL");
  const auto taken = [&]<class T>(std::span<const T> all) -> CsrView::Indices {
    return base == 0 ? all : from_zero(all, owners);
  };
  if (type == SPARSECAST_INT32) return taken(entries<std::int32_t>(data, count));
  if (type == SPARSECAST_INT64) return taken(entries<std::int64_t>(data, count));
  refuse_usage("the type of " + std::string(name) + " is " + std::to_string(type),
               "use SPARSECAST_INT32 or SPARSECAST_INT64");
}

void check_counts(const sparsecast_csr& csr) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  for (const std::int64_t count : {csr.rows, csr.cols, csr.nonzeros})
    if (count < 0 || count > most)
      refuse_usage("a matrix of " + std::to_string(csr.rows) + " rows, " + std::to_string(csr.cols) + " columns and " +
                   std::to_string(csr.nonzeros) + " non-zeros");
  if (csr.index_base != 0 && csr.index_base != 1)
    refuse_usage("index_base is " + std::to_string(csr.index_base), "indices begin at 0 or 1");
  if (csr.values == nullptr && csr.nonzeros > 0) refuse_usage("values is NULL");
}

// Real and imaginary parts of pairs, each a matrix on the pattern of `view`, which holds the real ones' place.
template <class Value>
LentMatrix of_pairs(const CsrView& view, const void* pairs, std::int64_t nonzeros, const std::string& name,
                    CsrCheck check) {
  const auto* values = static_cast<const Value*>(pairs);
  const auto part = [&](int offset) {
    std::vector<Value> one(static_cast<std::size_t>(nonzeros));
    for (std::size_t k = 0; k < one.size(); ++k) one[k] = values[2 * k + static_cast<std::size_t>(offset)];
    Owners owners{view.owner};
    CsrView mine = view;
    mine.values = keep(std::move(one), owners);
    mine.owner = std::make_shared<const Owners>(std::move(owners));
    return mine;
  };
  return {.real = Matrix(part(0), name, check),
          .imaginary = Matrix(part(1), name, CsrCheck::sizes),
          .pairs = pairs,
          .copied_bytes = nonzeros * 2 * static_cast<std::int64_t>(sizeof(Value))};
}

LentMatrix of_arrays(CsrView view, const void* values, std::int64_t nonzeros, std::int32_t type,
                     const std::string& name, CsrCheck check) {
  switch (type) {
    case SPARSECAST_FLOAT: view.values = entries<float>(values, nonzeros); break;
    case SPARSECAST_DOUBLE: view.values = entries<double>(values, nonzeros); break;
    case SPARSECAST_COMPLEX_FLOAT: return of_pairs<float>(view, values, nonzeros, name, check);
    case SPARSECAST_COMPLEX_DOUBLE: return of_pairs<double>(view, values, nonzeros, name, check);
    default:
      refuse_usage("value_type is " + std::to_string(type),
                   "use SPARSECAST_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE");
  }
  return {.real = Matrix(view, name, check)};
}

LentMatrix borrow(const sparsecast_csr& csr) {
  check_counts(csr);
  Owners owners;
  CsrView view{
      csr.rows,
      csr.cols,
      indices_of(csr.row_pointers, csr.rows + 1, csr.row_pointer_type, csr.index_base, "row_pointers", owners),
      indices_of(csr.column_indices, csr.nonzeros, csr.column_index_type, csr.index_base, "column_indices", owners),
      {}};
  if (!owners.empty()) view.owner = std::make_shared<const Owners>(std::move(owners));
  const CsrCheck check = csr.unchecked != 0 ? CsrCheck::sizes : CsrCheck::everything;
  LentMatrix matrix = of_arrays(view, csr.values, csr.nonzeros, csr.value_type, "lent", check);
  if (csr.index_base != 0)
    matrix.real.visit_pattern([&](const auto& pattern) {
      matrix.copied_bytes +=
          static_cast<std::int64_t>(pattern.row_pointers.size_bytes() + pattern.column_indices.size_bytes());
    });
  return matrix;
}

LentMatrix of_own(Matrix matrix) {
  const std::int64_t bytes = matrix.bytes();
  return {.real = std::move(matrix), .copied_bytes = bytes};
}

sparsecast_csr arrays_of(const LentMatrix& matrix) {
  if (matrix.imaginary) refuse_usage("the values of a complex matrix are kept as two arrays");
  sparsecast_csr csr{};
  csr.rows = matrix.real.rows(), csr.cols = matrix.real.cols(), csr.nonzeros = matrix.real.nonzeros();
  matrix.real.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& spans) {
    csr.row_pointers = spans.row_pointers.data();
    csr.column_indices = spans.column_indices.data();
    csr.values = spans.values.data();
    csr.row_pointer_type = sizeof(Offset) == 4 ? SPARSECAST_INT32 : SPARSECAST_INT64;
    csr.column_index_type = sizeof(Index) == 4 ? SPARSECAST_INT32 : SPARSECAST_INT64;
    csr.value_type = sizeof(Value) == 4 ? SPARSECAST_FLOAT : SPARSECAST_DOUBLE;
  });
  return csr;
}
}  // namespace

std::int64_t LentMatrix::bytes() const {
  const std::int64_t value = single() ? sizeof(float) : sizeof(double);
  return real.bytes() + (imaginary ? real.nonzeros() * value : 0);
}

LentMatrix with_values(const LentMatrix& matrix, const void* values) {
  if (values == nullptr && matrix.pairs == nullptr) return matrix;  // it reads them where they are, or owns them
  const std::int32_t real = matrix.single() ? SPARSECAST_FLOAT : SPARSECAST_DOUBLE;
  const std::int32_t type = matrix.imaginary ? real + (SPARSECAST_COMPLEX_FLOAT - SPARSECAST_FLOAT) : real;
  const auto pattern = matrix.pattern ? matrix.pattern : std::make_shared<const Matrix>(matrix.real);
  const CsrView view = pattern->visit_pattern(
      [&](const auto& csr) { return CsrView{csr.rows, csr.cols, csr.row_pointers, csr.column_indices, {}, pattern}; });
  LentMatrix next = of_arrays(view, values != nullptr ? values : matrix.pairs, matrix.real.nonzeros(), type,
                              matrix.real.name(), CsrCheck::sizes);
  next.pattern = pattern;
  return next;
}
}  // namespace sparsecast::c_interface

using namespace sparsecast::c_interface;  // C's names stand in no namespace

int sparsecast_matrix_borrow(const sparsecast_csr* csr, sparsecast_matrix** matrix) {
  return give(matrix, [&] { return borrow(taken(&there(csr, "csr"))); });
}

int sparsecast_matrix_read(const char* file, sparsecast_matrix** matrix) {
  return give(matrix, [&] { return of_own(sparsecast::load_matrix(std::filesystem::path(&there(file, "file")))); });
}

int sparsecast_matrix_generate(const char* kind, const char* parameters, uint64_t seed, sparsecast_matrix** matrix) {
  return give(matrix, [&] {
    sparsecast::MatrixSpec spec{.kind = &there(kind, "kind"), .seed = seed};
    if (parameters != nullptr && *parameters != '\0') sparsecast::set_parameters(spec, parameters);
    return of_own(sparsecast::generate(spec));
  });
}

int sparsecast_matrix_transpose(const sparsecast_matrix* matrix, sparsecast_matrix** transposed) {
  return give(transposed, [&] {
    const Reading from(matrix);
    LentMatrix to = of_own(sparsecast::transpose(from->real));
    if (from->imaginary) {
      to.imaginary = sparsecast::transpose(*from->imaginary);
      to.copied_bytes = to.bytes();
    }
    return to;
  });
}

int sparsecast_matrix_info(const sparsecast_matrix* matrix, sparsecast_matrix_size* info) {
  return guarded([&] {
    const Reading from(matrix);
    const sparsecast::Matrix& real = from->real;
    hand_out(sparsecast_matrix_size{sizeof(sparsecast_matrix_size), real.name().c_str(), real.rows(), real.cols(),
                                    real.nonzeros(), from->bytes(), from->copied_bytes},
             info);
  });
}

int sparsecast_matrix_csr(const sparsecast_matrix* matrix, sparsecast_csr* csr) {
  return guarded([&] {
    const Reading from(matrix);
    hand_out(arrays_of(*from), csr);
  });
}

int sparsecast_matrix_free(sparsecast_matrix* matrix) { return free_handle(matrix); }
