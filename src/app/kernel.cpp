// sparsecast kernel FILE: the time of a GPU kernel from its code or its graph.

#include <sstream>
#include <system_error>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/page/page.hpp"
#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/files.hpp"
#include "base/guard/program_rules.hpp"
#include "base/number.hpp"
#include "fields/answers/kernel.hpp"
#include "fields/json.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/launch_options.hpp"
#include "gpu_code/times/time_belief.hpp"

namespace sparsecast::app {
namespace {
struct KernelArguments {
  std::string grid, block, divergence = "sum", evaluation = "path", page, matrix;
  std::vector<std::string> arguments, buffers, trips, anchors;
  KernelRequest request;
  KernelTableRequest table;
  KernelSpaceRequest space;
  bool no_sandbox = false;

  [[nodiscard]] bool of_space() const { return !space.space.empty(); }
  [[nodiscard]] bool of_table() const { return !table.table.empty(); }
};

std::vector<std::int64_t> trips_of(const std::string& option, const std::string& count) {
  std::vector<std::int64_t> counts;
  const auto number = [&](const std::string& text) {
    const auto value = base::number_in<std::int64_t>(text);
    if (!value || *value < 0)
      throw Error(ErrorCode::usage, "--trip " + option + ": not a count", {},
                  "give a whole number, or a file with one number a line (row lengths)");
    counts.push_back(*value);
  };
  if (std::error_code unknown; std::filesystem::exists(count, unknown)) {
    std::istringstream in(base::read_file(count, {.what = "trip counts", .remedy = "give one number a line"}));
    for (std::string word; in >> word;) number(word);
  } else {
    number(count);
  }
  return counts;
}

KernelRequest request_of(const KernelArguments& o, const Globals& globals, ProgressBar& bar) {
  KernelRequest request = o.request;
  // All models are what an empty list asks for.
  if (std::ranges::find(request.models, "all") != request.models.end()) request.models.clear();
  if (!o.grid.empty() && !o.of_space()) request.grid = gpu_code::parse_dimensions(o.grid, "--grid");
  if (!o.block.empty() && !o.of_space()) request.block = gpu_code::parse_dimensions(o.block, "--block");
  for (const std::string& a : o.arguments)
    request.arguments.insert(gpu_code::parse_assignment(a, "--arg", request.arguments));
  for (const std::string& b : o.buffers) {
    const auto [name, path] = gpu_code::parse_assignment(b, "--buffer", request.buffers);
    request.buffers[name] = gpu_code::read_buffer(path);
  }
  for (const std::string& t : o.trips) {
    const auto [label, count] = gpu_code::parse_assignment(t, "--trip", request.trips);
    request.trips[label] = trips_of(t, count);
  }
  request.lanes_diverge = o.divergence == "sum";
  request.matrix_form = o.evaluation == "matrix";
  if (!o.matrix.empty()) request.matrix = std::filesystem::path(o.matrix);
  tell_globals(request, globals, &bar);
  return request;
}

std::vector<KernelAnchor> anchors_of(const KernelArguments& o) {
  std::vector<KernelAnchor> anchors;
  for (const std::string& text : o.anchors) anchors.push_back(gpu_code::parse_anchor(text));
  return anchors;
}

void check_together(const KernelArguments& o) {
  const bool drawn = o.table.drawn_anchors > 0;
  if (o.request.file.empty() == o.request.own.empty())
    throw Error(ErrorCode::usage, "give a file, or one of the product's own kernels by --own", {},
                "see sparsecast kernel --help");
  if ((drawn && !o.of_table()) || (!o.anchors.empty() && !o.of_table() && !o.of_space()))
    throw Error(ErrorCode::usage, "anchors are used with a table or a space only", {}, "give --table or --space");
  if (drawn && !o.anchors.empty())
    throw Error(ErrorCode::usage, "--anchor and --anchors exclude each other", {}, "give one of them");
  if (o.of_space() && o.of_table())
    throw Error(ErrorCode::usage, "--space and --table exclude each other", {}, "give one of them");
  if (!o.of_space() && (!o.space.results.empty() || !o.space.cache.empty() || !o.space.journal.empty()))
    throw Error(ErrorCode::usage, "--results, --cache and --journal are used with a space only", {}, "give --space");
}

// Many configurations, asked for in one way or another.
template <class Request, class Answer>
void run_many(const KernelArguments& o, const Globals& globals, Request request, Answer (*ask)(const Request&),
              std::string (*text)(const Answer&)) {
  ProgressBar bar(globals);
  request.kernel = request_of(o, globals, bar);
  if constexpr (std::is_same_v<Request, KernelTableRequest>) {
    if (o.request.models.empty() && !globals.json && o.page.empty()) request.kernel.models = {"overlapped"};
  } else {
    request.grid = o.grid;
    request.block = o.block;
  }
  request.anchors = anchors_of(o);
  const Answer answer = ask(request);
  bar.clear();
  Page(o.page, globals).write("Configurations of " + answer.kernel, "kernel", fields::written(answer));
  globals.json ? print_json("kernel", fields::written(answer)) : print(text(answer));
}

void run_kernel(const KernelArguments& o, const Globals& globals) {
  check_together(o);
  const base::ProgramScope guard({.confined = !o.no_sandbox});
  if (o.of_table()) return run_many(o, globals, o.table, kernel_table, kernel_table_text);
  if (o.of_space()) return run_many(o, globals, o.space, kernel_space, kernel_space_text);
  ProgressBar bar(globals);
  KernelRequest request = request_of(o, globals, bar);
  Page page(o.page, globals);
  request.drawing = page.wanted();
  const LaunchTime answer = kernel(request);
  if (page.wanted()) {
    page.add_drawing("Graph of " + answer.kernel, answer.drawing);
    page.write("Kernel " + answer.kernel, "kernel", fields::written(answer));
  }
  globals.json ? print_json("kernel", fields::written(answer))
               : print(kernel_launch_text(answer, o.request.models.empty() && !request.symbolic && !request.powers &&
                                                      answer.overlap.has_value()));
}

// Of tables and spaces.
void add_space_options(CLI::App& command, KernelArguments& options) {
  using Space = KernelSpaceRequest;
  FieldOptions table(command, options.table);
  FieldOptions space(command, options.space);
  table.option<&KernelTableRequest::table>();
  CLI::Option* file = space.option<&Space::space>();
  space.option<&Space::top>()->check(CLI::Range(1, 100000))->needs(file);
  space.option<&Space::forecasts>()->check(CLI::Range(1, 1000000))->needs(file);
  space.option<&Space::within_s>("--within")->check(in_range(1.0, 1e7))->needs(file);
  space.options<&Space::journal, &Space::results, &Space::cache>();
  command.add_option("--anchor", options.anchors,
                     "CONFIG=SECONDS, a measured configuration: a row (12=0.003), or parameters (a=32,b=2=0.003)");
  table.option<&KernelTableRequest::drawn_anchors>("--anchors")->check(CLI::Range(1, 1000));
}
}  // namespace

void add_kernel(CLI::App& root, const Globals& globals) {
  auto* command =
      root.add_subcommand("kernel", "forecast the time of a GPU kernel from PTX, CUDA or OpenCL C source, or a graph");
  command->footer(
      "A source is compiled by nvcc or clang, which read the files that it includes; the kernel itself never runs. The "
      "compilers have no network and, where the system has Landlock, write only to a folder of their own.");
  auto options = std::make_shared<KernelArguments>();
  KernelRequest& request = options->request;
  FieldOptions add(*command, request);
  add.option<&KernelRequest::file>("FILE");
  add.option<&KernelRequest::kernel>();
  command->add_option("--grid", options->grid, "blocks: X, XxY or XxYxZ");
  command->add_option("--block", options->block, "threads of a block: X, XxY or XxYxZ");
  command->add_option("--define", request.defines,
                      "NAME=VALUE for the compiler; VALUE of numbers, names, blanks and .,+-*/%&|^~!<>=?:()[]{}");
  command->add_option("--arg", options->arguments, "NAME=VALUE of a parameter, by name or position from 0");
  command->add_option("--buffer", options->buffers,
                      "NAME=FILE: the bytes of a buffer whose content decides addresses or branches");
  command->add_option("--trip", options->trips,
                      "LABEL=COUNT (or a file of counts) for a loop whose length depends on data");
  command->add_option("--shared-bytes", request.shared_bytes, "dynamic shared memory of a block")
      ->check(CLI::Range(0, 1 << 20));
  add.options<&KernelRequest::device, &KernelRequest::clock>();
  command->add_option("--model", request.models,
                      "naive, operations, serialized, overlapped or all (default: print overlapped, or all for a "
                      "graph; --json always holds all)");
  command
      ->add_option("--divergence", options->divergence,
                   "a branch on unknown data costs both sides (sum) or the longer one (longer)")
      ->check(CLI::IsMember({"sum", "longer"}))
      ->capture_default_str();
  command
      ->add_option("--evaluation", options->evaluation,
                   "compute the paper's models by the longest path or by max-plus matrices")
      ->check(CLI::IsMember({"path", "matrix"}))
      ->capture_default_str();
  add.option<&KernelRequest::graph>();
  add_space_options(*command, *options);
  add.option<&KernelRequest::own>();
  command->add_option("--matrix", options->matrix, "with --own: the matrix, which determines launch, grid and data");
  add.option<&KernelRequest::no_run>();
  command->add_flag("--no-sandbox", options->no_sandbox, "run the compilers with your full rights");
  add.options<&KernelRequest::symbolic, &KernelRequest::powers>();
  add_page_option(*command, options->page);
  command->callback([options, &globals] { run_kernel(*options, globals); });
}
}  // namespace sparsecast::app
