// sparsecast compare: every machine that is known, ranked for a matrix or for a folder of them.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/compare_picture.hpp"
#include "app/conversion_columns.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/terminal.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "calibration/store.hpp"
#include "forecast/machines/ranking.hpp"
#include "matrix/structure/structure_json.hpp"
#include "solve/forecast/forecast.hpp"

namespace sparsecast::app {
namespace {

using forecast::RankedMachine;
using forecast::RankEntry;

struct CompareArguments {
  std::vector<std::string> matrices;
  std::vector<std::string> devices{"all"};
  std::int64_t iterations = 1;
  std::string solver;
  std::string picture, page;

  [[nodiscard]] std::string unit() const { return solver.empty() ? "product" : "iteration"; }
};

struct RankedMatrix {
  Structure structure;
  std::vector<RankEntry> ranking;
};

// Over all matrices.
struct MachineTotal {
  std::string device, tier;
  int matrices = 0, first = 0, tied = 0;
  double total_s = 0, energy_j = 0;
  double log_ratio = 0;  // sum over matrices: log of the time over that of the first
  bool fits = true;
};

// Every machine that is known: what was measured and what is described; the former counts where both are.
std::vector<std::string> known_devices() {
  std::set<std::string> names;
  for (const std::string& name : calibration::Store().profile_names()) names.insert(name);
  for (const std::string& name : described_devices()) names.insert(name);
  return {names.begin(), names.end()};
}

std::vector<RankedMachine> machines_of(const CompareArguments& options, const Globals& globals) {
  const bool all = options.devices == std::vector<std::string>{"all"};
  std::vector<RankedMachine> machines;
  for (const std::string& name : all ? known_devices() : options.devices) {
    try {
      Profile profile = load_machine(name, {});
      forecast::ModelSet models("best", profile, {globals.value_precision(), threads_for(profile, globals)});
      std::vector<std::string> kernels = forecast::kernels_of(profile);
      machines.push_back({std::move(profile), std::move(models), std::move(kernels)});
    } catch (const Error& error) {
      // A profile without records in this precision is no reason to say nothing of the others.
      if (!all || error.code() != ErrorCode::failed) throw;
      remark(globals, fmt::format("left out: {}", error.what()));
    }
  }
  return machines;
}

std::vector<Structure> compared_structures(const std::vector<std::filesystem::path>& files, Failures& failures,
                                           const Globals& globals) {
  std::vector<Structure> structures;
  for (const auto& file : files)
    failures.attempt([&] {
      structures.push_back(file.extension() == ".json" ? matrix::read_structure(file)
                                                       : analyze(read_input(file, globals), globals.threads));
    });
  if (structures.empty()) failures.finish();
  return structures;
}

std::vector<MachineTotal> totals_of(const std::vector<RankedMatrix>& all) {
  std::map<std::string, MachineTotal> totals;
  for (const RankedMatrix& one : all) {
    for (const RankEntry& entry : one.ranking) {
      MachineTotal& total = totals[entry.device];
      const bool first = &entry == &one.ranking.front();
      total.device = entry.device;
      total.tier = entry.tier;
      ++total.matrices;
      total.first += first ? 1 : 0;
      total.tied += entry.tie ? 1 : 0;
      total.total_s += entry.total_s;
      total.energy_j += entry.energy_j;
      total.log_ratio += std::log(entry.total_s / one.ranking.front().total_s);
      total.fits = total.fits && entry.fits;
    }
  }
  std::vector<MachineTotal> sorted;
  for (auto& [name, total] : totals) sorted.push_back(std::move(total));
  std::ranges::stable_sort(sorted, {},
                           [](const MachineTotal& t) { return std::tuple(!t.fits, t.log_ratio / t.matrices); });
  return sorted;
}

nlohmann::ordered_json entry_json(const RankEntry& entry) {
  nlohmann::ordered_json out{{"device", entry.device},
                             {"tier", entry.tier},
                             {"kernel", entry.best.kernel},
                             {"seconds", entry.best.seconds},
                             {"low_s", entry.best.low_s},
                             {"high_s", entry.best.high_s},
                             {"total_s", entry.total_s},
                             {"preprocess_s", or_null(entry.best.preprocess_s)},
                             {"upload_s", entry.upload_s},
                             {"gflops", entry.best.gflops},
                             {"bytes", or_null(entry.best.bytes)},
                             {"fits", entry.fits},
                             {"bound_by", entry.best.bound_by},
                             {"roof_share", entry.roof_share},
                             {"tie", entry.tie}};
  if (entry.energy_j > 0) out["energy_j"] = entry.energy_j;
  if (!entry.flip.property.empty())
    out["first_if"] = {{"property", entry.flip.property}, {"factor", entry.flip.factor}};
  return out;
}

nlohmann::ordered_json comparison_json(const std::vector<RankedMatrix>& all, const CompareArguments& options,
                                       const Globals& globals) {
  nlohmann::ordered_json out{{"iterations", options.iterations},
                             {"precision", globals.precision},
                             {"matrices", nlohmann::ordered_json::array()},
                             {"summary", nlohmann::ordered_json::array()}};
  if (!options.solver.empty()) out["solver"] = options.solver;
  for (const RankedMatrix& one : all) {
    nlohmann::ordered_json matrix = matrix_json(one.structure);
    matrix["ranking"] = nlohmann::ordered_json::array();
    for (const RankEntry& entry : one.ranking) matrix["ranking"].push_back(entry_json(entry));
    out["matrices"].push_back(std::move(matrix));
  }
  for (const MachineTotal& total : totals_of(all)) {
    nlohmann::ordered_json row{{"device", total.device},     {"tier", total.tier},
                               {"matrices", total.matrices}, {"first", total.first},
                               {"tied", total.tied},         {"mean_ratio", std::exp(total.log_ratio / total.matrices)},
                               {"total_s", total.total_s},   {"fits", total.fits}};
    if (total.energy_j > 0) row["energy_j"] = total.energy_j;
    out["summary"].push_back(std::move(row));
  }
  return out;
}

std::string place_mark(const RankEntry& entry) { return !entry.fits ? "!" : entry.tie ? "=" : ""; }

std::string energy_text(double joules) { return joules > 0 ? fmt::format("{:.3g} J", joules) : "–"; }

std::string flip_text(const forecast::Flip& flip, std::string_view times) {
  if (flip.property.empty()) return "–";
  return fmt::format("{:.2f} {} {}", flip.factor, times, flip.property == "clock_hz" ? "clock" : "bandwidth");
}

// What the marks mean, what binds the first, and what would put the second in its place.
std::string first_text(const std::vector<RankEntry>& ranking) {
  if (ranking.empty()) return "no machine has a forecast\n";
  const RankEntry& first = ranking.front();
  std::string text;
  if (std::ranges::any_of(ranking, &RankEntry::tie)) text += "= not told apart from the first\n";
  if (!std::ranges::all_of(ranking, &RankEntry::fits)) text += "! does not fit its memory\n";
  text += first.device;
  if (!first.best.bound_by.empty()) text += fmt::format(" is bound by {}", first.best.bound_by);
  if (first.roof_share > 0)
    text += fmt::format("{}{} of its data sheet's bandwidth{}", first.best.bound_by.empty() ? " has " : ", at ",
                        base::format_percent(first.roof_share), first.roof_share > 1 ? " (caches)" : "");
  text += '\n';
  if (ranking.size() > 1 && !ranking[1].flip.property.empty())
    text += fmt::format("{} would be first with {}\n", ranking[1].device, flip_text(ranking[1].flip, "times the"));
  return text;
}

std::string ranking_text(const RankedMatrix& one, const CompareArguments& options, std::size_t most) {
  const Structure& s = one.structure;
  base::TextTable table({"machine", "kernel", "total", "from", "to", "GF/s", "", "known by", "bound by", "of bandwidth",
                         "energy", "first with"});
  for (const RankEntry& entry : one.ranking) {
    if (most-- == 0) break;
    const double beside = entry.total_s - static_cast<double>(options.iterations) * entry.best.seconds;
    const auto total = [&](double seconds) {
      return base::format_seconds(static_cast<double>(options.iterations) * seconds + beside);
    };
    table.add({entry.device, entry.best.kernel, base::format_seconds(entry.total_s), total(entry.best.low_s),
               total(entry.best.high_s), fmt::format("{:.1f}", entry.best.gflops), place_mark(entry), entry.tier,
               entry.best.bound_by.empty() ? "–" : entry.best.bound_by,
               entry.roof_share > 0 ? base::format_percent(entry.roof_share) : "–", energy_text(entry.energy_j),
               flip_text(entry.flip, "×")});
  }
  return fmt::format("{}: {} × {}, {} non-zeros; {} {}{}{}\n\n{}{}", s.name, base::format_count(s.rows),
                     base::format_count(s.cols), base::format_count(s.nonzeros), base::format_count(options.iterations),
                     options.unit(), options.iterations == 1 ? "" : "s",
                     options.solver.empty() ? "" : " of " + options.solver + " with jacobi where it takes one",
                     table.text(layout()), first_text(one.ranking));
}

std::string summary_text(const std::vector<RankedMatrix>& all) {
  base::TextTable table({"machine", "tier", "first", "tied", "ratio", "all", "energy"});
  for (const MachineTotal& t : totals_of(all))
    table.add({t.device, t.tier, std::to_string(t.first), std::to_string(t.tied),
               fmt::format("{:.2f}", std::exp(t.log_ratio / t.matrices)), base::format_seconds(t.total_s),
               energy_text(t.energy_j)});
  return table.text(layout()) + "ratio: geometric mean of the time over that of each matrix's first\n";
}

// An iteration of a solver in place of a product; with the diagonal as preconditioner, which every machine has.
forecast::FromProduct solver_of(const CompareArguments& options, const Structure& structure, const Globals& globals) {
  if (options.solver.empty()) return {};
  const solve::Method method = solve::parse_method(options.solver);
  if (method.kind() == solve::MethodKind::pagerank || method.kind() == solve::MethodKind::lobpcg)
    throw Error(ErrorCode::unavailable, method.name() + " is not ranked", {},
                "the products ranked are y = A·x of one vector: take cg, bicgstab, gmres, chebyshev, jacobi or power");
  solve::PreconditionerWork work;
  work.kind = method.info->preconditions ? solve::PreconditionerKind::jacobi : solve::PreconditionerKind::none;
  work.rows = static_cast<double>(structure.rows);
  work.nonzeros = static_cast<double>(structure.nonzeros);
  return [=, &structure, &globals](const RankedMachine& machine, const Forecast& product) {
    const solve::Rates rates(machine.profile, threads_for(machine.profile, globals));
    return solve::as_product(solve::forecast_iteration(product, rates, structure, work, method), product);
  };
}

void compare_machines(const CompareArguments& options, const Globals& globals) {
  const std::vector<std::filesystem::path> files = matrix_files(options.matrices, globals);
  Failures failures(files.size());
  const std::vector<Structure> structures = compared_structures(files, failures, globals);
  const std::vector<RankedMachine> machines = machines_of(options, globals);
  std::vector<RankedMatrix> all;
  for (const Structure& structure : structures)
    all.push_back(
        {structure, forecast::rank_machines(machines, structure, options.iterations, globals.value_precision(),
                                            solver_of(options, structure, globals))});
  if (!options.picture.empty())
    base::write_file_atomically(options.picture, ranking_svg(all.front().structure.name, all.front().ranking),
                                {.what = "picture"});
  Page page(options.page, globals);
  if (page.wanted()) page.write("Machines compared", "compare", comparison_json(all, options, globals));
  constexpr std::size_t most_of_several = 10;
  if (globals.json) {
    print_json("compare", comparison_json(all, options, globals));
  } else {
    for (const RankedMatrix& one : all)
      print(ranking_text(one, options, all.size() == 1 ? one.ranking.size() : most_of_several) + "\n");
    print(summary_text(all));
  }
  failures.finish();
}

}  // namespace

void add_compare(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("compare", "Every machine that is known, ranked, with intervals and tiers");
  auto options = std::make_shared<CompareArguments>();
  command
      ->add_option(
          "MATRIX", options->matrices,
          "matrix files or ss:GROUP/NAME, folders of files, or structures (.json) as `info --json` prints them")
      ->required();
  command
      ->add_option("--devices", options->devices,
                   "all, or names and descriptions (FILE.json) separated by commas: what is measured or described")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--iterations", options->iterations, "so many products, with conversion and upload")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--solver", options->solver,
                      "rank by iterations of this method (cg, bicgstab, gmres[:m], …) instead of products");
  command->add_option("-o,--output", options->picture, "the ranking of the first matrix as a picture (.svg)");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { compare_machines(*options, globals); });
}

}  // namespace sparsecast::app
