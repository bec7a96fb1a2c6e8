#include "memory_traffic/run/traffic.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/curve.hpp"
#include "base/files.hpp"

namespace sparsecast::memory_traffic {
namespace {
constexpr std::uint64_t cache_event(std::uint64_t cache, std::uint64_t result) {
  return cache | (static_cast<std::uint64_t>(PERF_COUNT_HW_CACHE_OP_READ) << 8) | (result << 16);
}

// In the order of CounterEvent.
constexpr std::array<std::uint64_t, counter_events> event_numbers{
    cache_event(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_MISS),
    cache_event(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_RESULT_ACCESS),
    cache_event(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_RESULT_MISS)};

int open_event(std::uint64_t event, pid_t process) {
  perf_event_attr about{};
  about.size = sizeof about;
  about.type = PERF_TYPE_HW_CACHE;
  about.config = event;
  about.inherit = 1;
  about.exclude_kernel = 1;
  about.exclude_hv = 1;
  about.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr unsigned long close_on_exec = PERF_FLAG_FD_CLOEXEC;
  return static_cast<int>(syscall(SYS_perf_event_open, &about, process, -1, -1, close_on_exec));
}

std::string why(int failure) {
  switch (failure) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return "this machine has no cache counters (most virtual machines have none)";
    case EACCES:
    case EPERM: return "the system does not allow counters: see /proc/sys/kernel/perf_event_paranoid";
    case ENOSYS: return "this kernel has no perf_event_open";
    default: return fmt::format("perf_event_open: {}", std::strerror(failure));  // NOLINT(concurrency-mt-unsafe)
  }
}

// Outermost regions of the script; of the functions where it has none.
std::vector<Region> outermost(const std::vector<Region>& all) {
  std::vector<Region> found;
  for (const bool function : {false, true}) {
    std::size_t end = 0;
    for (const Region& region : all) {
      if (region.function != function || region.begin < end) continue;
      found.push_back(region);
      end = region.end;
    }
    if (!found.empty()) break;
  }
  return found;
}

// Reads the counters as soon as the program says that a region begins or ends. It does not wait for that: reading a
// line from a pipe, Octave waits for the character behind it, too.
class CounterReader {
 public:
  explicit CounterReader(const std::filesystem::path& told) {
    if (::mkfifo(told.c_str(), 0600) != 0)
      throw Error(ErrorCode::failed, "cannot make a pipe", {told.string()}, "is the temporary folder's disk full?");
    // For reading and writing, so that the program need not wait for us to open it.
    told_ = ::open(told.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    thread_ = std::jthread([this](const std::stop_token& stop) { listen(stop); });
  }
  ~CounterReader() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    if (told_ >= 0) ::close(told_);
  }
  CounterReader& operator=(CounterReader&&) = delete;  // nor copied

  /// Behind the program's end.
  [[nodiscard]] std::optional<double> counted(CounterEvent event) {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    return total_[static_cast<std::size_t>(event)];
  }

 private:
  int told_ = -1;
  std::unique_ptr<HardwareCounters> counters_;
  std::array<std::optional<double>, counter_events> begin_, total_;
  std::string text_;
  std::jthread thread_;

  void listen(const std::stop_token& stop) {
    constexpr int wait_ms = 20;
    while (!stop.stop_requested()) {
      pollfd waiting{told_, POLLIN, 0};
      if (::poll(&waiting, 1, wait_ms) <= 0) continue;
      std::array<char, 256> piece{};
      const ssize_t length = ::read(told_, piece.data(), piece.size());
      if (length <= 0) continue;
      text_.append(piece.data(), static_cast<std::size_t>(length));
      for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
        hear(text_.substr(0, end));
        text_.erase(0, end + 1);
      }
    }
  }

  // "process 4711", then "begin" and "end" in turns.
  void hear(const std::string& word) {
    constexpr std::string_view process = "process ";
    if (word.starts_with(process)) {
      counters_ = std::make_unique<HardwareCounters>(std::atoi(word.c_str() + process.size()));
      return;
    }
    if (!counters_) return;
    for (std::size_t k = 0; k < counter_events; ++k) {
      const std::optional<double> now = counters_->read(static_cast<CounterEvent>(k));
      if (word == "begin") begin_[k] = now;
      if (word == "end" && now && begin_[k]) total_[k] = total_[k].value_or(0) + *now - *begin_[k];
    }
  }
};

// Share of the traced bytes whose stack distance is beyond a capacity.
double share_beyond(const std::vector<double>& reach, double capacity) {
  double beyond = 0, all = 0;
  for (std::size_t bin = 0; bin < reach.size(); ++bin) {
    all += reach[bin];
    const bool first_touch = bin + 1 == reach.size();
    if (first_touch || std::exp2(static_cast<double>(bin + 1) / 4) > capacity) beyond += reach[bin];
  }
  return all > 0 ? beyond / all : 1;
}

const Curve& bandwidth_curve(const Profile& machine, int threads) {
  const Curve* found = nullptr;
  for (const Curve& curve : machine.curves)
    if (curve.name == "read_bandwidth" && base::usable(curve) &&
        (found == nullptr || (threads > 0 && curve.threads == threads)))
      found = &curve;
  if (found == nullptr)
    throw Error(ErrorCode::bad_input, "the profile '" + machine.name + "' holds no read_bandwidth", {},
                "calibrate that machine");
  return *found;
}

// Bytes of a sparse matrix as Octave counts it: values, 4-byte indices and pointers.
double sparse_bytes(const Structure& operand) {
  return 12 * static_cast<double>(operand.nonzeros) + 4 * static_cast<double>(operand.cols + 1);
}

// How often the products of an operand read it: once for a block of vectors, once for each that comes alone.
double times_read(double products, double bytes, const Structure& operand) {
  const double vectors = products * 8 * static_cast<double>(operand.cols);
  return bytes > vectors ? std::min(products, (bytes - vectors) / sparse_bytes(operand)) : products;
}

// Adds the seconds of the region's products that were forecast; gives the loads and stores that they stand for. What a
// block's further vectors move stays: a product that has its matrix at hand is as fast as they are read and written.
std::pair<double, double> take_products(const RegionTraffic& region, double& seconds,
                                        const std::vector<Structure>& operands,
                                        const std::vector<std::optional<double>>& product_s) {
  double loads = 0, stores = 0;
  for (std::size_t i = 0; i < std::min(region.products.size(), operands.size()); ++i) {
    if (!product_s[i] || region.products[i] <= 0) continue;
    const double reads = times_read(region.products[i], region.product_bytes[i], operands[i]);
    const double further = (region.products[i] - reads) * 8 * static_cast<double>(operands[i].cols);
    seconds += reads * *product_s[i];
    loads += region.product_bytes[i] - further;
    stores += reads * 8 * static_cast<double>(operands[i].rows);
  }
  return {std::min(loads, region.load_bytes), std::min(stores, region.store_bytes)};
}
}  // namespace

HardwareCounters::HardwareCounters(pid_t process) {
  bool any = false;
  for (std::size_t k = 0; k < counter_events; ++k) {
    descriptors_[k] = open_event(event_numbers[k], process);
    if (descriptors_[k] >= 0)
      any = true;
    else if (reason_.empty())
      reason_ = why(errno);
  }
  if (any) reason_.clear();
}

HardwareCounters::~HardwareCounters() {
  for (const int descriptor : descriptors_)
    if (descriptor >= 0) close(descriptor);
}

std::optional<double> HardwareCounters::read(CounterEvent event) const {
  const int descriptor = descriptors_[static_cast<std::size_t>(event)];
  std::array<std::uint64_t, 3> counted{};  // value, time enabled, time running
  if (descriptor < 0 || ::read(descriptor, counted.data(), sizeof counted) != sizeof counted) return std::nullopt;
  if (counted[2] == 0) return counted[1] == 0 ? std::optional<double>(0) : std::nullopt;
  return static_cast<double>(counted[0]) * static_cast<double>(counted[1]) / static_cast<double>(counted[2]);
}

std::string text_with_clocks(const SourceText& source) {
  struct Insertion {
    std::size_t at;
    std::string_view text;
  };
  std::vector<Insertion> insertions;
  for (const Region& region : outermost(find_regions(source, parse(source)))) {
    if (!source.starts_line(region.begin) || !source.starts_line(region.end)) continue;
    if (region.function) {
      insertions.push_back({region.begin, "slm_guard = SLMclock('body'); "});
    } else {
      insertions.push_back({region.begin, "SLMclock('begin'); "});
      insertions.push_back({region.end, "SLMclock('end'); "});
    }
  }
  if (insertions.empty()) return {};
  std::ranges::sort(insertions, {}, &Insertion::at);
  std::string text;
  std::size_t at = 0;
  for (const Insertion& insertion : insertions) {
    text.append(source.slice(at, insertion.at)).append(insertion.text);
    at = insertion.at;
  }
  return text.append(source.slice(at, source.size()));
}

MeasuredRun measure_program(const std::filesystem::path& file, const RunOptions& options) {
  MeasuredRun run;
  const SourceText source = read_program(file);
  const Translation translation = translate(source, file.stem().string());
  const std::string text = text_with_clocks(source);
  run.counters = HardwareCounters(::getpid()).reason();
  if (text.empty()) {
    run.counters = "no region begins and ends on lines of its own";
    return run;
  }
  const base::TemporaryFolder workshop(
      base::TemporaryPlace{.purpose = "the run of the program", .prefix = "sparsecast-traffic"});
  const std::filesystem::path code = workshop.path() / "program", written = code / (file.stem().string() + ".m"),
                              seconds = workshop.path() / "seconds", told = workshop.path() / "told";
  std::filesystem::create_directory(code);
  base::write_file_atomically(written, text, {"program with clocks", "is the disk full?"});
  std::unique_ptr<CounterReader> reader;
  std::string pipes;
  if (run.counters.empty()) {
    reader = std::make_unique<CounterReader>(told);
    // A moment for the counters to be opened.
    pipes = fmt::format(
        "global SLM_signal; SLM_signal = fopen({}, 'w'); fprintf(SLM_signal, 'process %d\\n', getpid()); "
        "fflush(SLM_signal); pause(0.1); ",
        matlab_text(told));
  }
  OctaveJob job;
  job.code = fmt::format(
      "sigterm_dumps_octave_core(false); warning('off', 'Octave:shadowed-function'); addpath({}); addpath({}); "
      "addpath({}); {}{}; SLMclock('write', {});",
      matlab_text(std::filesystem::absolute(file).parent_path()), matlab_text(library_folder()), matlab_text(code),
      pipes, call_of(translation, written, options, file.string()), matlab_text(seconds));
  job.time_limit_s = options.time_limit_s;
  job.writes_beneath = {workshop.path(), std::filesystem::absolute(file).parent_path()};
  job.messages = workshop.path() / "messages";
  const OctaveEnd end = run_octave(job);
  std::error_code ignored;
  if (end.timed_out || !std::filesystem::is_regular_file(seconds, ignored)) {
    run.counters = end.timed_out ? "the measured run did not end in time" : "the measured run failed";
    return run;
  }
  run.seconds = std::strtod(base::read_file(seconds).c_str(), nullptr);
  if (!reader) return run;
  run.first_level_misses = reader->counted(CounterEvent::first_level_misses);
  run.last_level_loads = reader->counted(CounterEvent::last_level_loads);
  run.last_level_misses = reader->counted(CounterEvent::last_level_misses);
  run.counters = "lines of loads, by the processor's counters";
  return run;
}

void add_measured(ProgramLevels& whole, const Profile& machine, const MeasuredRun& measured) {
  double line = 64;
  if (!machine.properties.caches.empty() && machine.properties.caches.front().line_bytes > 0)
    line = machine.properties.caches.front().line_bytes;
  const auto bytes = [&](const std::optional<double>& lines) {
    return lines ? std::optional<double>(*lines * line) : std::nullopt;
  };
  // What misses one level comes from the next.
  const std::size_t count = whole.levels.size();
  if (count > 1) whole.levels[1].measured_bytes = bytes(measured.first_level_misses);
  if (count > 3) whole.levels[count - 2].measured_bytes = bytes(measured.last_level_loads);
  if (count > 2) whole.levels[count - 1].measured_bytes = bytes(measured.last_level_misses);
  whole.measured_seconds = measured.seconds;
  whole.counters = measured.counters;
}

void apply_machine(ProgramTraffic& traffic, const Profile& machine, int threads, const ProductForecast& forecast) {
  const Curve& bandwidth = bandwidth_curve(machine, threads);
  std::vector<CacheLevel> caches = machine.properties.caches;
  std::erase_if(caches, [](const CacheLevel& cache) { return cache.size_bytes <= 0; });
  std::sort(caches.begin(), caches.end(), [](const CacheLevel& a, const CacheLevel& b) { return a.level < b.level; });
  if (caches.empty())
    throw Error(ErrorCode::bad_input, "the profile '" + machine.name + "' describes no caches", {},
                "calibrate that machine anew");
  std::vector<std::optional<double>> product_s;
  for (const Structure& operand : traffic.operands)
    product_s.push_back(forecast ? forecast(operand) : std::optional<double>());
  for (RegionTraffic& region : traffic.regions) {
    region.levels.clear();
    double seconds = 0, product_seconds = 0;
    const auto [forecast_loads, forecast_stores] = take_products(region, product_seconds, traffic.operands, product_s);
    const double rest_of_loads = region.load_bytes > 0 ? 1 - forecast_loads / region.load_bytes : 1;
    const double rest_of_stores = region.store_bytes > 0 ? 1 - forecast_stores / region.store_bytes : 1;
    double loads = region.load_bytes, stores = region.store_bytes, smaller = 0;
    for (std::size_t k = 0; k <= caches.size(); ++k) {
      const bool memory = k == caches.size();
      region.levels.push_back({memory ? "memory" : fmt::format("L{}", caches[k].level), loads, stores});
      const double capacity = memory ? 0 : static_cast<double>(caches[k].size_bytes);
      const auto further = [&](double here, double all, const std::vector<double>& reach) {
        return memory ? 0 : std::min(here, all * share_beyond(reach, capacity));
      };
      const double further_loads = further(loads, region.load_bytes, region.load_reach),
                   further_stores = further(stores, region.store_bytes, region.store_reach);
      // A footprint that this level holds and the one before it does not.
      const double footprint = memory ? bandwidth.x.back() : (smaller + capacity) / 2;
      const double rate = base::value_at(bandwidth, footprint);
      seconds += ((loads - further_loads) * rest_of_loads + (stores - further_stores) * rest_of_stores) / rate;
      loads = further_loads;
      stores = further_stores;
      smaller = capacity;
    }
    region.seconds = seconds + product_seconds;
    region.product_seconds = product_seconds > 0 ? std::optional(product_seconds) : std::nullopt;
  }
  put_iterations(traffic);
}

Curve described_curve(const DeviceProperties& p) {
  constexpr double of_memory = 0.8, cache_over_memory = 3, gpu_bytes = 64;
  const bool gpu = p.kind != DeviceKind::host;
  const double cycles = p.compute_units * (p.base_clock_hz > 0 ? 0.5 * (p.base_clock_hz + p.clock_hz) : p.clock_hz);
  const double vector = std::max(128, p.vector_bits) / 8.0, memory = of_memory * p.memory_bandwidth;
  Curve curve{"read_bandwidth", gpu ? 0 : p.compute_units, {}, {}};
  double before = 0;
  for (const CacheLevel& cache : p.caches) {
    const double all = static_cast<double>(cache.size_bytes) * p.compute_units / std::max(1, cache.shared_by);
    const double share = cache.level == 1 ? 2 : cache.level == 2 ? 1 : 0.25;
    const double rate = !gpu               ? share * vector * cycles
                        : cache.level == 1 ? gpu_bytes * cycles
                                           : cache_over_memory * p.memory_bandwidth;
    if (all <= 2 * before) continue;
    // No level is faster than the one before it, whatever the data sheets' numbers multiply to.
    const double level = std::max(memory, curve.y.empty() ? rate : std::min(rate, curve.y.back()));
    curve.x.insert(curve.x.end(), {std::max(1024.0, 1.01 * before), all});
    curve.y.insert(curve.y.end(), {level, level});
    before = all;
  }
  curve.x.insert(curve.x.end(), {2 * std::max(before, 1024.0), 64 * std::max(before, 1048576.0)});
  curve.y.insert(curve.y.end(), {memory, memory});
  return curve;
}

std::vector<const RegionTraffic*> outermost_regions(const ProgramTraffic& traffic) {
  std::vector<const RegionTraffic*> found;
  for (const bool function : {false, true}) {
    for (const RegionTraffic& region : traffic.regions)
      if (region.depth == 0 && region.function == function && region.file == traffic.program) found.push_back(&region);
    if (!found.empty()) break;
  }
  return found;
}

ProgramLevels whole_of(const ProgramTraffic& traffic) {
  ProgramLevels whole;
  for (const RegionTraffic* region : outermost_regions(traffic)) {
    whole.seconds += region->seconds.value_or(0);
    whole.levels.resize(std::max(whole.levels.size(), region->levels.size()));
    for (std::size_t k = 0; k < region->levels.size(); ++k) {
      whole.levels[k].level = region->levels[k].level;
      whole.levels[k].bytes += region->levels[k].load_bytes;
    }
  }
  return whole;
}
}  // namespace sparsecast::memory_traffic
