#include <algorithm>

#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/ell.hpp"
#include "formats/host_builders.hpp"
#include "formats/hyb.hpp"
#include "formats/jad.hpp"

namespace sparsecast::formats {
namespace {

constexpr HostKernel table[] = {
    // name, bytes, single, double
    {"csr", csr_bytes, build_csr<float>, build_csr<double>},
    {"csr-scalar", csr_bytes, build_csr_scalar<float>, build_csr_scalar<double>},
    {"csr-merge", csr_bytes, build_csr_merge<float>, build_csr_merge<double>},
    {"ell", ell_bytes, build_ell<float>, build_ell<double>},
    {"coo", coo_bytes, build_coo<float>, build_coo<double>},
    {"hyb", hyb_bytes, build_hyb<float>, build_hyb<double>},
    {"jad", jad_bytes, build_jad<float>, build_jad<double>},
    {"sell", host_sell_bytes, build_sell<float>, build_sell<double>},
};

}  // namespace

std::span<const HostKernel> host_kernels() { return table; }

const HostKernel* find_host_kernel(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &HostKernel::name);
  return found == std::end(table) ? nullptr : found;
}

}  // namespace sparsecast::formats
