// sparsecast compare: every machine that is known, ranked for a matrix or for a folder of them.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/answers/compare.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/pictures.hpp"
#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/fields/json.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
namespace {
struct CompareArguments {
  std::vector<std::string> matrices;
  std::string picture, page;
  CompareRequest request;
};

std::string unit_of(const Comparison& of) { return of.solver.empty() ? "product" : "iteration"; }

std::string place_mark(const MachinePlace& entry) { return !entry.fits ? "!" : entry.tie ? "=" : ""; }

// What the marks mean, and what binds the first.
std::string first_text(const std::vector<MachinePlace>& ranking) {
  if (ranking.empty()) return "no machine has a forecast\n";
  const MachinePlace& first = ranking.front();
  std::string text;
  if (std::ranges::any_of(ranking, &MachinePlace::tie)) text += "= not told apart from the first\n";
  if (!std::ranges::all_of(ranking, &MachinePlace::fits)) text += "! does not fit its memory\n";
  text += first.device;
  if (!first.bound_by.empty()) text += fmt::format(" is bound by {}", first.bound_by);
  if (first.roof_share > 0)
    text += fmt::format("{}{} of its data sheet's bandwidth{}", first.bound_by.empty() ? " has " : ", at ",
                        base::format_percent(first.roof_share), first.roof_share > 1 ? " (caches)" : "");
  text += '\n';
  return text;
}

// What would change the answer, in one line.
std::string next_text(const MatrixRanking& one) {
  if (!one.measure_next) return {};
  const MeasureNext& next = *one.measure_next;
  return fmt::format("{} products of `probe --for` on {}: doubt of the first place {} → {}\n", next.products.size(),
                     next.device, base::format_percent(next.doubt), base::format_percent(next.doubt_after));
}

std::string ranking_text(const MatrixRanking& one, const Comparison& of, std::size_t most) {
  base::TextTable table(
      {"machine", "kernel", "total", "from", "to", "GF/s", "", "known by", "bound by", "of bandwidth"});
  for (const MachinePlace& entry : one.ranking) {
    if (most-- == 0) break;
    const double beside = entry.total_s - static_cast<double>(of.iterations) * entry.seconds;
    const auto total = [&](double seconds) {
      return base::format_seconds(static_cast<double>(of.iterations) * seconds + beside);
    };
    table.add({entry.device, entry.kernel, base::format_seconds(entry.total_s), total(entry.low_s), total(entry.high_s),
               fmt::format("{:.1f}", entry.gflops), place_mark(entry), entry.tier,
               entry.bound_by.empty() ? "–" : entry.bound_by,
               entry.roof_share > 0 ? base::format_percent(entry.roof_share) : "–"});
  }
  constexpr std::size_t most_bars = 10;
  return fmt::format("{}; {} {}{}{}\n\n{}\n{}\n{}", size_text(one.matrix), base::format_count(of.iterations),
                     unit_of(of), of.iterations == 1 ? "" : "s",
                     of.solver.empty() ? "" : " of " + of.solver + " with jacobi where it takes one",
                     table.text(layout()), ranking_bars(one.ranking, of.iterations, most_bars, layout()),
                     first_text(one.ranking) + next_text(one));
}

std::string summary_text(const Comparison& of) {
  base::TextTable table({"machine", "tier", "first", "tied", "ratio", "all"});
  for (const MachineTotal& t : of.summary)
    table.add({t.device, t.tier, std::to_string(t.first), std::to_string(t.tied), fmt::format("{:.2f}", t.mean_ratio),
               base::format_seconds(t.total_s)});
  return table.text(layout()) + "ratio: geometric mean of the time over that of each matrix's first\n";
}

CompareRequest request_of(const CompareArguments& options, Failures& failures,
                          const std::vector<std::filesystem::path>& files, const Globals& globals) {
  CompareRequest request = options.request;
  tell_globals(request, globals);
  for (const auto& file : files)
    failures.attempt(
        [&] { request.matrices.emplace_back(answers::structure_of(file, globals.threads, request.listener)); });
  if (request.matrices.empty()) failures.finish();
  return request;
}

void compare(const CompareArguments& options, const Globals& globals) {
  const std::vector<std::filesystem::path> files = matrix_files(options.matrices, globals);
  Failures failures(files.size());
  const Comparison of = sparsecast::compare(request_of(options, failures, files, globals));
  if (!options.picture.empty())
    base::write_file_atomically(
        options.picture, ranking_svg(of.matrices.front().matrix.name, of.matrices.front().ranking, of.iterations),
        {.what = "picture"});
  Page page(options.page, globals);
  if (page.wanted()) page.write("Machines compared", "compare", base::written(of));
  constexpr std::size_t most_of_several = 10;
  if (globals.json) {
    print_json("compare", base::written(of));
  } else {
    for (const MatrixRanking& one : of.matrices)
      print(ranking_text(one, of, of.matrices.size() == 1 ? one.ranking.size() : most_of_several) + "\n");
    print(summary_text(of));
  }
  failures.finish();
}
}  // namespace

void add_compare(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("compare", "Every machine that is known, ranked, with intervals and tiers");
  auto options = std::make_shared<CompareArguments>();
  FieldOptions add(*command, options->request);
  add.positional<&CompareRequest::matrices>("MATRIX", options->matrices)->required();
  add.option<&CompareRequest::devices>();
  add.option<&CompareRequest::iterations>();
  add.option<&CompareRequest::solver>();
  command->add_option("-o,--output", options->picture, "the ranking of the first matrix as a picture (.svg)");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { compare(*options, globals); });
}
}  // namespace sparsecast::app
