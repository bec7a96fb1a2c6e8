#pragma once
// The fields of <sparsecast/observed_product.hpp>.

#include <sparsecast/observed_product.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

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
