#include "hardware/host/bound_team.hpp"

#include <omp.h>
#include <sched.h>
#include <algorithm>
#include <span>

#include "base/team.hpp"
#include "hardware/host/topology.hpp"

namespace sparsecast::hardware {
namespace {
void allow(std::span<const int> processors) noexcept {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int processor : processors) CPU_SET(processor, &mask);
  (void)sched_setaffinity(0, sizeof mask, &mask);  // refused: the thread stays where it may be
}

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &mask)) processors.push_back(processor);
  return processors;
}
}  // namespace

BoundTeam::BoundTeam(int threads) {
  if (threads <= 1 || omp_get_proc_bind() != omp_proc_bind_false || omp_in_parallel() != 0) return;
  all_ = allowed_processors();
  if (static_cast<std::size_t>(threads) > all_.size()) return;
  static const std::vector<int> in_order = processors_by_core();
  for (const int processor : in_order)
    if (std::ranges::binary_search(all_, processor)) processors_.push_back(processor);
  if (processors_.size() < static_cast<std::size_t>(threads)) processors_ = all_;
  processors_.resize(static_cast<std::size_t>(threads));
  again();
}

BoundTeam::~BoundTeam() {
  if (processors_.empty()) return;
#pragma omp parallel num_threads(base::team_of(static_cast <int>(processors_.size())))
  allow(all_);
}

void BoundTeam::again() const noexcept {
  if (processors_.empty()) return;
#pragma omp parallel num_threads(base::team_of(static_cast <int>(processors_.size())))
  allow(std::span(processors_).subspan(static_cast<std::size_t>(omp_get_thread_num()), 1));
}
}  // namespace sparsecast::hardware
