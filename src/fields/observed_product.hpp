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
      field<&ObservedProduct::matrix>("name of the matrix"),
      field<&ObservedProduct::pattern>("fingerprint of the positions of its non-zeros"),
      field<&ObservedProduct::rows>("", at_least(0)), field<&ObservedProduct::cols>("", at_least(0)),
      field<&ObservedProduct::nonzeros>("", at_least(0)),
      field<&ObservedProduct::features>("features of the pattern, to find similar ones"),
      field<&ObservedProduct::device>("device that ran the product"),
      field<&ObservedProduct::machine>(
          "processor, microcode, cores and compiler; times from another machine are ignored"),
      field<&ObservedProduct::kernel>("name of the kernel; the kernels of a cut are joined by +"),
      field<&ObservedProduct::precision>(""),
      field<&ObservedProduct::threads>("host threads; 0 on other devices", at_least(0)),
      field<&ObservedProduct::vectors>("number of vectors multiplied at once", at_least(1)),
      field<&ObservedProduct::transposed>("true: the product is Aᵀ·x"),
      field<&ObservedProduct::seconds>("time of one product", above(0)),
      field<&ObservedProduct::spread>("relative scatter of the repeats", at_least(0)),
      field<&ObservedProduct::conversion_s>("time of the conversion from CSR", at_least(0)).where_known(),
      field<&ObservedProduct::forecast_s>("time that the models forecast before the measurement", at_least(0))
          .where_known(),
      field<&ObservedProduct::left_to_win>(
          "expected remaining gain as a share of a product's time, if every candidate that may win was measured",
          between(0, 1))
          .where_known(),
      field<&ObservedProduct::compared>("largest number of threads that it was compared with by forecast; 0: none",
                                        at_least(0))
          .or_default(),
      field<&ObservedProduct::csr_s>("forecast time of plain csr at that time", above(0)).where_known(),
      field<&ObservedProduct::taken>("date and time (UTC) of the measurement"));
};

}  // namespace sparsecast
