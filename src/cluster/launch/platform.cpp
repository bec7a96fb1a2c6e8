#include "cluster/launch/platform.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <optional>
#include <sparsecast/error.hpp>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace sparsecast::cluster {
namespace {
constexpr int most_hosts = 1 << 16;
constexpr std::size_t most_name = 256;  // of a host, beside its number

bool is_space(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

// NAME = "VALUE" behind a space.
std::optional<std::string> attribute(std::string_view element, std::string_view name) {
  for (std::size_t at = 0; (at = element.find(name, at + 1)) != std::string_view::npos;) {
    if (!is_space(element[at - 1])) continue;
    std::string_view rest = without_spaces(element.substr(at + name.size()));
    if (!rest.starts_with('=')) continue;
    rest = without_spaces(rest.substr(1));
    if (!rest.starts_with('"')) continue;
    const std::size_t end = rest.find('"', 1);
    if (end != std::string_view::npos) return std::string(rest.substr(1, end - 1));
  }
  return std::nullopt;
}

constexpr std::size_t most_element = 4096;

// Elements "<NAME …>" outside of comments from a place on, and where the text behind each begins.
struct Tag {
  std::string text;
  std::size_t end = std::string::npos;
};
Tag next_tag(const std::string& text, std::size_t from) {
  for (std::size_t at = from; (at = text.find('<', at)) != std::string::npos; ++at) {
    if (text.compare(at, 4, "<!--") == 0) {
      at = text.find("-->", at + 4);
      if (at == std::string::npos) return {};
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return {};
    return {text.substr(at, std::min(end + 1 - at, most_element + 1)), end + 1};
  }
  return {};
}

bool is_element(const Tag& tag, std::string_view name) {
  return tag.text.size() > name.size() + 1 && tag.text.compare(1, name.size(), name) == 0 &&
         (is_space(tag.text[name.size() + 1]) || tag.text[name.size() + 1] == '>');
}

Tag cluster_element(const std::string& text) {
  for (Tag tag = next_tag(text, 0); !tag.text.empty(); tag = next_tag(text, tag.end))
    if (is_element(tag, "cluster")) return tag;
  return {};
}

double amount(const std::string& text, const std::string& name, const std::string& file) {
  const double value = base::number_in<double>(text).value_or(0);
  if (!(value >= 1 && value <= 1e15))
    throw Error(ErrorCode::bad_input, fmt::format("'{}' is not a {}", text, name), {file}, "a number from 1 to 1e15");
  return value;
}

int number(std::string_view text, const std::string& file) {
  const int value = base::number_in<int>(text).value_or(-1);
  if (value < 0 || value > most_hosts)
    throw Error(ErrorCode::bad_input, fmt::format("'{}' is not a number of hosts or cores", text), {file});
  return value;
}

// "12.5GBps", "495ns": a number and its unit as SimGrid has them, in bytes a second or in seconds; 0 for anything else.
double with_unit(const std::optional<std::string>& text) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"kBps", 1e3}, {"MBps", 1e6}, {"GBps", 1e9}, {"Bps", 1}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  for (const auto& [unit, factor] : units)
    if (text && text->ends_with(unit))
      return factor * base::number_in<double>(text->substr(0, text->size() - unit.size())).value_or(0);
  return 0;
}

// Without a unit SimGrid takes bytes a second, or seconds, and warns; 0 needs none.
void require_unit(const std::string& cluster, const char* name, const std::string& file) {
  const std::optional<std::string> value = attribute(cluster, name);
  if (!value || value->find_first_of("123456789") == std::string::npos ||
      std::isalpha(static_cast<unsigned char>(value->back())) != 0)
    return;
  throw Error(ErrorCode::bad_input, fmt::format("{}=\"{}\" of the <cluster> element has no unit", name, *value), {file},
              "for example 12.5GBps, or 495ns");
}

// What links are without factors: properties of the <config> element that SimGrid would otherwise take from its own
// defaults.
bool without_factors(const std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> plain[] = {
      {"network/model", "SMPI"},         {"smpi/bw-factor", "0:1"},       {"smpi/lat-factor", "0:1"},
      {"network/bandwidth-factor", "1"}, {"network/latency-factor", "1"}, {"network/weight-S", "0"}};
  std::ptrdiff_t met = 0;
  for (Tag tag = next_tag(text, 0); !tag.text.empty(); tag = next_tag(text, tag.end))
    if (is_element(tag, "prop"))
      met += std::ranges::count_if(plain, [&](const auto& property) {
        return attribute(tag.text, "id") == property.first && attribute(tag.text, "value") == property.second;
      });
  return met == std::ssize(plain);
}

NodeLinks links_of(const std::string& text, std::string_view cluster) {
  if (attribute(cluster, "sharing_policy") != "SPLITDUPLEX" || attribute(cluster, "bb_bw") || !without_factors(text))
    return {};
  return {.bandwidth = with_unit(attribute(cluster, "bw")),
          .latency = 2 * with_unit(attribute(cluster, "lat")),
          .loopback_bandwidth = with_unit(attribute(cluster, "loopback_bw")),
          .loopback_latency = with_unit(attribute(cluster, "loopback_lat"))};
}

// "0-3,7": first and last of each range. All are looked at before the first host is made.
std::vector<std::pair<int, int>> ranges_of(const std::string& radical, const std::string& file) {
  std::vector<std::pair<int, int>> ranges;
  int hosts = 0;
  for (const std::string_view range : base::split(radical, ',')) {
    const auto ends = base::split(range, '-');
    const int first = number(ends[0], file), last = ends.size() > 1 ? number(ends[1], file) : first;
    if (last - first >= most_hosts - hosts)
      throw Error(ErrorCode::bad_input, fmt::format("it has more than {} hosts", most_hosts), {file});
    hosts += std::max(0, last - first + 1);
    ranges.emplace_back(first, last);
  }
  return ranges;
}
}  // namespace

Platform read_platform(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string text = base::read_file(path, {.what = "platform file", .most_bytes = 64 << 20});
  const Tag cluster = cluster_element(text);
  const std::string& element = cluster.text;
  if (element.empty() || element.size() > most_element)
    throw Error(ErrorCode::bad_input, "it has no <cluster> element", {file}, "see profiles/platforms/ for an example");
  Platform platform;
  platform.name = path.stem().string();
  const auto radical = attribute(element, "radical");
  if (!radical)
    throw Error(ErrorCode::bad_input, "the <cluster> element has no radical", {file}, "for example radical=\"0-7\"");
  const std::string prefix = attribute(element, "prefix").value_or(""),
                    suffix = attribute(element, "suffix").value_or("");
  if (prefix.size() + suffix.size() > most_name)
    throw Error(ErrorCode::bad_input, fmt::format("names of hosts have more than {} letters", most_name), {file});
  for (const auto& [first, last] : ranges_of(*radical, file))
    for (int k = first; k <= last; ++k) platform.hosts.push_back(fmt::format("{}{}{}", prefix, k, suffix));
  platform.cores_per_host = std::max(1, number(attribute(element, "core").value_or("1"), file));
  for (const char* const name : {"bw", "lat", "bb_bw", "bb_lat", "loopback_bw", "loopback_lat"})
    require_unit(element, name, file);
  platform.links = links_of(text, element);
  if (element.ends_with("/>")) return platform;
  for (Tag tag = next_tag(text, cluster.end); is_element(tag, "prop"); tag = next_tag(text, tag.end)) {
    if (tag.text.size() > most_element) throw Error(ErrorCode::bad_input, "a property is too long", {file});
    const std::string name = attribute(tag.text, "id").value_or(""), value = attribute(tag.text, "value").value_or("");
    if (name == "memory_bandwidth") platform.memory_bandwidth = amount(value, name, file);
    if (name == "cache_bytes") platform.cache_bytes = static_cast<std::int64_t>(amount(value, name, file));
    if (name == "cache_cores") platform.cache_cores = std::max(1, number(value, file));
  }
  return platform;
}

std::vector<std::string> simulation_command(const std::filesystem::path& file, int processes,
                                            const std::filesystem::path& folder) {
  const Platform platform = read_platform(file);
  const auto nodes = static_cast<std::size_t>(platform.nodes(processes));
  if (nodes > platform.hosts.size())
    throw Error(ErrorCode::usage,
                fmt::format("{} processes need {} nodes of {} cores and the platform has {}", processes, nodes,
                            platform.cores_per_host, platform.hosts.size()),
                {file.string()});
  std::string hosts;
  for (int rank = 0; rank < processes; ++rank)
    hosts += platform.hosts[static_cast<std::size_t>(rank / platform.cores_per_host)] + '\n';
  base::write_file_atomically(folder / "hosts", hosts, {.what = "list of hosts"});
  return {"smpirun", "-np", std::to_string(processes), "-platform", file.string(), "-hostfile",
          (folder / "hosts").string(),
          // Only injected time passes: what this machine takes to run the simulation does not count. The rank program
          // has no variables of its own outside functions, so its globals may be shared, which saves a copy of it per
          // rank. Nor is a phase too short to count.
          "--cfg=smpi/simulate-computation:no", "--cfg=smpi/cpu-threshold:1e-12", "--cfg=smpi/display-timing:no",
          // Beyond some thousand messages at once the solver of shared bandwidths (in bytes a second, 1e10 of them)
          // stumbles over its own rounding at the standard 1e-5: SimGrid 3.32 then ends with an assertion or a crash.
          "--cfg=maxmin/precision:1e-3", "--cfg=smpi/host-speed:1f", "-no-privatize", "--log=root.thres:critical"};
}
}  // namespace sparsecast::cluster
