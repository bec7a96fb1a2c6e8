#include "memory_traffic/run/attribution.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace sparsecast::memory_traffic {
namespace {
// A region's figures.
RegionTraffic traffic_of(const RegionCounts& region) {
  RegionTraffic traffic;
  traffic.calls = region.calls;
  traffic.load_bytes = region.counted[Counter::loads];
  traffic.store_bytes = region.counted[Counter::stores];
  traffic.dense_bytes = region.counted[Counter::dense];
  traffic.sparse_bytes = region.counted[Counter::sparse];
  traffic.sparse_uncertainty = region.counted[Counter::sparse_doubt];
  traffic.dense_uncertainty = region.counted[Counter::dense_doubt];
  traffic.load_uncertainty =
      traffic.sparse_uncertainty + traffic.dense_uncertainty + region.counted[Counter::block_doubt];
  traffic.storage_bytes = region.storage_bytes;
  traffic.load_reach = region.load_reach;
  traffic.store_reach = region.store_reach;
  traffic.products = region.products;
  traffic.product_bytes = region.product_bytes;
  return traffic;
}

// By file and counter: turns of the loop.
using Turns = std::map<std::pair<std::string, std::size_t>, double>;

std::vector<LineTraffic> lines_of(const std::vector<SlotCounts>& slots, const TranslatedFiles& files,
                                  const std::filesystem::path& counters, Turns& turns) {
  std::map<std::pair<std::string, std::size_t>, LineTraffic> lines;
  for (const SlotCounts& row : slots) {
    const auto file = files.find(row.file);
    if (file == files.end() || row.slot == 0 || row.slot > file->second.translation.slot_lines.size())
      throw Error(
          ErrorCode::failed,
          fmt::format("the counters name '{}', counter {}, which the program does not have", row.file, row.slot),
          {counters.string()});
    turns[{row.file, row.slot}] += row.counted[Counter::turns];
    const double loads = row.counted[Counter::loads], stores = row.counted[Counter::stores];
    if (loads + stores <= 0) continue;  // nothing moved: a loop's turns alone
    const std::size_t at = file->second.translation.slot_lines[row.slot - 1];
    LineTraffic& moved = lines[{file->second.shown, at}];
    moved.file = file->second.shown;
    moved.line = at;
    moved.text = std::string(file->second.source.line_text(at));
    moved.load_bytes += loads;
    moved.store_bytes += stores;
  }
  std::vector<LineTraffic> list;
  for (auto& [key, moved] : lines) list.push_back(std::move(moved));
  return list;
}

bool has_region(const TranslatedFiles& files, const std::string& name) {
  return std::ranges::any_of(files, [&](const auto& file) {
    const std::vector<Region>& regions = file.second.translation.regions;
    return std::ranges::find(regions, name, &Region::name) != regions.end();
  });
}

// Calls that nothing counts, by name and line.
std::vector<UnanalysedTraffic> unanalysed_of(const std::vector<SlotCounts>& slots, const TranslatedFiles& files,
                                             const Turns& turns) {
  std::map<std::tuple<std::string, std::size_t, std::string>, double> calls;
  for (const auto& [key, file] : files)
    for (const UnanalysedCall& call : file.translation.unanalysed)
      if (const auto due = turns.find({key, call.slot}); due != turns.end() && due->second > 0)
        calls[{file.shown, file.translation.slot_lines[call.slot - 1], call.name}] += due->second;
  for (const SlotCounts& row : slots)
    if (const TranslatedFile& file = files.at(row.file); row.counted[Counter::unanalysed] > 0)
      calls[{file.shown, file.translation.slot_lines[row.slot - 1], "function handle"}] +=
          row.counted[Counter::unanalysed];
  std::vector<UnanalysedTraffic> list;
  for (const auto& [at, count] : calls) list.push_back({std::get<2>(at), std::get<0>(at), std::get<1>(at), count});
  return list;
}

// What stands in each branch and loop, and in none within it.
std::vector<ScopeTraffic> scopes_of(const std::vector<SlotCounts>& slots, const TranslatedFiles& files) {
  std::vector<ScopeTraffic> all;
  for (const auto& [key, file] : files) {
    const Translation& translation = file.translation;
    const std::size_t begin = all.size();
    for (const Scope& scope : translation.scopes)
      all.push_back({scope.name, file.shown, scope.region, translation.slot_lines[scope.slot - 1]});
    for (const SlotCounts& row : slots) {
      if (row.file != key || row.slot > translation.slot_scopes.size()) continue;
      const std::size_t number = translation.slot_scopes[row.slot - 1];
      if (number == 0) continue;
      ScopeTraffic& scope = all[begin + number - 1];
      scope.load_bytes += row.counted[Counter::loads];
      scope.store_bytes += row.counted[Counter::stores];
      if (translation.scopes[number - 1].slot != row.slot) continue;
      scope.runs = row.counted[Counter::turns];
      scope.storage_bytes = row.counted[Counter::scope_storage];
    }
  }
  return all;
}

// Lines with operations that move at least what is counted.
std::vector<std::string> open_ended_lines(const std::vector<SlotCounts>& slots, const TranslatedFiles& files) {
  std::map<std::pair<std::string, std::size_t>, double> operations;
  for (const SlotCounts& row : slots)
    if (const TranslatedFile& file = files.at(row.file); row.counted[Counter::open_ended] > 0)
      operations[{file.shown, file.translation.slot_lines[row.slot - 1]}] += row.counted[Counter::open_ended];
  std::vector<std::string> remarks;
  for (const auto& [at, count] : operations)
    remarks.push_back(
        fmt::format("{}:{}: the count for {} is a lower bound: the fill of sparse factors, and how a matrix is raised "
                    "to a power, are not known",
                    at.first, at.second, count == 1 ? "1 operation" : fmt::format("{:.0f} operations", count)));
  return remarks;
}

// Names in directives that no analysed file calls or defines: most often they are misspelt.
std::vector<std::string> names_of_nothing(const TranslatedFiles& files) {
  std::set<std::string> mentioned;
  for (const auto& [key, file] : files)
    mentioned.insert(file.translation.mentioned.begin(), file.translation.mentioned.end());
  std::vector<std::string> remarks;
  for (const auto& [key, file] : files)
    for (const NamedFunction& named : file.translation.named)
      if (!mentioned.contains(named.name))
        remarks.push_back(fmt::format("{} names '{}' ({}:{}), which nothing that is analysed calls: check its spelling",
                                      named.directive, named.name, file.shown, named.line));
  return remarks;
}

// What the figures do not say by themselves.
void add_remarks(ProgramTraffic& traffic) {
  std::vector<std::string>& remarks = traffic.remarks;
  for (const RegionTraffic& region : traffic.regions)
    if (region.calls == 0)
      remarks.push_back(fmt::format("the region '{}' ({}:{}) never ran: what it would move is not known", region.name,
                                    region.file, region.first_line));
  for (const UnanalysedTraffic& call : traffic.unanalysed)
    remarks.push_back(fmt::format("'{}' ({}:{}) is not analysed: what {} of it moved inside is not counted", call.name,
                                  call.file, call.line,
                                  call.calls == 1 ? "1 call" : fmt::format("{:.0f} calls", call.calls)));
}

}  // namespace

ProgramTraffic attributed(RunCounts counts, const TranslatedFiles& files, const std::filesystem::path& counters,
                          const std::string& program, bool scopes) {
  ProgramTraffic traffic;
  traffic.program = program;
  Turns turns;
  traffic.lines = lines_of(counts.slots, files, counters, turns);
  traffic.unanalysed = unanalysed_of(counts.slots, files, turns);
  if (scopes) traffic.scopes = scopes_of(counts.slots, files);
  traffic.remarks = names_of_nothing(files);
  const std::vector<std::string> least = open_ended_lines(counts.slots, files);
  traffic.remarks.insert(traffic.remarks.end(), least.begin(), least.end());
  for (const auto& [name, counted] : counts.regions)
    if (!has_region(files, name))
      throw Error(ErrorCode::failed,
                  fmt::format("the counters name a region '{}', which the program does not have", name),
                  {counters.string()});
  for (const auto& [name, file] : files) {
    std::vector<std::size_t> around;
    for (const Region& region : file.translation.regions) {
      RegionTraffic found = traffic_of(counts.regions[region.name]);
      found.name = region.name;
      found.file = file.shown;
      found.first_line = region.first_line;
      found.last_line = region.last_line;
      found.function = region.function;
      const auto of_region = [&](const OuterLoop& loop) { return loop.region == region.begin; };
      if (const auto& loops = file.translation.outer_loops; std::ranges::count_if(loops, of_region) == 1) {
        const std::size_t slot = std::ranges::find_if(loops, of_region)->slot;
        found.loop_line = file.translation.slot_lines[slot - 1];
        found.turns = turns[{name, slot}];
      }
      // Octave's own functions are named where they ran.
      if (found.calls == 0 && region.whole) continue;
      while (!around.empty() && around.back() < region.begin) around.pop_back();
      found.depth = static_cast<int>(around.size());
      around.push_back(region.end);
      traffic.regions.push_back(std::move(found));
    }
  }
  std::stable_sort(traffic.regions.begin(), traffic.regions.end(), [&](const RegionTraffic& a, const RegionTraffic& b) {
    return std::tuple(a.file != program, a.file) < std::tuple(b.file != program, b.file);
  });
  add_remarks(traffic);
  return traffic;
}
}  // namespace sparsecast::memory_traffic
