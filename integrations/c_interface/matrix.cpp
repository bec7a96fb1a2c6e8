// Matrices: the caller's arrays as the library's Matrix.

#include <complex>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/transpose.hpp>

#include "c_interface/objects.hpp"
#include "c_interface/remarks.hpp"
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

CsrView::Values values_of(const void* values, std::int64_t nonzeros, std::int32_t type) {
  switch (type) {
    case SPARSECAST_FLOAT: return entries<float>(values, nonzeros);
    case SPARSECAST_DOUBLE: return entries<double>(values, nonzeros);
    case SPARSECAST_COMPLEX_FLOAT: return entries<std::complex<float>>(values, nonzeros);
    case SPARSECAST_COMPLEX_DOUBLE: return entries<std::complex<double>>(values, nonzeros);
    default:
      refuse_usage("value_type is " + std::to_string(type),
                   "use SPARSECAST_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE");
  }
}

std::int32_t type_of(const CsrView::Values& values) {
  return std::visit(
      []<class Value>(std::span<const Value>) {
        const std::int32_t real = is_single(sparsecast::precision_of<Value>) ? SPARSECAST_FLOAT : SPARSECAST_DOUBLE;
        return is_complex_value<Value> ? real + (SPARSECAST_COMPLEX_FLOAT - SPARSECAST_FLOAT) : real;
      },
      values);
}

LentMatrix borrow(const sparsecast_csr& csr) {
  check_counts(csr);
  Owners owners;
  CsrView view{
      csr.rows, csr.cols,
      indices_of(csr.row_pointers, csr.rows + 1, csr.row_pointer_type, csr.index_base, "row_pointers", owners),
      indices_of(csr.column_indices, csr.nonzeros, csr.column_index_type, csr.index_base, "column_indices", owners),
      values_of(csr.values, csr.nonzeros, csr.value_type)};
  if (!owners.empty()) view.owner = std::make_shared<const Owners>(std::move(owners));
  const CsrCheck check = csr.unchecked != 0 ? CsrCheck::sizes : CsrCheck::everything;
  LentMatrix lent{.matrix = Matrix(view, "lent", check)};
  if (csr.index_base != 0)
    lent.matrix.visit_pattern([&](const auto& pattern) {
      lent.copied_bytes =
          static_cast<std::int64_t>(pattern.row_pointers.size_bytes() + pattern.column_indices.size_bytes());
    });
  return lent;
}

LentMatrix of_own(Matrix matrix) {
  const std::int64_t bytes = matrix.bytes();
  return {.matrix = std::move(matrix), .copied_bytes = bytes};
}

sparsecast_csr arrays_of(const Matrix& matrix) {
  sparsecast_csr csr{};
  csr.rows = matrix.rows(), csr.cols = matrix.cols(), csr.nonzeros = matrix.nonzeros();
  csr.value_type = type_of(matrix.values());
  csr.values = std::visit([](const auto& values) -> const void* { return values.data(); }, matrix.values());
  matrix.visit_pattern([&]<class Offset, class Index>(const CsrPattern<Offset, Index>& pattern) {
    csr.row_pointers = pattern.row_pointers.data();
    csr.column_indices = pattern.column_indices.data();
    csr.row_pointer_type = sizeof(Offset) == 4 ? SPARSECAST_INT32 : SPARSECAST_INT64;
    csr.column_index_type = sizeof(Index) == 4 ? SPARSECAST_INT32 : SPARSECAST_INT64;
  });
  return csr;
}
}  // namespace

Precision LentMatrix::precision() const {
  const std::int32_t type = type_of(matrix.values());
  return type == SPARSECAST_FLOAT || type == SPARSECAST_COMPLEX_FLOAT ? Precision::single_ : Precision::double_;
}

LentMatrix with_values(const LentMatrix& lent, const void* values) {
  if (values == nullptr) return lent;  // it reads them where they are, or owns them
  const auto pattern = lent.pattern ? lent.pattern : std::make_shared<const Matrix>(lent.matrix);
  const CsrView view = pattern->visit_pattern([&](const auto& csr) {
    return CsrView{csr.rows,
                   csr.cols,
                   csr.row_pointers,
                   csr.column_indices,
                   values_of(values, pattern->nonzeros(), type_of(lent.matrix.values())),
                   pattern};
  });
  return {.matrix = Matrix(view, lent.matrix.name(), CsrCheck::sizes),
          .pattern = pattern,
          .copied_bytes = lent.copied_bytes};
}
}  // namespace sparsecast::c_interface

using namespace sparsecast::c_interface;  // C's names stand in no namespace

int sparsecast_matrix_borrow(const sparsecast_csr* csr, sparsecast_matrix** matrix) {
  return give(matrix, [&] { return borrow(taken(&there(csr, "csr"))); });
}

int sparsecast_matrix_read(const char* file, sparsecast_matrix** matrix) {
  return give(matrix, [&] {
    const Remarks remarks;
    return of_own(sparsecast::load_matrix(std::filesystem::path(&there(file, "file")), 0, remarks.listener()));
  });
}

int sparsecast_matrix_generate(const char* kind, const char* parameters, uint64_t seed, sparsecast_matrix** matrix) {
  return give(matrix, [&] {
    sparsecast::MatrixSpec spec{.kind = &there(kind, "kind"), .seed = seed};
    if (parameters != nullptr && *parameters != '\0') sparsecast::set_parameters(spec, parameters);
    return of_own(sparsecast::generate(spec));
  });
}

int sparsecast_matrix_transpose(const sparsecast_matrix* matrix, sparsecast_matrix** transposed) {
  return give(transposed, [&] { return of_own(sparsecast::transpose(Reading(matrix)->matrix)); });
}

int sparsecast_matrix_info(const sparsecast_matrix* matrix, sparsecast_matrix_size* info) {
  return guarded([&] {
    const Reading from(matrix);
    const sparsecast::Matrix& held = from->matrix;
    hand_out(sparsecast_matrix_size{sizeof(sparsecast_matrix_size), held.name().c_str(), held.rows(), held.cols(),
                                    held.nonzeros(), held.bytes(), from->copied_bytes},
             info);
  });
}

int sparsecast_matrix_csr(const sparsecast_matrix* matrix, sparsecast_csr* csr) {
  return guarded([&] {
    const Reading from(matrix);
    hand_out(arrays_of(from->matrix), csr);
  });
}

int sparsecast_matrix_free(sparsecast_matrix* matrix) { return free_handle(matrix); }
