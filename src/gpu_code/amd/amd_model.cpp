#include "gpu_code/amd/amd_model.hpp"

#include <fmt/format.h>
#include <charconv>
#include <cmath>

#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/ptx/ptx_kernel_parser.hpp"

namespace sparsecast::gpu_code {
namespace {
std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// The number behind the words: "; ScratchSize: 84".
bool number_behind(std::string_view line, std::string_view words, std::int64_t& value) {
  const auto at = line.find(words);
  if (at == std::string_view::npos) return false;
  auto rest = line.substr(at + words.size());
  rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
  return std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc();
}

/// 32-bit words of a lane, by the end of the instruction's name.
int dwords_of(std::string_view word) {
  int words = 1;
  const auto has = [&](const std::string& part) { return word.find(part) != std::string_view::npos; };
  for (const int n : {2, 3, 4})
    if (has(fmt::format("x{}", n)) || has(fmt::format("b{}", 32 * n))) words = n;
  return word.starts_with("ds_read2") || word.starts_with("ds_write2") ? 2 * words : words;
}

/// `line` begins with the instruction's name.
bool read_instruction(std::string_view line, AmdInstruction& in) {
  const auto word = line.substr(0, line.find_first_of(" \t"));
  const auto is = [&](std::string_view begin) { return word.starts_with(begin); };
  if (is("v_")) {
    in.kind = AmdKind::vector;
  } else if (is("ds_")) {
    in.kind = AmdKind::lds;
    in.dwords = static_cast<std::int8_t>(dwords_of(word));
    in.wide = word.find("b64") != std::string_view::npos || word.find("b96") != std::string_view::npos ||
              word.find("b128") != std::string_view::npos;
  } else if (is("global_") || is("flat_") || is("buffer_") || is("scratch_")) {
    // Kernels of HIP and OpenCL reach buffers by global instructions; buffer instructions are the stack's.
    in.kind = is("buffer_") || is("scratch_") ? AmdKind::scratch : AmdKind::global;
    in.dwords = static_cast<std::int8_t>(dwords_of(word));
  } else if (is("s_waitcnt")) {
    in.kind = line.find("vmcnt") != std::string_view::npos ? AmdKind::wait_for_loads : AmdKind::wait;
  } else {
    return is("s_");
  }
  in.store = word.find("store") != std::string_view::npos || word.find("write") != std::string_view::npos;
  return true;
}

class AssemblyReader {
 public:
  AssemblyReader(const std::string& text, const std::string& source)
      : left_(text), source_(std::filesystem::path(source).filename().string()) {}

  AmdKernel find(const std::string& name) {
    std::string names;
    while (!left_.empty()) {
      const auto line = next_line(left_);
      if (starts_function(line)) continue;
      if (line.starts_with(".Lfunc_end")) inside_ = false;
      if (line.find(".amdhsa_kernel ") != std::string_view::npos) {
        described_ = true;
        names += (names.empty() ? "" : ", ") + source_name(current_.name);
      }
      if (line.find(".file") != std::string_view::npos) file(line);
      if (inside_) statement(line);
      if (described_ && remark(line) && (name.empty() || current_.name == name || source_name(current_.name) == name))
        return current_;
    }
    throw Error(
        ErrorCode::bad_input,
        name.empty() ? "there is no kernel in it" : fmt::format("there is no kernel '{}' in the assembly", name), {},
        names.empty() ? "is a function marked __global__ or __kernel?" : "it has: " + names);
  }

 private:
  bool starts_function(std::string_view line) {
    if (line.empty() || line[0] == ' ' || line[0] == '\t' || line[0] == '.' || line[0] == ';') return false;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    current_ = {};
    current_.name = line.substr(0, colon);
    inside_ = true;
    described_ = false;
    loop_ = line_ = 0;
    return true;
  }

  /// .file 1 "folder" "name": which number the user's file has.
  void file(std::string_view line) {
    std::int64_t number = 0;
    if (line.find(source_) == std::string_view::npos && line.find(unrolled_copy) == std::string_view::npos) return;
    if (number_behind(line, ".file", number)) file_ = number;
  }

  void statement(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return;
    const auto block = line.starts_with(".LBB") || line.starts_with("; %bb.");
    if (block) {
      loop_ = 0;
      this_block_ = 0;
      std::int64_t number = 0;
      if (line.starts_with(".LBB") && number_behind(line.substr(line.find('_')), "_", number))
        this_block_ = static_cast<std::int32_t>(number) + 1;
    }
    loop_remark(line);
    if (block || line[begin] == ';') return;
    if (line.substr(begin).starts_with(".loc")) {
      std::int64_t file = 0, number = 0;
      const auto rest = line.substr(begin + 4);
      if (!number_behind(rest, "", file)) return;
      const auto digit = rest.find_first_of("0123456789");
      const auto blank = rest.find_first_of(" \t", digit);
      if (blank != std::string_view::npos && number_behind(rest.substr(blank), "", number) && number > 0)
        line_ = file == file_ ? static_cast<std::int32_t>(number) : 0;
      return;
    }
    AmdInstruction in;
    if (!read_instruction(line.substr(begin), in)) return;
    in.line = line_;
    in.loop = loop_;
    current_.instructions.push_back(in);
  }

  /// "; =>This Inner Loop Header: Depth=1" opens the loop of this block, ";   in Loop: Header=BB0_3 Depth=1" is in one.
  void loop_remark(std::string_view line) {
    const auto comment = line.find(';');
    if (comment == std::string_view::npos) return;
    const auto text = line.substr(comment);
    if (text.find("Loop Header: Depth") != std::string_view::npos && text.find("=>") != std::string_view::npos) {
      loop_ = this_block_;
      return;
    }
    const auto header = text.find("in Loop: Header=BB");
    if (header == std::string_view::npos) return;
    std::int64_t number = 0;
    const auto rest = text.substr(header);
    if (const auto bar = rest.find('_'); bar != std::string_view::npos && number_behind(rest.substr(bar), "_", number))
      loop_ = static_cast<std::int32_t>(number) + 1;
  }

  /// What stands behind a kernel's code; true at the last of it.
  bool remark(std::string_view line) {
    if (line.empty() || line[0] != ';') return false;
    std::int64_t value = 0;
    if (number_behind(line, "TotalNumVgprs", value)) current_.vector_registers = static_cast<int>(value);
    if (number_behind(line, "ScratchSize", value)) current_.scratch_bytes = value;
    if (!number_behind(line, "LDSByteSize", value)) return false;
    current_.lds_bytes = value;
    return true;
  }

  std::string_view left_;
  std::string source_;
  AmdKernel current_;
  bool inside_ = false, described_ = false;
  std::int64_t file_ = -1;
  std::int32_t loop_ = 0, line_ = 0, this_block_ = 0;
};

constexpr double wave_lanes = 64;

/// What a warp does on one line of the source, by the trace.
struct LineWork {
  double instructions = 0, dwords = 0;
  bool narrow_shared = false;  ///< shared memory is reached by single words, whose alignment says no more
};

std::map<std::int32_t, LineWork> work_by_line(const PtxCode& ptx, const BlockTrace& trace, double warps) {
  std::map<std::int32_t, LineWork> lines;
  for (std::int32_t pc = 0; pc < ptx.size(); ++pc) {
    const auto& in = ptx.kernel().body[static_cast<std::size_t>(pc)];
    auto& line = lines[shown_line(ptx.module(), in)];
    const double times = static_cast<double>(trace.executed[static_cast<std::size_t>(pc)]) / warps;
    line.instructions += times;
    const bool memory = in.op == PtxOp::ld || in.op == PtxOp::st || in.op == PtxOp::atom || in.op == PtxOp::red;
    if (!memory || (in.space != PtxSpace::shared && in.space != PtxSpace::global)) continue;
    const int words = std::max(1, in.type.bytes * std::max<int>(in.type.lanes, 1) / 4);
    line.dwords += times * words;
    line.narrow_shared |= in.space == PtxSpace::shared && words == 1;
  }
  return lines;
}

/// How often a wave passes each loop of the assembly: what the trace moves on the loop's lines over what one pass of
/// all loops with them moves (a compiler makes several loops of one); by instructions where it moves nothing.
std::map<std::int32_t, double> passes_of_loops(const AmdKernel& kernel, const std::map<std::int32_t, LineWork>& work) {
  struct Sums {
    double instructions = 0, dwords = 0;
  };
  std::map<std::int32_t, std::map<std::int32_t, Sums>> loops;  // loop, line
  std::map<std::int32_t, Sums> all_loops;                      // line
  for (const auto& in : kernel.instructions)
    for (auto* sums : {&loops[in.loop][in.line], in.loop != 0 ? &all_loops[in.line] : nullptr}) {
      if (sums == nullptr) continue;
      ++sums->instructions;
      if (in.kind == AmdKind::lds || in.kind == AmdKind::global) sums->dwords += in.dwords;
    }
  std::map<std::int32_t, double> passes{{0, 1.0}};
  for (const auto& [loop, lines] : loops) {
    if (loop == 0) continue;
    Sums here, traced;
    for (const auto& [line, own] : lines) {
      const auto found = work.find(line);
      if (line == 0 || found == work.end()) continue;
      const auto& sums = all_loops[line];
      const auto& once = loops[0][line];  // what stands outside of loops is passed once
      here.instructions += sums.instructions;
      here.dwords += sums.dwords;
      traced.instructions += std::max(found->second.instructions - once.instructions, 0.0);
      if (sums.dwords > 0) traced.dwords += std::max(found->second.dwords - once.dwords, 0.0);
    }
    double times = 1;
    if (here.dwords > 0)
      times = traced.dwords / here.dwords;
    else if (here.instructions > 0)
      times = traced.instructions / here.instructions;
    passes[loop] = std::max(times, 1.0);
  }
  return passes;
}

/// Cycles of a compute unit for one block, and bytes of scratch memory.
struct BlockWork {
  double vector = 0, lds = 0, cache = 0, latency = 0, scratch_bytes = 0, instructions = 0;
  double waits = 0, loads = 0, scratch_loads = 0;  ///< of one wave
};

BlockWork block_work(const AmdKernel& kernel, const PtxCode& ptx, const TracedLaunch& traced,
                     const KernelTimes& times) {
  const auto work = work_by_line(ptx, traced.trace, static_cast<double>(traced.launch.warps_per_block()));
  const auto passes = passes_of_loops(kernel, work);
  const auto threads = static_cast<double>(traced.launch.threads_per_block());
  const double waves = std::ceil(threads / wave_lanes), lanes = threads / waves;
  BlockWork b;
  double on_the_way = 0;  // loads since the last wait for one, by the passes of their loops: they come back together
  for (const auto& in : kernel.instructions) {
    const double runs = passes.at(in.loop) * waves;
    b.instructions += runs;
    if (in.kind == AmdKind::wait || in.kind == AmdKind::wait_for_loads) b.waits += passes.at(in.loop);
    if (in.kind == AmdKind::wait_for_loads) b.latency += std::exchange(on_the_way, 0.0) * times.latency.l2;
    if (in.dwords > 0 && !in.store) (in.kind == AmdKind::scratch ? b.scratch_loads : b.loads) += passes.at(in.loop);
    switch (in.kind) {
      case AmdKind::vector: b.vector += runs * times.pipe.fma / times.partitions; break;
      case AmdKind::lds: {
        // Words that go in pairs without the alignment of a pair: a lane and pair at a time.
        const auto line = work.find(in.line);
        const bool misaligned = in.wide && (line == work.end() || line->second.narrow_shared);
        b.lds +=
            runs * (misaligned ? lanes * in.dwords / 2 : in.dwords * wave_lanes * 4 / times.shared_bytes_per_cycle);
        break;
      }
      case AmdKind::global:
        b.cache += runs * in.dwords * lanes * 4 / times.l1_bytes_per_cycle;
        if (in.loop != 0 && !in.store) on_the_way = std::max(on_the_way, passes.at(in.loop));
        break;
      case AmdKind::scratch: b.scratch_bytes += runs * in.dwords * lanes * 4; break;
      default: break;
    }
  }
  return b;
}
}  // namespace

AmdKernel read_amd_assembly(const std::string& text, const std::string& name, const std::string& source) {
  return AssemblyReader(text, source).find(name);
}

Overlap amd_time(const AmdKernel& kernel, const PtxCode& ptx, const TracedLaunch& traced, const KernelTimes& times,
                 const Occupancy& fits) {
  const auto b = block_work(kernel, ptx, traced, times);
  const auto blocks = static_cast<double>(traced.launch.blocks());
  const double capacity = static_cast<double>(times.multiprocessors) * fits.blocks;
  // Whole rounds of resident blocks, and what is left spread evenly.
  const double per_unit =
      std::floor(blocks / capacity) * fits.blocks + std::ceil(std::fmod(blocks, capacity) / times.multiprocessors);
  const double waves = std::ceil(static_cast<double>(traced.launch.threads_per_block()) / wave_lanes);
  // Scratch memory of all resident waves stays in the second level where it fits.
  const double scratch_resident = capacity * waves * wave_lanes * static_cast<double>(kernel.scratch_bytes);
  const double l2_rate = times.l2_bytes_per_cycle * times.l2_efficiency;
  const double memory_rate = times.memory_bandwidth * times.memory_efficiency / times.clock_hz;
  const double unit_rate =
      (scratch_resident > static_cast<double>(times.l2_bytes) ? memory_rate : l2_rate) / times.multiprocessors;
  // Its loads are waited for by each wave; the more waves there are, the more of that is hidden.
  const double scratch_waits = b.scratch_loads > 0 ? b.waits * b.scratch_loads / (b.scratch_loads + b.loads) : 0.0;
  const double scratch = std::max(b.scratch_bytes / unit_rate, scratch_waits * times.latency.l2 / fits.blocks);
  const double bytes = traced.footprint.memory_load_bytes + traced.footprint.memory_store_bytes;
  const double memory = bytes / blocks * times.multiprocessors / memory_rate;

  Overlap result;
  auto& d = result.details;
  d.cycles_per_block = {{"vector units", b.vector},  {"LDS", b.lds},
                        {"vector cache", b.cache},   {"memory bandwidth", memory},
                        {"scratch memory", scratch}, {"latency chain", b.latency / fits.blocks}};
  std::ranges::stable_sort(d.cycles_per_block, [](const auto& x, const auto& y) { return x.second > y.second; });
  const double cycles = d.cycles_per_block.front().second * per_unit * traced.mean_work;
  d.launch_s = times.launch_s;
  d.waves = static_cast<std::int64_t>(std::ceil(per_unit / fits.blocks));
  d.wave_s = times.seconds(cycles / static_cast<double>(d.waves));
  d.resident_warps = static_cast<int>(fits.blocks * waves);
  d.warp_instructions = std::llround(b.instructions * blocks);
  d.memory_bytes = bytes + b.scratch_bytes * blocks;
  d.l2_bytes = d.memory_bytes;
  d.schedule = "back end's assembly, without a schedule";
  d.clock_hz = times.clock_hz;
  result.estimate.model = "overlapped";
  result.estimate.seconds = times.launch_s + times.seconds(cycles);
  result.estimate.cycles = result.estimate.seconds * times.clock_hz;
  result.estimate.bound_by = d.cycles_per_block.front().first;
  return result;
}
}  // namespace sparsecast::gpu_code
