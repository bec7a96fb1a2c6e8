
#include <algorithm>
#include <sparsecast/kernels.hpp>

#include "base/nearest.hpp"
#include "formats/kernel_list.hpp"

namespace sparsecast::formats {
namespace {
const std::vector<KernelInfo>& table() {
#define SPARSECAST_ROW(name) name##_kernel(),
  static const std::vector<KernelInfo> rows = [] {
    std::vector<KernelInfo> all{SPARSECAST_KERNELS(SPARSECAST_ROW)};
    for (KernelInfo& row : all) {
      row.on_host = row.host.bytes != nullptr;
      row.host.name = row.name;
    }
    return all;
  }();
#undef SPARSECAST_ROW
  return rows;
}

// The table as users see it.
std::span<const Kernel> published() {
  static const std::vector<Kernel> rows = [] {
    std::vector<Kernel> all;
    for (const KernelInfo& k : table())
      all.push_back({k.name, k.format, k.on_host, k.on_gpu, k.vendor, k.summary, k.source});
    return all;
  }();
  return rows;
}
}  // namespace

std::span<const KernelInfo> kernel_table() { return table(); }

const KernelInfo* find_kernel(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &KernelInfo::name);
  return found == table().end() ? nullptr : &*found;
}

const KernelInfo& kernel_or_plain(std::string_view name) {
  static const KernelInfo plain;
  const KernelInfo* found = find_kernel(name);
  return found == nullptr ? plain : *found;
}

std::string_view measured_as(std::string_view name) {
  const KernelInfo* found = find_kernel(name);
  return found == nullptr || found->variant_of.empty() ? name : found->variant_of;
}

const KernelInfo& default_kernel() { return table().front(); }

bool multiplies_complex(std::string_view name) { return kernel_or_plain(name).host.build_complex_double != nullptr; }

std::string refusal_of(std::string_view name, const Structure& structure) {
  const KernelInfo* found = find_kernel(name);
  if (found == nullptr) return {};
  if (structure.complex_values && !multiplies_complex(name)) return "it has no product of complex values";
  return found->refusal == nullptr ? std::string() : found->refusal(structure);
}

std::string kernel_names(bool on_host) {
  std::string names;
  for (const KernelInfo& kernel : table())
    if (on_host ? kernel.on_host : kernel.on_gpu) names += (names.empty() ? "" : ", ") + std::string(kernel.name);
  return names;
}

std::string unknown_kernel_remedy(std::string_view kernel, bool on_host) {
  std::vector<std::string> known;
  for (const KernelInfo& one : table())
    if (on_host ? one.on_host : one.on_gpu) known.emplace_back(one.name);
  const std::string meant = base::did_you_mean(kernel, known);
  return (meant.empty() ? meant : meant + " ") + "its kernels: " + kernel_names(on_host);
}

std::span<const HostKernel> host_kernels() {
  static const std::vector<HostKernel> kernels = [] {
    std::vector<HostKernel> all;
    for (const KernelInfo& kernel : table())
      if (kernel.on_host) all.push_back(kernel.host);
    return all;
  }();
  return kernels;
}

const HostKernel* find_host_kernel(std::string_view name) {
  const KernelInfo* found = find_kernel(name);
  return found == nullptr || !found->on_host ? nullptr : &found->host;
}
}  // namespace sparsecast::formats

namespace sparsecast {
std::span<const Kernel> kernel_table() { return formats::published(); }

const Kernel* find_kernel(std::string_view name) {
  const std::span<const Kernel> all = kernel_table();
  const auto found = std::ranges::find(all, name, &Kernel::name);
  return found == all.end() ? nullptr : &*found;
}
}  // namespace sparsecast
