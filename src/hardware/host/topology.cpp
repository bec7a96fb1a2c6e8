#include "hardware/host/topology.hpp"

#include <algorithm>

#ifdef SPARSECAST_HAS_HWLOC
#include <hwloc.h>
#include <memory>
#else
#include <fmt/format.h>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#endif

namespace sparsecast::hardware {
namespace {
#ifdef SPARSECAST_HAS_HWLOC

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Loaded = std::unique_ptr<hwloc_topology, Destroy>;

// What this process may use of the machine; nothing where the system tells nothing.
Loaded load() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  Loaded loaded(topology);
  const unsigned long flags = HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING;
  if (hwloc_topology_set_flags(topology, flags) != 0 || hwloc_topology_load(topology) != 0) return nullptr;
  return loaded;
}

int count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return std::max(0, hwloc_get_nbobjs_by_type(topology, type));
}

CacheLevel level_of(const hwloc_obj& cache) {
  CacheLevel level;
  level.level = static_cast<int>(cache.attr->cache.depth);
  level.size_bytes = static_cast<std::int64_t>(cache.attr->cache.size);
  if (cache.attr->cache.linesize > 0) level.line_bytes = static_cast<int>(cache.attr->cache.linesize);
  level.shared_by = std::max(1, hwloc_bitmap_weight(cache.cpuset));
  return level;
}

Topology read_topology() {
  Topology found;
  const Loaded loaded = load();
  if (!loaded) return found;
  hwloc_topology_t topology = loaded.get();
  found.sockets = count(topology, HWLOC_OBJ_PACKAGE);
  found.numa_domains = count(topology, HWLOC_OBJ_NUMANODE);
  for (hwloc_obj_t at = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0); at != nullptr; at = at->parent) {
    if (hwloc_obj_type_is_dcache(at->type) != 0) found.caches.push_back(level_of(*at));
  }
  return found;
}

std::vector<int> processors_in_turns() {
  std::vector<int> processors;
  const Loaded loaded = load();
  if (!loaded) return processors;
  const int cores = count(loaded.get(), HWLOC_OBJ_CORE);
  const auto all = static_cast<std::size_t>(count(loaded.get(), HWLOC_OBJ_PU));
  for (int turn = 0; processors.size() < all; ++turn) {
    const std::size_t before = processors.size();
    for (int c = 0; c < cores; ++c) {
      const hwloc_obj_t core = hwloc_get_obj_by_type(loaded.get(), HWLOC_OBJ_CORE, static_cast<unsigned>(c));
      int number = hwloc_bitmap_first(core->cpuset);
      for (int k = 0; k < turn && number >= 0; ++k) number = hwloc_bitmap_next(core->cpuset, number);
      if (number >= 0) processors.push_back(number);
    }
    if (processors.size() == before) break;
  }
  return processors;
}

#else

std::vector<int> processors_in_turns() { return {}; }

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::ifstream(file) >> line;
  return line;
}

// "32K", "1024K", "33M" as the kernel writes them.
std::int64_t cache_size(const std::string& text) {
  std::int64_t size = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), size).ptr;
  const char unit = end == text.data() + text.size() ? ' ' : *end;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : unit == 'G' ? size << 30 : size;
}

// "0-3,8" → 5
int cpus_in_list(const std::string& list) {
  int cpus = 0;
  const char* p = list.data();
  const char* const end = p + list.size();
  while (p < end) {
    int first = 0;
    p = std::from_chars(p, end, first).ptr;
    int last = first;
    if (p < end && *p == '-') p = std::from_chars(p + 1, end, last).ptr;
    cpus += last - first + 1;
    if (p < end && *p != ',') break;
    ++p;
  }
  return std::max(1, cpus);
}

Topology read_topology() {
  Topology found;
  for (int index = 0; index < 16; ++index) {
    const std::filesystem::path folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
    if (!std::filesystem::exists(folder)) break;
    if (first_line(folder / "type") == "Instruction") continue;
    CacheLevel cache;
    cache.level = std::max(1, std::atoi(first_line(folder / "level").c_str()));
    cache.size_bytes = cache_size(first_line(folder / "size"));
    if (const int line = std::atoi(first_line(folder / "coherency_line_size").c_str()); line > 0)
      cache.line_bytes = line;
    cache.shared_by = cpus_in_list(first_line(folder / "shared_cpu_list"));
    found.caches.push_back(cache);
  }
  return found;
}

#endif
}  // namespace

Topology host_topology() {
  Topology found = read_topology();
  std::ranges::sort(found.caches, {}, &CacheLevel::level);
  return found;
}

std::vector<int> processors_by_core() { return processors_in_turns(); }
}  // namespace sparsecast::hardware
