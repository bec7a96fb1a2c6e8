#include "gpu_code/times/kernel_times.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/number_ranges.hpp"
#include "base/guard/parse_json.hpp"
#include "base/number.hpp"
#include "fields/wording.hpp"

namespace sparsecast::embedded {
std::span<const File> kernel_times();  ///< profiles/kernel-times/*.json
}  // namespace sparsecast::embedded

namespace sparsecast::gpu_code {
namespace {
using Json = nlohmann::json;

constexpr const char* schema_remedy = "see docs/schemas/kernel-times.schema.json";

/// What `read` makes of the file; where it cannot, an Error that names it.
template <class Read>
auto of_file(const std::string& file, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::bad_input, fmt::format("not a table of kernel times: {}", base::json_reason(error)), {file},
                schema_remedy);
  } catch (const Error& error) {
    throw Error(error.code(), error.reason_text(), error.place().file.empty() ? Place{file} : error.place(),
                schema_remedy);
  }
}

Json parse(std::string_view text, const std::string& file) {
  return of_file(file, [&] {
    auto document = base::parse_sorted_json(text, {file, schema_remedy});
    base::check_ranges(document, base::schema_ranges("kernel-times"));
    if (!document.is_object() || document.value("schema", "") != "sparsecast/kernel-times/1")
      throw Error(ErrorCode::bad_input, "\"schema\" is not sparsecast/kernel-times/1", {file});
    return document;
  });
}

const embedded::File* shipped(const std::string& name) {
  for (const auto& file : embedded::kernel_times())
    if (file.name == name + ".json") return &file;
  return nullptr;
}

// Fields that are there.
void read(const Json& in, KernelTimes& t) {
  const auto take = [](const Json& from, const char* key, auto& value) {
    if (const auto found = from.find(key); found != from.end()) found->get_to(value);
  };
  const auto part = [&](const char* name) { return in.value(name, Json()); };
#define KERNEL_TIME(type, name, key, otherwise) take(from, key, to.name);
  const auto limits = [&](const Json& from, KernelTimes& to) {
#include "gpu_code/times/limits.def"
  };
  const auto pipes = [&](const Json& from, KernelTimes::Pipes& to) {
#include "gpu_code/times/pipe_cycles.def"
  };
  const auto code_caches = [&](const Json& from, KernelTimes::CodeCaches& to) {
#include "gpu_code/times/code_caches.def"
  };
  const auto latencies = [&](const Json& from, KernelTimes::Latencies& to) {
#include "gpu_code/times/latency_cycles.def"
  };
#undef KERNEL_TIME
  limits(in, t);
  pipes(part("pipe_cycles"), t.pipe);
  code_caches(part("code_caches"), t.code_caches);
  latencies(part("latency_cycles"), t.latency);
  if (const auto s = in.find("sources"); s != in.end())
    for (const auto& [key, value] : s->items()) t.sources.emplace_back(key, value.get<std::string>());
}
}  // namespace
KernelTimes at_clock(const KernelTimes& times, double clock_hz) {
  KernelTimes other = times;
  other.latency.memory =
      times.latency.l2 + std::max(times.latency.memory - times.latency.l2, 0.0) * clock_hz / times.clock_hz;
  other.clock_hz = clock_hz;
  return other;
}

KernelTimes with_clock(const KernelTimes& times, const std::string& choice) {
  if (choice.empty() || choice == "boost") return times;
  const double hz = choice == "base" ? times.base_clock_hz : base::number_in<double>(choice).value_or(0);
  if (choice == "base" && !(hz > 0))
    throw Error(ErrorCode::usage, fmt::format("the table of {} has no base clock", times.name), {},
                wording::format("give {} in Hz", wording::option("clock")));
  if (choice != "base" && !(hz >= 1e6 && hz <= 1e10))
    throw Error(ErrorCode::usage,
                wording::format("{}: neither base nor boost nor a clock", wording::option("clock", choice)), {},
                "give base, boost, or Hz from 1e6 to 1e10");
  KernelTimes chosen = at_clock(times, hz);
  chosen.clock_is_known = true;
  return chosen;
}

std::vector<std::string> kernel_time_devices() {
  static const std::vector<std::string> devices = [] {
    std::vector<std::string> names;
    for (const auto& file : embedded::kernel_times())
      if (!Json::parse(file.text).contains("family")) names.emplace_back(file.name.substr(0, file.name.size() - 5));
    return names;
  }();
  return devices;
}

KernelTimes kernel_times(const std::string& name) {
  std::string text;
  if (name.ends_with(".json") || name.find('/') != std::string::npos) {
    text = base::read_file(name, {.what = "table of kernel times", .code = ErrorCode::usage});
  } else if (const auto* file = shipped(name)) {
    text = file->text;
  } else {
    throw Error(ErrorCode::usage, fmt::format("there are no kernel times for a device '{}'", name), {},
                fmt::format("known: {}; or give a file (docs/schemas/kernel-times.schema.json)",
                            fmt::join(kernel_time_devices(), ", ")));
  }
  const auto document = parse(text, name);
  auto times = of_file(name, [&] {
    KernelTimes read_times;
    if (const auto base = document.find("based_on"); base != document.end()) {
      const auto* family = shipped(base->get<std::string>());
      if (!family)
        throw Error(ErrorCode::bad_input, fmt::format("there is no family '{}'", base->get<std::string>()), {name});
      read(parse(family->text, std::string(family->name)), read_times);
    }
    read(document, read_times);
    return read_times;
  });
  require_complete(times, name);
  return times;
}

void require_complete(const KernelTimes& times, const std::string& name) {
  if (times.multiprocessors < 1 || times.partitions < 1 || times.partitions > 16 || times.max_warps < 1 ||
      times.max_warps > 1024 || times.max_blocks < 1 || !(times.clock_hz > 0) || !(times.memory_bandwidth > 0) ||
      !(times.l2_bytes_per_cycle > 0) || !(times.shared_bytes_per_cycle > 0) || !(times.l1_bytes_per_cycle > 0) ||
      times.registers < 1 || times.l2_partitions < 1 ||
      (times.memory_access_bytes != 32 && times.memory_access_bytes != 64))
    throw Error(ErrorCode::bad_input, "the table lacks a limit, a clock or a bandwidth", {name}, schema_remedy);
}
}  // namespace sparsecast::gpu_code
