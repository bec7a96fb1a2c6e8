#pragma once
// Products that were measured on users' matrices, as they are remembered.
//
// Thread safety: a value.

#include <optional>
#include <sparsecast/fields.hpp>
#include <sparsecast/precision.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {
/// `pattern`: planning::pattern_checksum(); `features`: none where they are not known; `forecast_s`: 0 where there was
/// none. Device, machine, precision, threads, vectors and transposed are its task: what must be the same for a time to
/// count.
struct ObservedProduct {
  std::string matrix = {}, pattern = {};
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
  std::vector<double> features = {};
  std::string device = {}, machine = {}, kernel = {};
  Precision precision = Precision::double_;
  int threads = 0;
  std::int64_t vectors = 1;
  bool transposed = false;
  double seconds = 0, spread = 0;
  std::optional<double> conversion_s = {};
  double forecast_s = 0;
  std::optional<double> left_to_win = {};
  int compared = 0;
  std::optional<double> csr_s = {};
  std::string taken = {};
};
template <>
struct Fields<ObservedProduct> {
  static constexpr std::string_view about = "One product that was measured on a user's matrix.";
  static constexpr auto table = std::tuple(
      field<&ObservedProduct::matrix>("its name"),
      field<&ObservedProduct::pattern>("fingerprint of its non-zeros' places"),
      field<&ObservedProduct::rows>("", at_least(0)), field<&ObservedProduct::cols>("", at_least(0)),
      field<&ObservedProduct::nonzeros>("", at_least(0)),
      field<&ObservedProduct::features>("of the pattern, for likeness"),
      field<&ObservedProduct::device>("that multiplied"),
      field<&ObservedProduct::machine>("processor, microcode, cores, compiler: others' times do not count"),
      field<&ObservedProduct::kernel>("those of a cut joined by +"), field<&ObservedProduct::precision>(""),
      field<&ObservedProduct::threads>("of the host; 0 elsewhere", at_least(0)),
      field<&ObservedProduct::vectors>("multiplied at once", at_least(1)), field<&ObservedProduct::transposed>("Aᵀ·x"),
      field<&ObservedProduct::seconds>("one product", above(0)),
      field<&ObservedProduct::spread>("of its repeats, relative", at_least(0)),
      field<&ObservedProduct::conversion_s>("from CSR", at_least(0)).where_known(),
      field<&ObservedProduct::forecast_s>("of the models alone, before it was measured", at_least(0)).where_known(),
      field<&ObservedProduct::left_to_win>("share of a product, where all that may win was measured then",
                                           between(0, 1))
          .where_known(),
      field<&ObservedProduct::compared>("with what was forecast for up to so many threads; 0: with none", at_least(0))
          .or_default(),
      field<&ObservedProduct::csr_s>("forecast of plain csr, then", above(0)).where_known(),
      field<&ObservedProduct::taken>("UTC"));
};
}  // namespace sparsecast
#pragma GCC visibility pop
