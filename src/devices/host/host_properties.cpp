// What the operating system tells of the host: processor, cores, caches, memory.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/threads.hpp"
#include "devices/host/host.hpp"

namespace sparsecast::devices {
namespace {

// Rows that one thread takes at a time. It fixes the host's strip, S = threads × this, and so the sizes of the papers'
// benchmark matrices: ten strips of 1024 rows reach from the first to the last cache at 4 to 1024 non-zeros a row.
constexpr int rows_per_chunk = 1024;

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::ifstream(file) >> line;
  return line;
}

// What the first processor's line of that name says; empty where there is none.
std::string processor_line(std::string_view name) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with(name))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return {};
}

std::string processor_name() {
  const std::string name = processor_line("model name");
  return name.empty() ? "unknown processor" : name;
}

double clock_hz() { return 1e6 * std::strtod(processor_line("cpu MHz").c_str(), nullptr); }

// "32K", "1024K", "33M" as the kernel writes them.
std::int64_t cache_size(const std::string& text) {
  std::int64_t size = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), size).ptr;
  const char unit = end == text.data() + text.size() ? ' ' : *end;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : unit == 'G' ? size << 30 : size;
}

// "0-3,8" → 5
int cpus_in_list(const std::string& list) {
  int count = 0;
  const char* p = list.data();
  const char* const end = p + list.size();
  while (p < end) {
    int first = 0;
    p = std::from_chars(p, end, first).ptr;
    int last = first;
    if (p < end && *p == '-') p = std::from_chars(p + 1, end, last).ptr;
    count += last - first + 1;
    if (p < end && *p != ',') break;
    ++p;
  }
  return std::max(1, count);
}

std::vector<CacheLevel> caches() {
  std::vector<CacheLevel> levels;
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
    levels.push_back(cache);
  }
  std::ranges::sort(levels, {}, &CacheLevel::level);
  return levels;
}

}  // namespace

DeviceProperties host_properties() {
  DeviceProperties host;
  host.name = "host";
  host.model = processor_name();
  host.vendor = host.model.find("AMD") != std::string::npos     ? "AMD"
                : host.model.find("Intel") != std::string::npos ? "Intel"
                                                                : "";
  host.kind = DeviceKind::host;
  host.compute_units = base::available_cores();
  host.warp_size = 1;
  host.warps_per_unit = 1;
  host.threads_per_unit = 1;
  host.rows_per_chunk = rows_per_chunk;
  host.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  host.clock_hz = clock_hz();
  host.caches = caches();
  host.driver = fmt::format("compiler {}", __VERSION__);
  host.microcode = processor_line("microcode");
  host.source = "operating system";
  return host;
}

}  // namespace sparsecast::devices
