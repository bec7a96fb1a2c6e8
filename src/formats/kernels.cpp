#include "formats/kernels.hpp"

#include <algorithm>
#include <array>
#include <sparsecast/kernels.hpp>

namespace sparsecast::formats {
namespace {

using enum WorkUnit;

constexpr KernelInfo table[] = {
    // name, format, unit, host, GPU, form, summary, source
    {"csr", "csr", balanced, true, false, PaperForm::csr, "rows split evenly by non-zeros, vectorised", "host default"},
    {"csr-scalar", "csr", row_per_thread, true, true, PaperForm::ell, "one thread per row", "Bell & Garland 2009"},
    {"csr-vector", "csr", row_per_warp, false, true, PaperForm::csr, "one warp per row", "Bell & Garland 2009"},
    {"csr-half", "csr", row_per_half_warp, false, true, PaperForm::csr, "half a warp per row", "Li & Saad 2013"},
    {"csr-merge", "csr", balanced, true, true, PaperForm::csr, "equal work over rows + non-zeros",
     "Merrill & Garland 2016"},
    {"ell", "ell", row_per_thread, true, true, PaperForm::ell, "padded to the longest row, column-major",
     "Bell & Garland 2009"},
    {"coo", "coo", nonzero_per_thread, true, true, PaperForm::coo, "segmented reduction over non-zeros",
     "Bell & Garland 2009"},
    {"hyb", "hyb", row_per_thread, true, true, PaperForm::hyb, "ELL up to a width, the rest COO",
     "Bell & Garland 2009"},
    {"jad", "jad", row_per_thread, true, true, PaperForm::ell, "jagged diagonals of rows sorted by length",
     "Li & Saad 2013"},
    {"sell", "sell", row_per_thread, true, true, PaperForm::csr, "SELL-C-sigma: slices sorted in windows",
     "Kreutzer et al. 2014"},
    {"vendor-csr", "csr", balanced, false, true, PaperForm::csr, "cuSPARSE CSR", "NVIDIA", true},
    {"vendor-coo", "coo", nonzero_per_thread, false, true, PaperForm::coo, "cuSPARSE COO", "NVIDIA", true},
    {"vendor-sell", "sell", row_per_thread, false, true, PaperForm::csr, "cuSPARSE sliced ELL", "NVIDIA", true},
};

// The table as users see it.
constexpr auto published = [] {
  std::array<Kernel, std::size(table)> rows;
  std::ranges::transform(table, rows.begin(), [](const KernelInfo& k) {
    return Kernel{k.name, k.format, k.on_host, k.on_gpu, k.vendor, k.summary, k.source};
  });
  return rows;
}();

}  // namespace

std::span<const KernelInfo> kernel_table() { return table; }

const KernelInfo* find_kernel(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &KernelInfo::name);
  return found == std::end(table) ? nullptr : found;
}

std::string kernel_names(bool on_host) {
  std::string names;
  for (const KernelInfo& kernel : table)
    if (on_host ? kernel.on_host : kernel.on_gpu) names += (names.empty() ? "" : ", ") + std::string(kernel.name);
  return names;
}

}  // namespace sparsecast::formats

namespace sparsecast {

std::span<const Kernel> kernel_table() noexcept { return formats::published; }

const Kernel* find_kernel(std::string_view name) noexcept {
  const auto* found = std::ranges::find(formats::published, name, &Kernel::name);
  return found == formats::published.end() ? nullptr : found;
}

}  // namespace sparsecast
