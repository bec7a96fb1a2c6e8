#pragma once
// CsrView: a matrix in compressed sparse rows that lies in the caller's own arrays. Matrix, and with it analyze() and
// plan(), takes one without a copy:
//
//    #include <cstdint>
//    #include <iostream>
//    #include <memory>
//    #include <sparsecast/csr_view.hpp>
//    #include <sparsecast/matrix.hpp>
//    #include <sparsecast/structure.hpp>
//    #include <vector>
//    struct Arrays {  // [4 0 1; 0 5 0]
//      std::vector<std::int32_t> row_pointers{0, 2, 3}, columns{0, 2, 1};
//      std::vector<double> values{4, 1, 5};
//    };
//    int main() {
//      const auto mine = std::make_shared<const Arrays>();
//      const sparsecast::CsrView view{.rows = 2,
//                                     .cols = 3,
//                                     .row_pointers = mine->row_pointers,
//                                     .column_indices = mine->columns,
//                                     .values = mine->values,
//                                     .owner = mine};
//      const sparsecast::Matrix matrix(view, "mine");  // checked: sparsecast::Error where it is no such matrix
//      const sparsecast::Structure structure = sparsecast::analyze(matrix);
//      std::cout << structure.nonzeros << " non-zeros, at most " << structure.row_max << " in a row\n";
//    }

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Spans over arrays in memory of this process. Making or copying one reads none of them and fails on nothing; Matrix
/// checks (see Matrix::Matrix). The types may be:
///
/// | row pointers | column indices | values                              |
/// | ------------ | -------------- | ----------------------------------- |
/// | int32        | int32          | double, float or std::complex of it |
/// | int64        | int32          | the same                            |
/// | int64        | int64          | the same                            |
///
/// Kernels in the precision of the values read the caller's arrays where their format is CSR (on the host csr,
/// csr-scalar and csr-merge); all others, other formats and GPUs, convert once into arrays of their own. float values
/// in double precision, and the reverse, are such a conversion: a CSR kernel then has values of its own and still
/// reads the caller's indices. 64-bit columns are read as they are, at twice the bytes and without the vector
/// instructions that take 32-bit ones; forecasts reckon with the narrowest widths that the sizes allow.
///
/// Lifetime: the arrays must stay in place, unchanged, as long as a Matrix or Plan made from the view exists. The
/// library holds the handle `owner` exactly that long and then releases it. If `owner` is null, the caller guarantees
/// that the arrays live long enough. The handle's deleter runs on the thread that releases it last.
///
/// Thread safety: as a value type. The library only ever reads the arrays, from any number of threads.
struct CsrView {
  using Indices = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>>;
  using Values = std::variant<std::span<const double>, std::span<const float>, std::span<const std::complex<double>>,
                              std::span<const std::complex<float>>>;

  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Indices row_pointers;    ///< rows + 1 counts of non-zeros, ascending; the first is 0, the last their number
  Indices column_indices;  ///< one per non-zero, 0-based, strictly ascending within a row
  Values values;           ///< one per non-zero; explicit zeros count as non-zeros
  std::shared_ptr<const void> owner = nullptr;
};

/// What Matrix checks before it accepts a CsrView.
enum class CsrCheck {
  everything,  ///< sizes, and the order and range of the indices in one pass of one thread
  sizes,       ///< sizes and the first and last row pointer; the caller guarantees order and range
};

}  // namespace sparsecast
#pragma GCC visibility pop
