#include "forecast/physical/storage.hpp"

#include <charconv>
#include <sparsecast/error.hpp>

#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/kernels.hpp"
#include "formats/structured/bsr.hpp"

namespace sparsecast::forecast {
namespace {
// Of a kernel that others wrote, by the format in its name: its first word or its last, as in `csr-vector` or
// `cusparse-coo`, and the rows of a slice behind that of SELL. Nothing where the name tells none.
std::optional<std::int64_t> bytes_by_name(const Structure& structure, const std::string& kernel, Precision precision) {
  const std::string first = kernel.substr(0, kernel.find('-')), last = kernel.substr(kernel.rfind('-') + 1);
  const int value = value_bytes(precision);
  for (const std::string& word : {last, first}) {
    if (word == formats::csr_format) return formats::csr_bytes(structure, value);
    if (word == formats::coo_format) return formats::coo_bytes(structure, value);
  }
  if (structure.row_histogram.empty()) return std::nullopt;
  const formats::KernelInfo* of_first = formats::find_kernel(first);
  if (of_first != nullptr && of_first->padding == formats::Padding::slices && first != last) {
    int rows = 0;
    const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), rows);
    if (error != std::errc() || end != last.data() + last.size()) return std::nullopt;
    const SliceWork* slices = structure.slice(rows, 1);
    if (slices == nullptr) return std::nullopt;
    constexpr std::int64_t index = 4;
    return slices->slots * (value + index) + ((structure.rows + rows - 1) / rows + 1) * index;
  }
  const formats::KernelInfo* of_last = formats::find_kernel(last);
  if (of_last == nullptr || !of_last->on_gpu) return std::nullopt;
  return formats::gpu_format_bytes(structure, last, precision);
}
}  // namespace

std::optional<std::int64_t> storage_bytes(DeviceKind kind, const Structure& structure, const std::string& kernel,
                                          Precision precision) {
  const int value = value_bytes(precision);
  if (kind == DeviceKind::host) {
    const formats::HostKernel* found = formats::find_host_kernel(kernel);
    if (found == nullptr) return std::nullopt;
    return found->bytes(structure, value);
  }
  const formats::KernelInfo* info = formats::find_kernel(kernel);
  if (info == nullptr || info->vendor) try {
      if (info != nullptr && info->made_for == formats::MadeFor::blocks) return formats::bsr_bytes(structure, value);
      return bytes_by_name(structure, info == nullptr ? kernel : std::string(info->format), precision);
    } catch (const Error&) {
      return std::nullopt;
    }
  if (!info->on_gpu) return std::nullopt;
  if (info->format == formats::csr_format && info->gpu.form != formats::GpuForm::csr_merge)
    return formats::csr_bytes(structure, value);
  if (info->format == formats::coo_format) return formats::coo_bytes(structure, value);
  // The others' sizes are in the lengths of the rows, which a feature record does not have.
  if (structure.row_histogram.empty()) return std::nullopt;
  try {
    return formats::gpu_format_bytes(structure, kernel, precision);
  } catch (const Error&) {
    return std::nullopt;  // slices that nobody counted
  }
}

bool borrows_matrix(DeviceKind kind, std::string_view kernel, Precision precision) {
  const formats::KernelInfo* info = formats::find_kernel(kernel);
  return kind == DeviceKind::host && !is_single(precision) && info != nullptr && info->format == formats::csr_format;
}
}  // namespace sparsecast::forecast
