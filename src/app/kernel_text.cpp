// What `sparsecast kernel` prints of an answer.

#include <fmt/format.h>
#include <algorithm>

#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/source_parameters.hpp"

namespace sparsecast::app {
namespace {
std::string interval_text(double low_s, double high_s) {
  return fmt::format("{} to {}", base::format_seconds(low_s), base::format_seconds(high_s));
}

std::string estimates_text(const LaunchTime& a, bool overlapped_only) {
  const bool symbolic = !a.symbols.empty() || (!a.estimates.empty() && a.estimates.front().expression);
  base::TextTable table({"model", "time", symbolic ? "expression" : "bound by"});
  for (const LaunchEstimate& e : a.estimates) {
    if (overlapped_only && e.model != "overlapped") continue;
    table.add({e.model,
               (e.seconds ? base::format_seconds(*e.seconds) : "not known") +
                   (e.high_s ? fmt::format(" ({})", interval_text(*e.low_s, *e.high_s)) : ""),
               symbolic ? e.expression.value_or("") : e.bound_by});
  }
  return table.text(layout()) + a.symbols +
         (overlapped_only && a.estimates.size() > 1
              ? "(--model all: the paper's models naive, operations and serialized, too)\n"
              : "");
}

// A matrix of more columns than a screen has is for programs.
std::string powers_text(const LaunchTime& a) {
  constexpr std::size_t most_columns = 12;
  std::string text;
  for (const LaunchEstimate& e : a.estimates) {
    if (!e.height || !e.power) continue;
    text += fmt::format("\n{}: height {}; the matrix to that power, row to node, column from node{}\n", e.model,
                        *e.height, e.power->size() > most_columns ? ", with --json" : "");
    if (e.power->size() > most_columns) continue;
    std::vector<std::string> head{""};
    for (std::size_t j = 0; j < e.power->size(); ++j) head.push_back(std::to_string(j));
    base::TextTable table(head);
    for (std::size_t i = 0; i < e.power->size(); ++i) {
      std::vector<std::string> line{std::to_string(i)};
      for (const auto& value : (*e.power)[i]) line.push_back(value ? base::format_seconds(*value) : "-");
      table.add(line);
    }
    text += table.text(layout());
  }
  return text;
}

std::string occupancy_text(const LaunchTime& a) {
  const LaunchOccupancy& o = *a.occupancy;
  return fmt::format(
      "\n{} blocks ({} warps) per multiprocessor, limited by {}; {} registers per thread, {} shared per block{}\n",
      o.blocks, a.overlap ? a.overlap->resident_warps : o.warps, o.limited_by, o.registers,
      base::format_bytes(static_cast<double>(o.shared_bytes)),
      o.spill_bytes > 0 ? fmt::format(", {} spilled per thread", base::format_bytes(static_cast<double>(o.spill_bytes)))
                        : "");
}

std::string parts_text(const LaunchParts& d) {
  std::string text = fmt::format("overlapped: launch {} + start-up {} + {} waves of {} at {:.0f} MHz (from the {})\n",
                                 base::format_seconds(d.launch_s), base::format_seconds(d.transient_s), d.waves,
                                 base::format_seconds(d.wave_s), d.clock_hz / 1e6, d.schedule);
  const std::string memory = d.memory_bytes > 0 ? base::format_bytes(d.memory_bytes) : "nothing";
  text +=
      fmt::format("moves {} through memory, {} through the second-level cache", memory, base::format_bytes(d.l2_bytes));
  // Not modelled of AMD's devices.
  if (d.l1_hit_share > 0)
    text += fmt::format("; {} of the loads hit the first level", base::format_percent(d.l1_hit_share));
  text += '\n';
  text += fmt::format("{} warps are resident; {} would hide all other latency\n\n", d.resident_warps, d.warps_to_hide);
  base::TextTable shares({"resource", "cycles a block"});
  for (const auto& [name, cycles] : d.cycles_per_block) shares.add({name, fmt::format("{:.0f}", cycles)});
  return text + shares.text(layout());
}

// Only what differs within the space.
std::string configuration_text(const KernelSpace& a, const RankedKernel& one) {
  std::string text;
  for (const auto& [name, value] : one.configuration) {
    if (std::ranges::find(a.varied, name) == a.varied.end()) continue;
    text += fmt::format("{}{}=", text.empty() ? "" : " ", name);
    text += std::visit([](const auto& known) { return fmt::format("{}", known); }, value);
  }
  return text;
}

std::string errors_text(const KernelTable& a) {
  if (a.summary.empty()) return {};
  base::TextTable errors(
      {"model", "cases", "mean error", "median", "90 %", "worst", "rank corr.", "first loses", "best of five loses"});
  for (const ModelErrors& s : a.summary)
    errors.add({s.model, std::to_string(s.cases), base::format_percent(s.mean_error),
                base::format_percent(s.median_error), base::format_percent(s.p90_error),
                base::format_percent(s.max_error), fmt::format("{:.3f}", s.rank_correlation),
                base::format_percent(s.top1_regret), base::format_percent(s.top5_regret)});
  return "\n" + errors.text(layout());
}
}  // namespace

std::string kernel_launch_text(const LaunchTime& a, bool overlapped_only) {
  // With powers every model tells the height of its own matrix.
  const bool powers = std::ranges::any_of(a.estimates, [](const LaunchEstimate& e) { return e.height.has_value(); });
  const std::string graph =
      a.nodes > 0 ? fmt::format("{} nodes, {} arcs{}; ", base::format_count(a.nodes), base::format_count(a.arcs),
                                powers ? "" : ", height " + base::format_count(a.height))
                  : "";
  std::string text = fmt::format("{}{}{}\n", gpu_code::source_name(a.kernel), a.device.empty() ? "" : " on ", a.device);
  if (a.instances > 0)
    text += fmt::format("{}{} instances on {} executors\n", graph, base::format_count(a.instances),
                        base::format_count(a.executors));
  text += "\n";
  text += estimates_text(a, overlapped_only);
  text += powers_text(a);
  if (a.occupancy) text += occupancy_text(a);
  if (a.overlap) text += parts_text(*a.overlap);
  text += a.critical_path;
  if (!a.advice.empty()) text += "\n" + a.advice + "\n";
  for (const std::string& note : a.notes) text += "note: " + note + "\n";
  return text;
}

std::string kernel_table_text(const KernelTable& a) {
  // Fastest forecast first, by the last model asked for (overlapped, unless another was chosen), moved by the anchors;
  // the anchors themselves as forecast.
  struct Shown {
    const RowForecast* row;
    double seconds, low_s, high_s;
  };
  std::vector<Shown> ranked;
  for (const RowForecast& row : a.configurations) {
    const auto moved = std::ranges::find(a.cases, row.row, &RowCase::row);
    const RowEstimate& e = row.estimates.back();
    ranked.push_back(moved == a.cases.end() ? Shown{&row, e.seconds, e.low_s.value_or(0), e.high_s.value_or(0)}
                                            : Shown{&row, moved->seconds, moved->low_s, moved->high_s});
  }
  std::ranges::stable_sort(ranked, {}, &Shown::seconds);
  // The paper's models have no intervals.
  const bool intervals = a.configurations.front().estimates.back().high_s.has_value();
  std::vector<std::string> head{"row", "configuration", "forecast", "90 %", "measured"};
  if (!intervals) head.erase(head.begin() + 3);
  base::TextTable table(head);
  for (const Shown& c : ranked) {
    std::vector<std::string> line{std::to_string(c.row->row), fmt::format("{}", fmt::join(c.row->defines, " ")),
                                  base::format_seconds(c.seconds)};
    if (intervals) line.push_back(interval_text(c.low_s, c.high_s));
    line.push_back(c.row->measured_s ? base::format_seconds(*c.row->measured_s) : "-");
    table.add(line);
  }
  std::string text = table.text(layout());
  if (a.anchors)
    text +=
        fmt::format("corrected by {} measured configuration{}{}\n", a.anchors->number, a.anchors->number > 1 ? "s" : "",
                    a.anchors->draws > 0 ? fmt::format(", drawn {} times", a.anchors->draws) : "");
  return text + errors_text(a);
}

std::string kernel_space_text(const KernelSpace& a) {
  std::string text = fmt::format("{} on {}: {} configurations, {} forecast in full{}{}\n", a.kernel, a.device,
                                 base::format_count(a.configurations), base::format_count(a.forecast),
                                 a.resumed > 0 ? fmt::format(" ({} of an earlier run)", a.resumed) : "",
                                 a.refused > 0 ? fmt::format(", {} refused", a.refused) : "");
  text += a.settled ? "no other configuration can be faster than the last of these\n\n"
                    : "not settled: some of the others may still be faster (--forecasts and --within allow more)\n\n";
  base::TextTable table({"", "configuration", "forecast", "90 %", "bound by"});
  for (std::size_t i = 0; i < a.ranking.size(); ++i) {
    const RankedKernel& r = a.ranking[i];
    table.add({std::to_string(i + 1), configuration_text(a, r), base::format_seconds(r.seconds),
               interval_text(r.low_s, r.high_s), r.bound_by});
  }
  text += table.text(layout());
  if (a.ranking.size() > 1) text += fmt::format("\nthe first beats the second by {}\n", a.ranking[0].beats_next_by);
  if (!a.first_refusal.empty())
    text += fmt::format("note: {} configuration{} skipped, the first because of this: {}\n",
                        base::format_count(a.refused), a.refused == 1 ? " was" : "s were", a.first_refusal);
  return text;
}
}  // namespace sparsecast::app
