
#include <sparsecast/error.hpp>

#include "formats/csr.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/hyb.hpp"
#include "formats/jad.hpp"
#include "formats/kernels.hpp"
#include "formats/sell_compact.hpp"

namespace sparsecast::formats {
namespace {
std::int64_t merge_bytes(const Structure& s, int v) {
  const std::int64_t tiles = parts_of(saturating_sum(s.rows, s.nonzeros), gpu_tile_items);
  return saturating_sum(csr_bytes(s, v), 4 * (tiles + 1));
}
std::int64_t sliced_bytes(const Structure& s, int v) {
  return sell_bytes(s, gpu_sell.slice_rows, gpu_sell.sort_rows, v);
}

struct Row {
  std::string_view kernel;
  std::int64_t (*bytes)(const Structure& structure, int value_bytes);
};
constexpr auto sizes = std::to_array<Row>({
    {"csr-scalar", csr_bytes},
    {"csr-vector", csr_bytes},
    {"csr-half", csr_bytes},
    {"csr-merge", merge_bytes},
    {"csr-stream", csr_bytes},
    {"ell", ell_bytes},
    {"coo", coo_bytes},
    {"hyb", hyb_bytes},
    {"jad", jad_bytes},
    {"sell", sliced_bytes},
    {"sell-compact", gpu_sell_compact_bytes},
});
}  // namespace

std::int64_t gpu_format_bytes(const Structure& structure, std::string_view kernel, Precision precision) {
  const auto* found = std::ranges::find(sizes, kernel, &Row::kernel);
  if (found == sizes.end())
    throw Error(ErrorCode::usage, "GPUs have no kernel '" + std::string(kernel) + "'", {},
                unknown_kernel_remedy(kernel, false));
  return found->bytes(structure, value_bytes(precision));
}
}  // namespace sparsecast::formats
