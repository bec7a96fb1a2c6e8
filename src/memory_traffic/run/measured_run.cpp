#include "memory_traffic/run/measured_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/temporary_folder.hpp"
#include "memory_traffic/language/parser.hpp"
#include "memory_traffic/run/hardware_counters.hpp"
#include "memory_traffic/run/library.hpp"
#include "memory_traffic/run/octave.hpp"
#include "memory_traffic/run/program_folder.hpp"

namespace sparsecast::memory_traffic {
namespace {
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

// What SLMclock wrote: a number and a line end.
std::optional<double> written_seconds(const std::filesystem::path& file) {
  const std::string text = base::read_file(file);
  if (!text.ends_with('\n')) return std::nullopt;
  return base::number_in<double>(std::string_view(text).substr(0, text.size() - 1));
}

// Reads the counters as soon as the program says that a region begins or ends. It does not wait for that: reading a
// line from a pipe, Octave waits for the character behind it, too.
class CounterReader {
 public:
  explicit CounterReader(const std::filesystem::path& told) {
    if (::mkfifo(told.c_str(), 0600) != 0)
      throw Error(ErrorCode::failed, "cannot create a pipe", {told.string()},
                  "check whether the temporary folder's disk is full");
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
}  // namespace

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
  const Translation translation = translate_file(file);
  const std::string text = text_with_clocks(source);
  run.counters = HardwareCounters(::getpid()).reason();
  if (text.empty()) {
    run.counters = "no region begins and ends on lines of its own";
    return run;
  }
  const base::TemporaryFolder workshop(
      base::TemporaryPlace{.purpose = "the run of the program", .prefix = "sparsecast-traffic"});
  ProgramFolder folder(std::filesystem::absolute(file).parent_path(), workshop.path());
  const std::filesystem::path written = folder.write(file.filename(), text), seconds = workshop.path() / "seconds",
                              told = workshop.path() / "told";
  const std::filesystem::path functions = define_first(folder, file.filename(), functions_of_script({{}, text}));
  folder.link();
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
      "sigterm_dumps_octave_core(false); warning('off', 'Octave:shadowed-function'); addpath({}); cd({}); "
      "addpath(pwd()); {}{}{}; SLMclock('write', {});",
      matlab_text(library_folder()), matlab_text(folder.path()), pipes,
      functions.empty() ? "" : "source(" + matlab_text(functions) + "); ",
      call_of(translation, written, options, file.string()), matlab_text(seconds));
  job.time_limit_s = options.time_limit_s;
  job.writes_beneath = {workshop.path(), folder.own()};
  job.messages = workshop.path() / "messages";
  const OctaveEnd end = run_within(folder, job);
  std::error_code ignored;
  if (end.timed_out || !std::filesystem::is_regular_file(seconds, ignored)) {
    run.counters = end.timed_out ? "the measured run did not finish in time" : "the measured run failed";
    return run;
  }
  run.seconds = written_seconds(seconds);
  if (!run.seconds) {
    run.counters =
        "the measured run's time was not written completely: check whether the temporary folder's disk is full";
    return run;
  }
  if (!reader) return run;
  run.first_level_misses = reader->counted(CounterEvent::first_level_misses);
  run.last_level_loads = reader->counted(CounterEvent::last_level_loads);
  run.last_level_misses = reader->counted(CounterEvent::last_level_misses);
  run.counters = "cache lines loaded, by the processor's counters";
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
}  // namespace sparsecast::memory_traffic
