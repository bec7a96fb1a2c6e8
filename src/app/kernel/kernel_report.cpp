// See kernel_report.hpp.

#include "app/kernel/kernel_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/graph/paper_models.hpp"
#include "gpu_code/graph/picture.hpp"

namespace sparsecast::app {

using namespace gpu_code;

nlohmann::ordered_json estimates_json(const std::vector<KernelEstimate>& estimates, bool full, bool symbolic) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& e : estimates) {
    nlohmann::ordered_json one{{"model", e.model}, {"seconds", e.seconds}};
    if (e.high_s > 0) {
      one["low_s"] = e.low_s;
      one["high_s"] = e.high_s;
    }
    if (!full && !e.bound_by.empty()) one["bound_by"] = e.bound_by;
    if (full) {
      one["cycles"] = e.cycles > 0 ? nlohmann::ordered_json(e.cycles) : nlohmann::ordered_json(nullptr);
      one["bound_by"] = e.bound_by;
      if (symbolic) one["expression"] = e.expression;
    }
    list.push_back(std::move(one));
  }
  return list;
}

nlohmann::ordered_json report_json(const KernelReport& r, bool symbolic) {
  nlohmann::ordered_json document{{"kernel", r.kernel}};
  if (!r.device.empty()) document["device"] = r.device;
  document.update({{"nodes", r.nodes},
                   {"arcs", r.arcs},
                   {"height", r.height},
                   {"instances", r.instances},
                   {"executors", r.executors}});
  document["estimates"] = estimates_json(r.estimates, true, symbolic);
  if (r.occupancy)
    document["occupancy"] = {{"blocks", r.occupancy->blocks},
                             {"warps", r.occupancy->warps},
                             {"limited_by", r.occupancy->limited_by},
                             {"registers", r.resources.registers},
                             {"shared_bytes", r.resources.shared_bytes},
                             {"spill_bytes", r.resources.spill_bytes}};
  if (r.overlap) {
    const auto& d = *r.overlap;
    nlohmann::ordered_json cycles;
    for (const auto& [name, value] : d.cycles_per_block) cycles[name] = value;
    document["overlap"] = {{"launch_s", d.launch_s},
                           {"transient_s", d.transient_s},
                           {"wave_s", d.wave_s},
                           {"waves", d.waves},
                           {"cycles_per_block", cycles},
                           {"resident_warps", d.resident_warps},
                           {"warps_to_hide", d.warps_to_hide},
                           {"schedule", d.schedule},
                           {"memory_bytes", std::llround(d.memory_bytes)},
                           {"l2_bytes", std::llround(d.l2_bytes)},
                           {"l1_hit_share", d.l1_hit_share},
                           {"warp_instructions", d.instructions},
                           {"clock_hz", d.clock_hz}};
    if (d.at_base_s > 0) {
      document["overlap"]["at_base_clock_s"] = d.at_base_s;
      document["overlap"]["at_boost_clock_s"] = d.at_boost_s;
    }
  }
  if (!r.advice.empty()) document["advice"] = r.advice;
  document["notes"] = r.notes;
  return document;
}

std::string report_text(const KernelReport& r, bool symbolic, bool overlapped_only) {
  const std::string graph = r.nodes > 0 ? fmt::format("{} nodes, {} arcs, height {}; ", base::format_count(r.nodes),
                                                      base::format_count(r.arcs), base::format_count(r.height))
                                        : "";
  std::string text =
      fmt::format("{}{}{}\n{}{} instances on {} executors\n\n", source_name(r.kernel), r.device.empty() ? "" : " on ",
                  r.device, graph, base::format_count(r.instances), base::format_count(r.executors));
  base::TextTable table({"model", "time", symbolic ? "expression" : "bound by"});
  for (const auto& e : r.estimates) {
    if (overlapped_only && e.model != "overlapped") continue;
    table.add({e.model,
               e.high_s > 0 ? fmt::format("{} ({} to {})", base::format_seconds(e.seconds),
                                          base::format_seconds(e.low_s), base::format_seconds(e.high_s))
                            : base::format_seconds(e.seconds),
               symbolic ? e.expression : e.bound_by});
  }
  text += table.text(layout());
  if (symbolic) {
    std::vector<std::string> expressions;
    for (const auto& e : r.estimates) expressions.push_back(e.expression);
    text += explain_symbols(r.graph, expressions, !r.device.empty());
  }
  if (overlapped_only) text += "(--model all: the paper's models naive, operations and serialized, too)\n";
  if (r.occupancy)
    text += fmt::format(
        "\n{} blocks ({} warps) per multiprocessor, limited by {}; {} registers a thread, {} shared a block{}\n",
        r.occupancy->blocks, r.overlap ? r.overlap->resident_warps : r.occupancy->warps, r.occupancy->limited_by,
        r.resources.registers, base::format_bytes(static_cast<double>(r.resources.shared_bytes)),
        r.resources.spill_bytes > 0
            ? fmt::format(", {} spilled a thread", base::format_bytes(static_cast<double>(r.resources.spill_bytes)))
            : "");
  if (r.overlap) {
    const auto& d = *r.overlap;
    text += fmt::format("overlapped: launch {} + start-up {} + {} waves of {} at {:.0f} MHz (from the {})\n",
                        base::format_seconds(d.launch_s), base::format_seconds(d.transient_s), d.waves,
                        base::format_seconds(d.wave_s), d.clock_hz / 1e6, d.schedule);
    if (d.at_base_s > 0)
      text += fmt::format("{} at the base clock, {} at the boost clock (--clock base, --clock boost)\n",
                          base::format_seconds(d.at_base_s), base::format_seconds(d.at_boost_s));
    text += fmt::format(
        "moves {} through memory, {} through the second-level cache; {} of the loads hit the first level\n",
        base::format_bytes(d.memory_bytes), base::format_bytes(d.l2_bytes), base::format_percent(d.l1_hit_share));
    text +=
        fmt::format("{} warps resident, {} would hide the latency of all else\n\n", d.resident_warps, d.warps_to_hide);
    base::TextTable shares({"resource", "cycles a block"});
    for (const auto& [name, cycles] : d.cycles_per_block) shares.add({name, fmt::format("{:.0f}", cycles)});
    text += shares.text(layout());
  }
  text += explain_path(r.graph, r.critical_path);
  if (!r.advice.empty()) text += "\n" + r.advice + "\n";
  for (const auto& note : r.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace sparsecast::app
