// Kernel `csr-sym`: half of the entries, each of which is added twice.

#include <algorithm>

#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"
#include "formats/structured/csr_sym.hpp"

namespace sparsecast::formats {

void count_mirrored(const Structure& s, const WorkContext& context, Workload& w) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double below = number(s.nonzeros - s.symmetry.diagonal) / 2;
  w.slots = std::max(1.0, below + w.rows);
  w.mispredictions = mispredicted_share(s) * number(s.rows);
  // Rows of earlier parts that a part adds to: those within the bandwidth.
  for (int part = 1; part < context.threads; ++part)
    w.overflow += std::min(number(s.diagonal_bandwidth), w.rows * part / context.threads);
  w.thread_parts = parts_in_order(s, by_nonzeros, context.threads);
  count_remembered(s, false, w);
}

KernelInfo csr_sym_kernel() {
  return {.name = "csr-sym",
          .format = "csr-sym",
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "symmetric: lower triangle, both products at once",
          .source = "Schubert et al. 2011",
          .host = {csr_sym_bytes, build_csr_sym<float>, build_csr_sym<double>},
          .made_for = MadeFor::symmetry,
          .refusal = csr_sym_refusal,
          .padding = Padding::triangle,
          .index_bytes = {.of_slot = 4, .of_row = 8},
          .count = count_mirrored,
          .whole_only = true};
}

}  // namespace sparsecast::formats
