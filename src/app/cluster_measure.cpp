// sparsecast cluster measure: the truth on P processes, checked against one.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cluster.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "cluster/launch/measure.hpp"
#include "cluster/simulate/simulate.hpp"

namespace sparsecast::app {
namespace {

using namespace cluster;
using nlohmann::ordered_json;

struct ClusterMeasureArguments {
  std::string matrix, page;
  std::vector<int> processes{1};
  std::vector<std::string> schemes{"2du", "g1dr", "l1dr"}, formats = cluster::format_names();
  bool unchecked = false;
  MeasureOptions measure;
};

ordered_json number_or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json to_json(const ClusterMeasurement& m) {
  ordered_json out{{"way", to_string(m.what.scheme)},
                   {"format", to_string(m.what.format)},
                   {"processes", m.processes},
                   {"nodes", m.nodes},
                   {"seconds", m.seconds},
                   {"low_s", m.low_s},
                   {"high_s", m.high_s},
                   {"core_s", m.core_s},
                   {"communication_s", std::max(0.0, m.seconds - m.core_s)},
                   {"batches", m.batches}};
  if (m.threads > 1) out["threads"] = m.threads;
  if (m.precision == Precision::single_) out["precision"] = to_string(m.precision);
  out["checksum_error"] = number_or_null(m.checksum_error);
  out["norm"] = m.norm_log2 && std::abs(*m.norm_log2) < 1000 ? ordered_json(std::exp2(*m.norm_log2)) : ordered_json();
  out["norm_log2"] = number_or_null(m.norm_log2);
  out["source"] = m.source;
  return out;
}

void measure(const ClusterMeasureArguments& options, const Globals& globals) {
  const std::filesystem::path file = matrix_file(options.matrix, globals);
  ordered_json measurements = ordered_json::array(), memory = ordered_json::array();
  base::TextTable table(
      {"scheme", "format", "processes", "one iteration", "5 % – 95 %", "in products", "from one process", "source"});
  table.keys(3);
  for (const int processes : options.processes) {
    MeasureOptions request = options.measure;
    request.launch.processes = processes;
    request.check = !options.unchecked;
    request.precision = globals.value_precision();
    for (const std::string& scheme : options.schemes)
      for (const std::string& format : options.formats) {
        // With several schemes asked for, those that cannot run on so many processes are left out.
        if (options.schemes.size() > 1 && !admissible(parse_scheme(scheme), processes)) continue;
        request.cases.push_back({parse_scheme(scheme), parse_format(format)});
      }
    if (request.cases.empty()) continue;
    if (request.neighbourhood && !request.launch.platform.empty())
      throw Error(ErrorCode::usage, "the simulation has no neighbourhood collectives", {},
                  "--platform or --neighbourhood");
    if (request.launch.threads > 1 && !request.launch.platform.empty())
      throw Error(ErrorCode::usage, "simulated ranks have one thread each", {}, "--platform or --rank-threads");
    if (request.precision == Precision::single_ && !request.launch.platform.empty())
      throw Error(ErrorCode::usage, "simulated ranks compute in double precision", {},
                  "--platform or --precision single");
    const ClusterMeasurements measured =
        request.launch.platform.empty()
            ? measure_file(file, request)
            : ClusterMeasurements{simulate_matrix(read_input(file, globals), request, {}).cases, {}, {}};
    for (const ClusterMeasurement& m : measured.cases) {
      measurements.push_back(to_json(m));
      table.add({std::string(to_string(m.what.scheme)), std::string(to_string(m.what.format)),
                 m.threads > 1 ? fmt::format("{} × {}", m.processes, m.threads) : std::to_string(m.processes),
                 base::format_seconds(m.seconds),
                 base::format_seconds(m.low_s) + " – " + base::format_seconds(m.high_s), base::format_seconds(m.core_s),
                 m.checksum_error ? fmt::format("{:.1e}", *m.checksum_error) : "not checked", m.source});
    }
    if (!measured.peak_memory_bytes.empty())
      memory.push_back({{"processes", processes},
                        {"base_bytes", measured.base_memory_bytes},
                        {"peak_bytes", measured.peak_memory_bytes}});
  }
  const ordered_json document{{"matrix", options.matrix},
                              {"iterations", options.measure.iterations},
                              {"measurements", measurements},
                              {"rank_memory", memory}};
  Page(options.page, globals).write("Iterated products of " + options.matrix, "cluster-measure", document);
  globals.json ? print_json("cluster-measure", document) : print(table.text(layout()));
}

}  // namespace

void add_cluster_measure(CLI::App& cluster, const Globals& globals) {
  auto options = std::make_shared<ClusterMeasureArguments>();
  CLI::App* command = cluster.add_subcommand("measure", "run the iteration on P processes, checked against one");
  command->add_option("matrix", options->matrix, "matrix file, or ss:GROUP/NAME")->required();
  command->add_option("--processes,-n", options->processes, "process counts, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  command->add_option("--way,--scheme", options->schemes, "2du, g1dr, l1dr (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"2du", "g1dr", "l1dr"}));
  command->add_option("--format", options->formats, "csr, coo (default: both)")
      ->delimiter(',')
      ->check(CLI::IsMember(cluster::format_names()));
  command->add_option("--iterations", options->measure.iterations, "iterations per timed batch")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seed", options->measure.seed, "of the random permutation of 2du")->capture_default_str();
  command->add_option("--launcher", options->measure.launch.launcher, "launcher and its options")
      ->capture_default_str();
  command
      ->add_option("--rank-threads", options->measure.launch.threads,
                   "threads of each process, which multiply its block")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--platform", options->measure.launch.platform,
                      "simulate on this SimGrid platform file: local products timed here, messages simulated");
  command
      ->add_option("--patience", options->measure.launch.patience_s,
                   "seconds without a sign of life after which the run is ended")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--budget", options->measure.budget_s, "seconds of measuring per case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--scratch", options->measure.scratch, "folder for the job, seen by the first node");
  command->add_flag("--neighbourhood", options->measure.neighbourhood,
                    "l1dr by one neighbourhood collective a step instead of messages");
  command->add_flag("--no-check", options->unchecked,
                    "do not compare with one process: 2du then never holds the matrix in one place");
  add_page_option(*command, options->page);
  command->callback([options, &globals] { measure(*options, globals); });
}

}  // namespace sparsecast::app
