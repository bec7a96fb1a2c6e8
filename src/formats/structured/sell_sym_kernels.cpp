// Kernel `sell-sym`: half of the entries, each of which is added twice, eight rows at a time.

#include <algorithm>

#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"
#include "formats/structured/csr_sym.hpp"
#include "formats/structured/sell_sym.hpp"

namespace sparsecast::formats {
namespace {

constexpr double slice_rows = SellSym<double, std::int32_t>::slice_rows;

// Rows end once a slice, those of one length at one place.
void count(const Structure& s, const WorkContext& context, Workload& w) {
  count_mirrored(s, context, w);
  w.mispredictions /= slice_rows;
}

}  // namespace

KernelInfo sell_sym_kernel() {
  return {.name = "sell-sym",
          .format = "sell-sym",
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "symmetric: lower triangle, eight rows at a time",
          .source = "Schubert et al. 2011",
          .host = {sell_sym_bytes, build_sell_sym<float>, build_sell_sym<double>},
          .transposes = true,
          .made_for = MadeFor::symmetry,
          .refusal = sell_sym_refusal,
          .padding = Padding::triangle,
          .index_bytes = {.of_slot = 4, .of_row = 9},  // its place, its length, an eighth of the slice's pointer
          .count = count,
          .whole_only = true};
}

}  // namespace sparsecast::formats
