#include "base/threads.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <set>
#include <vector>

#include "base/machine/control_groups.hpp"
#include "base/team.hpp"

namespace sparsecast {
namespace {
std::atomic<int> chosen_default{0};
}  // namespace

namespace {
struct Cores {
  int processors = 1, cores = 1, allowed = 1;
};

Cores cores_here() {
  static const double limit = base::group_cores("/proc/self/cgroup", "/sys/fs/cgroup");
  static const std::vector<int> first_siblings = [] {
    std::vector<int> first;
    for (int cpu = 0; cpu < std::min<long>(CPU_SETSIZE, sysconf(_SC_NPROCESSORS_CONF)); ++cpu) {
      std::ifstream list(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
      int sibling = cpu;
      first.push_back(list >> sibling ? sibling : cpu);
    }
    return first;
  }();
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return {};
  std::set<int> cores;
  for (std::size_t cpu = 0; cpu < first_siblings.size(); ++cpu)
    if (CPU_ISSET(cpu, &mask)) cores.insert(first_siblings[cpu]);
  const int all = std::max(1, static_cast<int>(cores.size()));
  return {CPU_COUNT(&mask), all, limit < all ? std::max(1, static_cast<int>(std::ceil(limit))) : all};
}
}  // namespace

std::string base::cores_text() {
  const auto [processors, cores, allowed] = cores_here();
  std::string text;
  if (const auto online = sysconf(_SC_NPROCESSORS_ONLN); processors < online)
    text += fmt::format("this process may use {} of {} processors; ", processors, online);
  if (cores < processors) text += fmt::format("{} processors share {} cores; ", processors, cores);
  if (allowed < cores) text += fmt::format("control groups allow the time of {}; ", allowed);
  return text.substr(0, text.rfind("; "));
}

int available_cores() {
  // Where the user has threads bound, the calling thread's own mask is one place of several.
  if (omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0) {
    int processors = 0;
    for (int place = 0; place < omp_get_num_places(); ++place) processors += omp_get_place_num_procs(place);
    return std::max(1, processors);
  }
  return cores_here().allowed;
}

int default_threads() {
  if (base::is_forked_child()) return 1;  // and its plans are for one thread
  const int chosen = chosen_default;
  return std::min(chosen > 0 ? chosen : available_cores(), most_host_threads);
}

void set_default_threads(int threads) { chosen_default = threads; }

void base::allow_threads(int threads) {
  if (threads > omp_get_max_threads()) omp_set_num_threads(threads);
}

int base::thread_count(int requested) {
  return requested > 0 ? std::min(requested, most_host_threads) : default_threads();
}
}  // namespace sparsecast
