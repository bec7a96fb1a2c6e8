#pragma once
// Data files compiled into the library (cmake/SparsecastEmbed.cmake), so that one executable carries its tables.
// One function per embedded set; each is generated from the files named in a room.cmake.

#include <span>
#include <string_view>

namespace sparsecast::embedded {
struct File {
  std::string_view name;  ///< without folder
  std::string_view text;
};

std::span<const File> constants();      ///< src/constants.tsv
std::span<const File> devices();        ///< profiles/devices/*.json
std::span<const File> gpu_model();      ///< profiles/gpu-model.json
std::span<const File> gpu_kernels();    ///< src/hardware/gpu/kernels/*.cl and *.h
std::span<const File> host_model();     ///< profiles/host-model.json
std::span<const File> machine_model();  ///< profiles/machine-model.json
std::span<const File> page_assets();    ///< src/pages/assets/
std::span<const File> probe_script();   ///< src/calibration/assets/probe.sh
std::span<const File> schemas();        ///< docs/schemas/*.json, of documents that are read
}  // namespace sparsecast::embedded
