#include "gpu_code/trace/trace_recorder.hpp"

#include <algorithm>
#include <span>

namespace sparsecast::gpu_code {
namespace {
/// count + times · step, but no more than sums of many such counts can hold: days of a loop that the code says is
/// longer.
std::int64_t grown(std::int64_t count, std::int64_t times, std::int64_t step) {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  const double sum = static_cast<double>(count) + static_cast<double>(times) * static_cast<double>(step);
  return sum < static_cast<double>(most) ? count + times * step : most;
}
}  // namespace

void TraceRecorder::record(std::int32_t pc, LaneMask active, const StepOutcome& outcome, bool keep) {
  const auto index = static_cast<std::size_t>(pc);
  ++trace_.executed[index];
  trace_.executed_lanes[index] += std::popcount(outcome.lanes);
  std::int32_t detail = -1;
  if (outcome.has_access && outcome.access.lanes != 0) {
    if (outcome.access.space == MemorySpace::shared)
      for (const std::size_t lane : LanesOf{outcome.access.lanes & outcome.access.known & ~outcome.unknown})
        trace_.shared_end = std::max(trace_.shared_end, outcome.access.address[lane] + outcome.access.bytes);
    detail = access(index, outcome.access, keep);
  }
  if (keep) steps_.push_back({pc, detail, active, outcome.lanes, outcome.unknown});
}

/// An element of the region for each lane of which no more is known.
MemoryAccess TraceRecorder::placed(MemoryAccess access) {
  const std::uint64_t elements = access.region_bytes / access.bytes;
  for (const std::size_t lane : LanesOf{access.lanes & ~access.known})
    access.address[lane] = access.region + next_random() % elements * access.bytes;
  access.known = access.lanes;
  return access;
}

std::int32_t TraceRecorder::access(std::size_t pc, const MemoryAccess& access, bool keep) {
  if (access.bytes > 0 && access.region_bytes >= access.bytes && (access.lanes & ~access.known) != 0)
    return this->access(pc, placed(access), keep);
  AccessRecord r{access.space,
                 access.store,
                 access.atomic,
                 access.bypass_l1,
                 access.bytes,
                 static_cast<std::uint8_t>(std::popcount(access.lanes)),
                 static_cast<std::uint8_t>(std::popcount(access.lanes & ~access.known))};
  r.first_line = static_cast<std::uint32_t>(trace_.line_pool.size());
  if (access.space == MemorySpace::shared) {
    r.wavefronts = static_cast<std::uint16_t>(shared_wavefronts(access));
    if (access.atomic) r.wavefronts = static_cast<std::uint16_t>(r.wavefronts + same_address(access) - 1);
  } else if (access.space == MemorySpace::constant) {
    r.wavefronts = static_cast<std::uint16_t>(distinct_words(access));
  } else if (access.space == MemorySpace::global || access.space == MemorySpace::local) {
    MemoryAccess full = access;
    if (const LaneMask unknown = access.lanes & ~access.known; unknown != 0) {
      // Addresses out of unknown data (a gather): scattered over a region of their own, of as many elements as the
      // launch has threads.
      trace_.assumed = true;
      trace_.unknown_addresses += std::popcount(unknown);
      for (const std::size_t lane : LanesOf{unknown})
        full.address[lane] = (scattered_buffer << 40) + next_random() % scattered_elements(launch_) * access.bytes;
      full.known = access.lanes;
    }
    touched_lines(full, trace_.line_pool);
    r.lines = static_cast<std::uint32_t>(trace_.line_pool.size()) - r.first_line;
    if (access.atomic) count_same_addresses(full, std::span(trace_.line_pool).subspan(r.first_line));
    r.wavefronts = static_cast<std::uint16_t>(cache_passes(full, r.lines));
    for (std::uint32_t i = r.first_line; i < trace_.line_pool.size(); ++i) {
      trace_.sectors[pc] += std::popcount(trace_.line_pool[i].sectors);
      if (access.space == MemorySpace::global) (access.store ? stored_ : loaded_).add(trace_.line_pool[i]);
    }
    r.first_address = full.address[static_cast<std::size_t>(std::countr_zero(full.lanes))];
  }
  trace_.wavefronts[pc] += r.wavefronts;
  if (!keep) {
    trace_.line_pool.resize(r.first_line);
    return -1;
  }
  trace_.accesses.push_back(r);
  return static_cast<std::int32_t>(trace_.accesses.size()) - 1;
}

void TraceRecorder::account(const TraceCounts& since, std::int64_t times) {
  for (auto part : {&TraceTotals::executed, &TraceTotals::executed_lanes, &TraceTotals::wavefronts,
                    &TraceTotals::sectors, &TraceTotals::loop_iterations}) {
    auto& now = trace_.*part;
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = grown(now[i], times, now[i] - (since.*part)[i]);
  }
  trace_.unseen_loaded += static_cast<double>(times) * static_cast<double>(loaded_.size() - since.lines_loaded);
  trace_.unseen_stored += static_cast<double>(times) * static_cast<double>(stored_.size() - since.lines_stored);
}
}  // namespace sparsecast::gpu_code
