// sparsecast compare: every machine that is known, ranked for a matrix or for a folder of them.

#include "fields/answers/compare.hpp"
#include "answers/solver_choice.hpp"
#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/pictures.hpp"
#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/files.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "fields/json.hpp"

namespace sparsecast::app {
namespace {
struct CompareArguments {
  std::vector<std::string> matrices;
  std::string picture, page;
  bool all = false;
  CompareRequest request;
};

std::string basis_text(const MachinePlace& place) {
  return fmt::format("{} by {}{}", place.device, to_string(place.tier), place.extrapolated ? ", extrapolated" : "");
}

std::string place_mark(const MachinePlace& entry) { return !entry.fits ? "!" : entry.tie ? "=" : ""; }

std::string work_text(const Comparison& of) {
  return fmt::format("{} {}{}{}", base::format_count(of.iterations), of.solver.empty() ? "product" : "iteration",
                     of.iterations == 1 ? "" : "s",
                     of.solver.empty() ? "" : " of " + of.solver + " with jacobi where it takes one");
}

std::string cost_text(std::optional<double> cost) { return cost ? fmt::format("{:.3g} in ", *cost) : ""; }

// The answer: who is first, after what time, and how sure that is.
std::string first_text(const std::vector<MachinePlace>& ranking) {
  if (ranking.empty()) return "no machine has a forecast\n";
  const MachinePlace& first = ranking.front();
  return fmt::format("{}: {}{}\n",
                     base::bold(first.device + (first.cost ? " costs least" : " finishes first"), layout()),
                     cost_text(first.cost) + base::format_seconds(first.total_s),
                     ranking.size() < 2 ? "" : fmt::format(", {} before {}", chance_text(first), ranking[1].device));
}

// What the marks mean, what binds the first, and what would change the answer.
std::string notes_text(const MatrixRanking& one) {
  std::string text;
  if (std::ranges::any_of(one.ranking, &MachinePlace::tie)) text += "= cannot be told apart from the first\n";
  if (!std::ranges::all_of(one.ranking, &MachinePlace::fits)) text += "! does not fit into its memory\n";
  if (one.ranking.empty()) return text;
  const auto unknown = std::ranges::count_if(one.ranking, [](const MachinePlace& at) { return !at.preprocess_s; });
  if (unknown > 0)
    text += fmt::format("{} of {} totals are without a conversion: what it takes there is not known\n", unknown,
                        one.ranking.size());
  const MachinePlace& first = one.ranking.front();
  text += "known: " + basis_text(first) + (one.ranking.size() > 1 ? "; " + basis_text(one.ranking[1]) : "") + '\n';
  if (!first.bound_by.empty() || first.roof_share > 0) text += first.device;
  if (!first.bound_by.empty()) text += fmt::format(" is bound by {}", first.bound_by);
  if (first.roof_share > 0)
    text += fmt::format("{}{} of its data sheet's bandwidth{}", first.bound_by.empty() ? " has " : ", at ",
                        base::format_percent(first.roof_share), first.roof_share > 1 ? " (caches)" : "");
  if (!first.bound_by.empty() || first.roof_share > 0) text += '\n';
  if (!one.measure_next) return text;
  const MeasureNext& next = *one.measure_next;
  return text + fmt::format("measuring {} products on {} (`probe --for`) lowers the doubt from {} to {}\n",
                            next.products.size(), next.device, base::format_percent(next.doubt),
                            base::format_percent(next.doubt_after));
}

// The first machines with the probability that each finishes before the next.
std::string bars_text(const MatrixRanking& one, const Comparison& of, std::size_t most) {
  std::vector<std::vector<std::string>> rows{{"machine", "kernel", "total", "before", ""}};
  std::vector<Interval> intervals;
  for (const MachinePlace& place : one.ranking) {
    if (most-- == 0) break;
    intervals.push_back(total_interval(place, of.iterations));
    rows.push_back({place.device, place.kernel, cost_text(place.cost) + base::format_seconds(place.total_s),
                    chance_text(place), place_mark(place)});
  }
  return intervals.empty() ? "" : bar_table(rows, 3, intervals, layout());
}

std::string all_text(const MatrixRanking& one, const Comparison& of) {
  base::TextTable table(
      {"machine", "kernel", "total", "from", "to", "GF/s", "", "known by", "bound by", "of bandwidth"});
  for (const MachinePlace& entry : one.ranking) {
    const Interval total = total_interval(entry, of.iterations);
    table.add({entry.device, entry.kernel, cost_text(entry.cost) + base::format_seconds(total.middle),
               base::format_seconds(total.low), base::format_seconds(total.high), fmt::format("{:.1f}", entry.gflops),
               place_mark(entry),
               std::string(to_string(entry.tier)) + (entry.extrapolated ? " *" : "") +
                   (entry.learned_of ? ", " + *entry.learned_of : ""),
               entry.bound_by.empty() ? "–" : entry.bound_by,
               entry.roof_share > 0 ? base::format_percent(entry.roof_share) : "–"});
  }
  return table.text(layout());
}

std::string ranking_text(const MatrixRanking& one, const Comparison& of, bool all) {
  constexpr std::size_t most = 12;
  std::string text = fmt::format("{}{}; {}\n\n{}{}", first_text(one.ranking), size_text(one.matrix), work_text(of),
                                 all ? all_text(one, of) : bars_text(one, of, most), notes_text(one));
  if (all || one.ranking.empty()) return text;
  return text + "bars: 90 % intervals; before: chance to finish before the next, or to cost less\n" +
         (one.ranking.size() > most ? more_text(one.ranking.size() - most, "machine") + " and " : "") +
         "--all shows what each forecast is based on\n";
}

std::string summary_text(const Comparison& of, bool all) {
  if (of.summary.empty()) return "no machine has a forecast\n";
  const MachineTotal& best = of.summary.front();
  std::string text =
      fmt::format("{}: {} for all {} matrices, first of {}\n\n",
                  base::bold(best.device + (best.cost ? " costs least" : " finishes first"), layout()),
                  cost_text(best.cost) + base::format_seconds(best.total_s), of.matrices.size(), best.first);
  base::TextTable table({"machine", "tier", "first", "tied", "ratio", "all"});
  std::size_t left = all ? of.summary.size() : 15;
  for (const MachineTotal& t : of.summary) {
    if (left-- == 0) break;
    table.add({t.device, std::string(to_string(t.tier)), std::to_string(t.first), std::to_string(t.tied),
               fmt::format("{:.2f}", t.mean_ratio), cost_text(t.cost) + base::format_seconds(t.total_s)});
  }
  return text + table.text(layout()) +
         fmt::format("ratio: geometric mean of the {} relative to each matrix's first\n", best.cost ? "cost" : "time") +
         (all ? "" : "--all shows each matrix\n");
}

void require_comparable(const CompareRequest& request, const std::filesystem::path& file, const Globals& globals) {
  const answers::MatrixAndStructure of = answers::matrix_and_structure_of(file, globals.threads, request.listener);
  if (!request.solver.empty()) answers::require_fit(of, solving::parse_method(request.solver));
}

CompareRequest request_of(const CompareArguments& options, Failures& failures,
                          const std::vector<std::filesystem::path>& files, const Globals& globals) {
  CompareRequest request = options.request;
  tell_globals(request, globals);
  if (!request.solver.empty()) (void)solving::parse_method(request.solver);
  // Files and not their structures: what was measured here is known of a matrix, not of its features. Of several, one
  // that cannot be read, or solved, costs the others nothing, and all of them at once might not fit the memory: they
  // are read twice.
  for (const auto& file : files)
    failures.attempt([&] {
      if (files.size() > 1) require_comparable(request, file, globals);
      request.matrices.emplace_back(file);
    });
  if (request.matrices.empty()) failures.finish();
  return request;
}

void compare(const CompareArguments& options, const Globals& globals) {
  require_svg(options.picture);
  const std::vector<std::filesystem::path> files = matrix_files(options.matrices, globals);
  Failures failures(files.size());
  const Comparison of = sparsecast::compare(request_of(options, failures, files, globals));
  if (!options.picture.empty())
    base::write_file_atomically(
        options.picture,
        ranking_svg(of.matrices.front().matrix.name, work_text(of), of.matrices.front().ranking, of.iterations),
        {.what = "picture"});
  Page page(options.page, globals);
  if (page.wanted()) page.write("Machines compared", "compare", fields::written(of));
  const bool several = of.matrices.size() > 1;
  if (globals.json) print_json("compare", fields::written(of));
  if (!globals.json && several) print(summary_text(of, options.all));
  if (!globals.json && (!several || options.all))
    for (const MatrixRanking& one : of.matrices) print((several ? "\n" : "") + ranking_text(one, of, options.all));
  failures.finish();
}
}  // namespace

void add_compare(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("compare", "Rank every known machine, with intervals and tiers");
  auto options = std::make_shared<CompareArguments>();
  FieldOptions add(*command, options->request);
  add.positional<&CompareRequest::matrices>("MATRIX", options->matrices)->required();
  add.options<&CompareRequest::devices, &CompareRequest::iterations, &CompareRequest::solver, &CompareRequest::cost,
              &CompareRequest::places>();
  command->add_flag("--all", options->all, "show every machine, what its forecast is based on and what limits it");
  command->add_option("-o,--output", options->picture, "write the ranking of the first matrix as a picture (.svg)");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { compare(*options, globals); });
}
}  // namespace sparsecast::app
