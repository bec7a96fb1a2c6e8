#include "gpu_code/overlap/memory_path.hpp"

#include <cmath>

namespace sparsecast::gpu_code {
namespace {
double serve(double& free, double arrives, double cycles) {
  free = std::max(free, arrives) + cycles;
  return free;
}
}  // namespace

MemoryPath::MemoryPath(const BlockTrace& trace, const KernelTimes& times, const MultiprocessorLoad& load,
                       const BlockShift& shift)
    : trace_(trace), times_(times), load_(load), shift_(shift), cache_(load.l1_bytes) {
  const double l2 =
      std::min(times.l2_to_sm_bytes_per_cycle, times.l2_bytes_per_cycle * times.l2_efficiency / load.sharers);
  l2_cycles_ = 32 / l2;
  memory_cycles_ = 32 / (times.memory_bandwidth * times.memory_efficiency / times.clock_hz / load.sharers);
  lsu_cycles_ = 128 / times.shared_bytes_per_cycle;
  l1_pass_cycles_ = 128 / times.l1_bytes_per_cycle;
  request_cycles_ = times.pipe.lsu_request;
  for (const auto& l : trace.line_pool) {
    const std::uint64_t buffer = l.line >> 33;
    auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
    if (found == buffers_.end()) found = buffers_.insert(buffers_.end(), buffer);
    line_buffer_.push_back(static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(found - buffers_.begin(), 255)));
  }
}

MemoryPath::Times MemoryPath::access(const AccessRecord& r, std::int64_t position, double time, double weight) {
  if (r.space == MemorySpace::constant) return from_constant(r, time);
  const double begin = std::max(time + 2, lsu_free_);
  if (r.space == MemorySpace::shared) return from_shared(r, begin, weight);
  const auto* lines = &trace_.line_pool[r.first_line];
  const double cycles = std::max(r.wavefronts * l1_pass_cycles_, request_cycles_);
  lsu_free_ = begin + cycles;
  totals_.lsu_busy += cycles * weight;
  double done = begin + cycles + times_.latency.l1 - 1;
  for (std::uint32_t i = 0; i < r.lines; ++i) {
    const std::uint64_t line = shifted(lines[i].line, line_buffer_[r.first_line + i], position);
    std::uint8_t missing = lines[i].sectors;
    if (r.store || r.atomic) {
      if (r.space == MemorySpace::local) {
        cache_.touch(line, lines[i].sectors, missing).dirty |= lines[i].sectors;
        write_back(begin, weight);
        continue;
      }
      const double out = store_line(std::popcount(lines[i].sectors), r.atomic, begin, weight);
      if (r.atomic) done = std::max(done, out + times_.latency.l2);
      continue;
    }
    totals_.loaded_sectors += std::popcount(lines[i].sectors) * weight;
    FirstLevelCache::Line* entry = nullptr;
    if (!r.bypass_l1) entry = &cache_.touch(line, lines[i].sectors, missing);
    write_back(begin, weight);
    if (missing == 0) {
      if (entry) done = std::max(done, entry->arrives);
      continue;
    }
    const double arrives = fetch_line(std::popcount(missing), begin + cycles, weight);
    if (entry) entry->arrives = std::max(entry->arrives, arrives);
    done = std::max(done, arrives);
  }
  return {done, lsu_free_};
}

MemoryPath::Times MemoryPath::from_constant(const AccessRecord& r, double time) {
  constant_free_ = std::max(time, constant_free_) + r.wavefronts * 2.0;
  return {constant_free_ + times_.latency.constant, time + 2};
}

MemoryPath::Times MemoryPath::from_shared(const AccessRecord& r, double begin, double weight) {
  const double passes = r.wavefronts * lsu_cycles_, cycles = std::max(passes, request_cycles_);
  lsu_free_ = begin + cycles;
  totals_.lsu_busy += cycles * weight;
  const double latency = r.atomic ? times_.latency.shared * 2 : times_.latency.shared;
  return {begin + passes + latency - lsu_cycles_, lsu_free_};
}

double MemoryPath::store_line(int sectors, bool atomic, double begin, double weight) {
  totals_.stored_sectors += sectors * weight;
  const double cycles = sectors * l2_cycles_ * (atomic ? 2 : 1);
  totals_.l2_busy += cycles * weight;
  const double out = serve(l2_free_, begin, cycles);
  due_stores_ += sectors * load_.memory_share_stores;
  const double to_memory = std::floor(due_stores_);
  due_stores_ -= to_memory;
  if (to_memory > 0) {
    totals_.memory_busy += to_memory * memory_cycles_ * weight;
    serve(memory_free_, out, to_memory * memory_cycles_);
  }
  return out;
}

void MemoryPath::write_back(double begin, double weight) {
  if (const int sectors = cache_.written_back(); sectors > 0) store_line(sectors, false, begin, weight);
}

double MemoryPath::fetch_line(int sectors, double begin, double weight) {
  totals_.missed_sectors += sectors * weight;
  totals_.l2_busy += sectors * l2_cycles_ * weight;
  const double out = serve(l2_free_, begin, sectors * l2_cycles_);
  const double arrives = out + times_.latency.l2;
  // Misses of the second level come together: what one access asks for lies close by and was fetched at one time.
  due_loads_ += sectors * load_.memory_share_loads;
  if (due_loads_ < sectors - 1e-9) return arrives;
  due_loads_ -= sectors;
  const double cycles = sectors * memory_cycles_ * load_.memory_overfetch;
  totals_.memory_busy += cycles * weight;
  return std::max(arrives, serve(memory_free_, out, cycles) + times_.latency.memory);
}

std::uint64_t MemoryPath::shifted(std::uint64_t line, std::uint8_t buffer, std::int64_t position) const {
  if (position == 0 || !shift_) return line;
  return line + static_cast<std::uint64_t>(shift_(position, buffers_[buffer]) / 128);
}

std::vector<std::vector<float>> step_weights(const BlockTrace& trace) {
  std::vector<std::vector<float>> weights;
  for (const auto& steps : trace.warps) {
    std::vector<float> weight(steps.size(), 1);
    std::vector<std::pair<std::int32_t, std::size_t>> windows;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].instruction == TraceStep::window_mark) {
        std::erase_if(windows, [&](const auto& w) { return w.first == steps[i].detail; });
        windows.emplace_back(steps[i].detail, i);
      } else if (steps[i].instruction == TraceStep::skip_mark) {
        const auto& skip = trace.skips[static_cast<std::size_t>(steps[i].detail)];
        if (skip.window_instructions <= 0) continue;
        const float factor = 1 + static_cast<float>(static_cast<double>(skip.instructions) /
                                                    static_cast<double>(skip.window_instructions));
        for (const auto& [loop, begin] : windows)
          if (loop == skip.loop)
            for (std::size_t k = begin; k < i; ++k) weight[k] *= factor;
      }
    }
    weights.push_back(std::move(weight));
  }
  return weights;
}
}  // namespace sparsecast::gpu_code
