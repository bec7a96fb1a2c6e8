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
  std::string matrix = {};   ///< its name
  std::string pattern = {};  ///< planning::pattern_checksum(): fingerprint of its non-zeros' places
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
  std::vector<double> features = {};  ///< of the pattern, for likeness; empty where they are not known
  std::string device = {};
  std::string machine = {};  ///< processor, microcode, cores, compiler
  std::string kernel = {};   ///< those of a cut joined by +
  Precision precision = Precision::double_;
  int threads = 0;                          ///< of the host; 0 elsewhere
  std::int64_t vectors = 1;                 ///< multiplied at once
  bool transposed = false;                  ///< Aᵀ·x
  double seconds = 0;                       ///< one product
  double spread = 0;                        ///< of its repeats, relative
  std::optional<double> conversion_s = {};  ///< from CSR
  double forecast_s = 0;                    ///< by the models alone, before it was measured; 0: there was none
  std::optional<double> left_to_win = {};   ///< share of a product, where all that may win was measured then
  int compared = 0;                         ///< with what was forecast for up to so many threads; 0: with none
  std::optional<double> csr_s = {};         ///< forecast of plain csr at that time
  std::string taken = {};                   ///< UTC, ISO 8601
};

}  // namespace sparsecast
#pragma GCC visibility pop
