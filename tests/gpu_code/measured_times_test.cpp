// Kernel times from a device's micro-benchmarks: what readings mean, and that the chains which are timed are what their
// names say, in machine code of three compute capabilities.
#include "gpu_code/times/kernel_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/error.hpp>

#include "base/random.hpp"
#include "gpu_code/compile/assembler.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/tool_folder.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/overlap/overlap_model.hpp"
#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/ptx/ptx_parser.hpp"
#include "gpu_code/sass/sass_machine.hpp"
#include "gpu_code/times/measured_times.hpp"
#include "gpu_code/times/time_belief.hpp"
#include "gpu_code/trace/warp_run.hpp"
#include "hardware/gpu/micro_benchmarks.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::gpu_code {
namespace {

constexpr int multiprocessors = 100, groups = 8 * multiprocessors, threads = 256;

DeviceProperties device() {
  DeviceProperties p;
  p.name = "cuda:0";
  p.model = "NVIDIA Test 9000";
  p.kind = DeviceKind::cuda;
  p.compute_units = multiprocessors;
  p.warp_size = 32;
  p.warps_per_unit = 64;
  p.threads_per_unit = 2048;
  p.memory_bytes = std::int64_t{80} << 30;
  p.memory_bandwidth = 3e12;
  p.clock_hz = 1.6e9;
  p.caches.push_back({2, 50 << 20, 128, multiprocessors});
  p.limits["compute_capability"] = 9.0;
  return p;
}

// No value as in a table that ships, so that none can come from there.
KernelTimes truth() {
  KernelTimes t = kernel_times("nvidia-h100");
  t.clock_hz = 1.41e9;
  t.pipe = {.fma = 2.2, .fma_pipes = 2, .alu = 2.5, .half = 1.3, .xu = 9, .double_ = 3};
  t.latency.fma = 4.4;
  t.latency.alu = 5.1;
  t.latency.xu = 17;
  t.latency.double_ = 9.5;
  t.latency.shared = 29;
  t.latency.l1 = 38;
  t.latency.l2 = 277;
  t.latency.memory = 612;
  t.latency.barrier = 21;
  t.latency.shuffle = 24;
  t.shared_bytes_per_cycle = 119;
  t.l1_bytes_per_cycle = 97;
  t.l2_bytes_per_cycle = 3300;
  t.l2_efficiency = 1;
  t.memory_bandwidth = 3e12;
  t.memory_efficiency = 0.87;
  return t;
}

// Cycles from one step to the next: of one warp, and with eight groups on every multiprocessor.
double latency_of(const std::string& name, const KernelTimes& t) {
  const std::map<std::string, double> cycles{{"add-f32", t.latency.fma},
                                             {"multiply-f32", t.latency.fma},
                                             {"fma-f32", t.latency.fma},
                                             {"add-f64", t.latency.double_},
                                             {"multiply-f64", t.latency.double_},
                                             {"fma-f64", t.latency.double_},
                                             {"fma-f16x2", 5},
                                             {"integer", t.latency.alu},
                                             {"integer-multiply-add", 4.4},
                                             {"reciprocal-root", t.latency.xu + t.pipe.xu},
                                             {"exponential", t.latency.xu + t.pipe.xu},
                                             {"conversion", t.latency.xu + t.pipe.xu},
                                             {"shuffle", t.latency.shuffle},
                                             {"barrier", t.latency.barrier},
                                             {"load-shared", t.latency.shared},
                                             {"load-l1", t.latency.l1},
                                             {"load-l2", t.latency.l2},
                                             {"load-memory", t.latency.memory}};
  return cycles.at(name);
}
double throughput_of(const std::string& name, const KernelTimes& t) {
  constexpr double warps = 64, lanes = 32;  // per multiprocessor, per warp
  const double in_partition = warps / 4;
  const double all_bytes = warps * lanes * 8 * multiprocessors;
  const std::map<std::string, double> cycles{
      {"add-f32", in_partition * t.pipe.fma / 2},
      {"multiply-f32", in_partition * t.pipe.fma / 2},
      {"fma-f32", in_partition * t.pipe.fma / 2},
      {"add-f64", in_partition * t.pipe.double_},
      {"multiply-f64", in_partition * t.pipe.double_},
      {"fma-f64", in_partition * t.pipe.double_},
      {"fma-f16x2", in_partition * t.pipe.half},
      {"integer", in_partition * t.pipe.alu},
      {"integer-multiply-add", in_partition * 2},
      {"reciprocal-root", in_partition * t.pipe.xu},
      {"exponential", in_partition * t.pipe.xu},
      {"conversion", in_partition * t.pipe.xu},
      {"shuffle", warps},
      {"load-shared", warps * lanes * 4 / t.shared_bytes_per_cycle},
      {"load-l1", warps * lanes * 8 / t.l1_bytes_per_cycle},
      {"load-l2", all_bytes / t.l2_bytes_per_cycle},
      {"load-memory", all_bytes / (t.memory_bandwidth * t.memory_efficiency / t.clock_hz)}};
  return cycles.at(name);
}

// What a device with those times would read, each reading off by up to `noise` of itself.
std::vector<MicroBenchmark> readings_of(const KernelTimes& t, double noise) {
  base::Random random(7);
  const auto blurred = [&](double value) { return value * (1 + noise * (2 * random.uniform() - 1)); };
  std::vector<MicroBenchmark> list;
  const auto add = [&](const hardware::MicroBenchmarkKind& kind, bool throughput) {
    MicroBenchmark b{std::string(kind.name), throughput, throughput ? groups : 1, throughput ? threads : 32, {}, {}, 0};
    const double step = throughput ? throughput_of(b.name, t) : latency_of(b.name, t);
    constexpr double clock_read = 40, launch_s = 3e-6;
    const auto run = [&](std::int64_t steps) {
      const double cycles = clock_read + static_cast<double>(steps) * step;
      return MicroBenchmark::Run{steps, blurred(cycles), launch_s + blurred(cycles / t.clock_hz)};
    };
    b.shorter = run(32 * 64);
    b.longer = run(96 * 64);
    list.push_back(b);
  };
  for (const hardware::MicroBenchmarkKind& kind : hardware::micro_benchmark_kinds()) {
    if (kind.latency) add(kind, false);
    if (kind.throughput) add(kind, true);
  }
  return list;
}

void expect_near(const KernelTimes& got, const KernelTimes& want, double tolerance) {
  const auto close = [&](const char* what, double a, double b) { EXPECT_NEAR(a, b, tolerance * b) << what; };
  close("clock", got.clock_hz, want.clock_hz);
  close("fma", got.pipe.fma, want.pipe.fma);
  close("alu", got.pipe.alu, want.pipe.alu);
  close("half", got.pipe.half, want.pipe.half);
  close("xu", got.pipe.xu, want.pipe.xu);
  close("double", got.pipe.double_, want.pipe.double_);
  close("fma latency", got.latency.fma, want.latency.fma);
  close("alu latency", got.latency.alu, want.latency.alu);
  close("xu latency", got.latency.xu, want.latency.xu);
  close("double latency", got.latency.double_, want.latency.double_);
  close("shared latency", got.latency.shared, want.latency.shared);
  close("l1 latency", got.latency.l1, want.latency.l1);
  close("l2 latency", got.latency.l2, want.latency.l2);
  close("memory latency", got.latency.memory, want.latency.memory);
  close("barrier", got.latency.barrier, want.latency.barrier);
  close("shuffle", got.latency.shuffle, want.latency.shuffle);
  close("shared", got.shared_bytes_per_cycle, want.shared_bytes_per_cycle);
  close("l1", got.l1_bytes_per_cycle, want.l1_bytes_per_cycle);
  close("l2", got.l2_bytes_per_cycle * got.l2_efficiency, want.l2_bytes_per_cycle);
  close("memory", got.memory_bandwidth * got.memory_efficiency, want.memory_bandwidth * want.memory_efficiency);
}

TEST(MeasuredTimes, AreThoseThatTheReadingsCameFrom) {
  const KernelTimes table = kernel_times("nvidia-h100"), want = truth();
  expect_near(laid_over(table, device(), readings_of(want, 0)), want, 1e-9);
  expect_near(laid_over(table, device(), readings_of(want, 0.005)), want, 0.04);
}

TEST(MeasuredTimes, LeaveWhatWasNotMeasured) {
  const KernelTimes table = kernel_times("nvidia-h100");
  auto readings = readings_of(truth(), 0);
  std::erase_if(readings, [](const MicroBenchmark& b) { return b.name != "fma-f32" || b.throughput; });
  const KernelTimes times = laid_over(table, device(), readings);
  EXPECT_NEAR(times.latency.fma, 4.4, 1e-9) << "the one that is there";
  EXPECT_EQ(times.latency.l2, table.latency.l2);
  EXPECT_EQ(times.pipe.fma, table.pipe.fma);
  EXPECT_EQ(times.clock_hz, table.clock_hz);
  EXPECT_EQ(times.latency.tensor, table.latency.tensor);
  std::set<std::string> measured;
  for (const auto& [what, source] : times.sources)
    if (source.starts_with("measured")) measured.insert(what);
  EXPECT_EQ(measured, std::set<std::string>{"latency_cycles.fma"});
}

TEST(MeasuredTimes, PassOverAReadingWhoseLongerRunIsNotLonger) {
  const KernelTimes table = kernel_times("nvidia-h100");
  auto readings = readings_of(truth(), 0);
  for (MicroBenchmark& b : readings) std::swap(b.shorter.cycles, b.longer.cycles);
  const KernelTimes times = laid_over(table, device(), readings);
  EXPECT_EQ(times.latency.l2, table.latency.l2);
  EXPECT_EQ(times.clock_hz, table.clock_hz);
}

Profile profile_of(const KernelTimes& times) {
  Profile profile;
  profile.name = "cuda:0";
  profile.properties = device();
  profile.micro_benchmarks = readings_of(times, 0);
  profile.curves.push_back({"launch", 0, {1}, {1.75e-6}});
  return profile;
}

TEST(MeasuredTimes, OfABoardWithoutATableStandOnItsFamilys) {
  const KernelTimes times = measured_times(profile_of(truth()));
  EXPECT_EQ(times.multiprocessors, multiprocessors);
  EXPECT_EQ(times.registers, kernel_times("nvidia-h100").registers);
  EXPECT_EQ(times.l2_bytes, 50 << 20);
  EXPECT_DOUBLE_EQ(times.launch_s, 1.75e-6);
  expect_near(times, truth(), 1e-9);
}

TEST(MeasuredTimes, OfAnArchitectureThatNoTableHasStandOnTheNearestOlder) {
  Profile profile = profile_of(truth());
  profile.properties.limits["compute_capability"] = 8.9;
  EXPECT_EQ(measured_times(profile).architecture, 89);
  EXPECT_EQ(measured_times(profile).unified_bytes, kernel_times("nvidia-rtx-3090").unified_bytes);
  EXPECT_FALSE(measured_times(profile).borrowed_from.empty());
}

TEST(DescribedTimes, OfEveryGpuOfTheCatalogue) {
  int gpus = 0;
  for (const std::string& name : described_devices()) {
    const DeviceProperties described = describe_device(name);
    if (described.kind == DeviceKind::host) {
      EXPECT_THROW((void)times_of_device(name), Error) << name;
      continue;
    }
    const KernelTimes times = times_of_device(name);
    require_complete(times, name);
    EXPECT_EQ(times.name, name);
    EXPECT_EQ(times.processor.empty(), described.vendor != "AMD") << name;
    ++gpus;
  }
  EXPECT_GE(gpus, 25);
  const KernelTimes t4 = times_of_device("nvidia-t4"), l4 = times_of_device("nvidia-l4"),
                    k40 = times_of_device("tesla-k40m"), b200 = times_of_device("nvidia-b200");
  EXPECT_TRUE(t4.borrowed_from.empty());  // of the RTX 2080 Ti's architecture
  EXPECT_EQ(t4.multiprocessors, 40);
  EXPECT_EQ(l4.borrowed_from, "nvidia-rtx-a4000");  // the nearest in size of the newest that is not newer
  EXPECT_EQ(k40.borrowed_from, "nvidia-v100");
  EXPECT_EQ(b200.architecture, 90);
  // By another's instruction times the interval is wider.
  const auto near = TimeBelief(t4).interval(1, false), far = TimeBelief(l4).interval(1, false);
  EXPECT_GT(far.high_s / far.low_s, 1.2 * near.high_s / near.low_s);
}

TEST(MeasuredTimes, OfAKnownBoardStandOnItsTable) {
  Profile profile = profile_of(truth());
  profile.properties.model = "NVIDIA A100-PCIE-40GB";
  profile.properties.limits["compute_capability"] = 8.0;
  const KernelTimes table = kernel_times("nvidia-a100-pcie-40gb"), times = measured_times(profile);
  EXPECT_EQ(times.base_clock_hz, table.base_clock_hz);
  EXPECT_EQ(times.l2_bytes, table.l2_bytes);
  EXPECT_NE(times.latency.l2, table.latency.l2);
}

constexpr const char* multiply_adds = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 p, .param .u32 n) {
  .reg .pred %q; .reg .b32 %r<3>; .reg .f32 %f<2>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.f32 %f1, 0f3F800000;
LOOP:
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %q, %r2, %r1;
  @%q bra LOOP;
  st.global.f32 [%d1], %f1;
  ret;
})";

TEST(MeasuredTimes, AProfilesFileIsADeviceOfTheCommand) {
  const test::TemporaryFolder folder;
  const auto code = folder.write("spin.ptx", multiply_adds).string(), file = (folder.path() / "p.json").string();
  const auto seconds = [&](const KernelTimes& times) {
    write_profile(profile_of(times), file);
    const auto result = test::sparsecast({"kernel", code, "--grid", "1000", "--block", "256", "--arg", "1=10000",
                                          "--model", "overlapped", "--device", file, "--json"},
                                         {"SPARSECAST_HOME=" + folder.path().string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["estimates"][0]["seconds"].get<double>();
  };
  KernelTimes slow = truth();
  slow.clock_hz /= 2;
  EXPECT_NEAR(seconds(slow), 2 * seconds(truth()), 0.05 * seconds(slow)) << "measured times decide";

  Profile none = profile_of(truth());
  none.micro_benchmarks.clear();
  write_profile(none, file);
  const std::vector<std::string> command{"kernel", code, "--grid", "1", "--block", "32", "--arg", "1=1", "--device"};
  auto with_file = command, with_device = command;
  with_file.push_back(file);
  with_device.emplace_back("cuda:0");
  const auto refused = test::sparsecast(with_file);
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_NE(refused.err.find("calibrate --device cuda:0 --instructions"), std::string::npos) << refused.err;
  const auto absent = test::sparsecast(with_device, {"SPARSECAST_HOME=" + folder.path().string()});
  EXPECT_EQ(absent.exit_code, 4);
  EXPECT_NE(absent.err.find("never calibrated"), std::string::npos) << absent.err;
}

// The kernels that are timed.

class Chains : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (find_cuda_tool("nvcc").empty() || find_cuda_tool("ptxas").empty()) SKIP_OR_FAIL(test::parts::nvcc);
    const std::string texts = std::string(SPARSECAST_SOURCE_DIR) + "/src/hardware/gpu/kernels/";
    const auto include = [&](const char* name) { return "#include \"" + texts + name + "\"\n"; };
    KernelTimes times;
    times.architecture = GetParam();
    code_ = load_code(
        folder_.write("chains.cu", "#define GROUP 256\n#define WARP 32\n" + include("cuda.h") + include("chains.h") +
                                       "#define SUFFIX f32\n#define VALUE float\n" + include("value_chains.cl") +
                                       include("chains.cl") + "#undef SUFFIX\n#undef VALUE\n" +
                                       "#define SUFFIX f64\n#define VALUE double\n" + include("value_chains.cl")),
        "", {}, times, false);
    module_ = parse_ptx(code_.ptx, code_.file);
    assembled_ = assemble(code_.ptx, GetParam());
    ASSERT_TRUE(assembled_.available);
  }
  static std::string symbol(const hardware::MicroBenchmarkKind& kind) {
    return std::string(kind.function) + (kind.precision == Precision::double_ ? "_f64" : "_f32");
  }

  test::TemporaryFolder folder_;
  KernelCode code_;
  PtxModule module_;
  Assembled assembled_;
};

// Operations (bits 0 to 8 of an instruction) that each chain may consist of.
const std::map<std::string, std::set<std::uint32_t>> operations{
    {"add-f32", {0x21}},         {"multiply-f32", {0x20}},  {"fma-f32", {0x23}},
    {"add-f64", {0x29}},         {"multiply-f64", {0x28}},  {"fma-f64", {0x2b}},
    {"fma-f16x2", {0x31, 0x35}}, {"integer", {0x17, 0x48}}, {"reciprocal-root", {0x108}},
    {"exponential", {0x108}},    {"conversion", {0x105}},   {"integer-multiply-add", {0x24}},
    {"shuffle", {0x189}},        {"barrier", {0x11d}},      {"load-shared", {0x184}},
    {"load-l1", {0x181}},        {"load-l2", {0x181}},      {"load-memory", {0x181}}};

// The longest run of such operations in which each reads what the one before it wrote.
std::vector<std::int32_t> longest_chain(const std::vector<SassWord>& words, const std::set<std::uint32_t>& wanted,
                                        std::int32_t begin, std::int32_t end) {
  constexpr std::uint32_t none = 255;
  std::vector<std::int32_t> best, chain;
  std::uint32_t last = none;
  for (std::int32_t pc = begin; pc < end; ++pc) {
    const SassWord& word = words[static_cast<std::size_t>(pc)];
    if (!wanted.contains(word.operation())) continue;
    const std::uint32_t target = word.bits(16, 8);
    const bool barrier = word.operation() == 0x11d;
    const bool reads = word.bits(24, 8) == last || word.bits(32, 8) == last || word.bits(64, 8) == last;
    if (!barrier && !(last != none && reads)) chain.clear();
    chain.push_back(pc);
    last = target;
    if (chain.size() > best.size()) best = chain;
  }
  return best;
}

TEST_P(Chains, AreThatManyDependentOperationsOfTheirKind) {
  for (const hardware::MicroBenchmarkKind& kind : hardware::micro_benchmark_kinds()) {
    const std::string name(kind.name);
    const auto& kernel = find_kernel(module_, symbol(kind));
    Launch launch;
    launch.block = {256, 1, 1};
    // threads, short rounds, long rounds
    launch.arguments = {
        {"0", "32"}, {"1", "5"}, {"2", "3"}, {"3", kind.ring == hardware::MicroBenchmarkKind::Ring::none ? "1" : "0"}};
    if (kind.ring != hardware::MicroBenchmarkKind::Ring::none) launch.arguments["4"] = "0";
    const PtxCode ptx(module_, kernel, launch);
    const auto cubin = read_cubin(assembled_.cubin, kernel.name, code_.file);
    const SassCode sass(cubin, ptx, launch, assembled_.architecture);
    const auto trace = run_block(sass, launch, {0, 0, 0}, {});
    // The rounds are the loops that hold 32 and 96 operations in a row, one waiting for the other.
    const auto& wanted = operations.at(name);
    std::vector<std::size_t> lengths;
    std::int64_t executed = 0;
    for (const CodeLoop& loop : sass.loops()) {
      const auto chain = longest_chain(sass.words(), wanted, loop.head, loop.tail + 1);
      if (chain.size() < 16) continue;
      lengths.push_back(chain.size());
      for (const std::int32_t pc : chain) executed += trace.executed[static_cast<std::size_t>(pc)];
      EXPECT_LE(loop.tail - loop.head + 1 - static_cast<std::int32_t>(chain.size()), 8) << name << ": the loop's own";
    }
    std::sort(lengths.begin(), lengths.end());
    EXPECT_EQ(lengths, (std::vector<std::size_t>{32, 96})) << name << " for " << GetParam();
    const std::int64_t warps = kind.whole_group ? 8 : 1;
    EXPECT_EQ(executed, warps * (5 * 32 + 3 * 96)) << name << " for " << GetParam();
  }
}

TEST_P(Chains, VisitTheFootprintOfTheirRing) {
  const hardware::PointerRing ring = hardware::shuffled_ring(64 * 128);
  constexpr std::uint64_t ring_parameter = 5, base = (ring_parameter + 1) * buffer_stride;
  std::vector<std::int64_t> content = ring.links();
  for (std::int64_t& link : content) link += static_cast<std::int64_t>(base);  // as link_ring leaves them
  std::vector<std::uint8_t> bytes(8 * content.size());
  std::memcpy(bytes.data(), content.data(), bytes.size());
  for (const char* kernel_name : {"chase_near_f32", "chase_far_f32"}) {
    const auto& kernel = find_kernel(module_, kernel_name);
    const auto cubin = read_cubin(assembled_.cubin, kernel.name, code_.file);
    for (const auto& [rounds, lines] : std::map<std::string, std::size_t>{{"1", 32}, {"2", 64}, {"5", 64}}) {
      Launch launch;
      launch.block = {256, 1, 1};
      launch.arguments = {{"0", "1"}, {"1", rounds}, {"2", "0"}, {"3", "0"}, {"4", "0"}};
      launch.buffers["5"] = bytes;
      const PtxCode ptx(module_, kernel, launch);
      const SassCode sass(cubin, ptx, launch, assembled_.architecture);
      for (const Code* code : {static_cast<const Code*>(&ptx), static_cast<const Code*>(&sass)}) {
        const auto trace = run_block(*code, launch, {0, 0, 0}, {});
        std::set<std::uint64_t> visited;
        for (const LineAccess& access : trace.loaded)
          if (access.line * 128 >= base && access.line * 128 < base + bytes.size()) visited.insert(access.line);
        EXPECT_EQ(visited.size(), lines) << kernel_name << " for " << GetParam();
        EXPECT_EQ(trace.unknown_addresses, 0) << kernel_name;
        int loads = 0;
        for (const AccessRecord& access : trace.accesses) {
          if (access.store || access.space != MemorySpace::global) continue;
          ++loads;
          EXPECT_EQ(access.bypass_l1, std::string(kernel_name) == "chase_far_f32") << GetParam();
        }
        EXPECT_GT(loads, 0) << kernel_name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Chains, ::testing::Values(75, 80, 90));

}  // namespace
}  // namespace sparsecast::gpu_code
