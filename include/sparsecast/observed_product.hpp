#pragma once
// Products that were measured on users' matrices, as they are remembered.
//
// Thread safety: a value.

#include <cstdint>
#include <optional>
#include <sparsecast/precision.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {
/// One product that was measured on a user's matrix. Device, machine, precision, threads, vectors and transposed are
/// its task: what must be the same for a time to count.
struct ObservedProduct {
  std::string matrix = {};   ///< name of the matrix
  std::string pattern = {};  ///< planning::pattern_checksum(): fingerprint of its non-zeros' places
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
  std::vector<double> features = {};  ///< of the pattern, for likeness; empty where they are not known
  std::string device = {};
  std::string machine = {};  ///< processor, microcode, cores, compiler
  std::string kernel = {};   ///< name of the kernel; the kernels of a cut are joined by +
  Precision precision = Precision::double_;
  int threads = 0;                          ///< host threads; 0 on other devices
  std::int64_t vectors = 1;                 ///< number of vectors multiplied at once
  bool transposed = false;                  ///< true: the product is Aᵀ·x
  double seconds = 0;                       ///< time of one product
  double spread = 0;                        ///< relative scatter of the repeats
  std::optional<double> conversion_s = {};  ///< time of the conversion from CSR
  double forecast_s = 0;                    ///< by the models alone, before it was measured; 0: there was none
  /// Expected remaining gain as a share of a product's time, if every candidate that may win was measured.
  std::optional<double> left_to_win = {};
  int compared = 0;                  ///< largest number of threads that it was compared with by forecast; 0: none
  std::optional<double> csr_s = {};  ///< forecast of plain csr at that time
  std::string taken = {};            ///< UTC, ISO 8601
};

}  // namespace sparsecast
#pragma GCC visibility pop
