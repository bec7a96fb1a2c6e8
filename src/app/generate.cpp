// sparsecast generate: matrices to try.

#include <CLI/CLI.hpp>
#include <sparsecast/answers/generate.hpp>
#include <sparsecast/generate.hpp>

#include "app/inputs.hpp"
#include "app/texts.hpp"
#include "fields/answers/generate.hpp"
#include "fields/json.hpp"
#include "matrix/generate/matrix_parameters.hpp"

namespace sparsecast::app {
namespace {
struct GenerateArguments {
  std::string kind, file;
  std::uint64_t seed = 1;
  std::map<std::string, double> numbers;  // by parameter; each has its option
  std::map<std::string, CLI::Option*> given;
};

std::string option_name(const std::string& parameter) {
  std::string name = "--" + parameter;
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string kinds_text() {
  std::string text = "kinds and their options:\n";
  for (const GeneratorKind& kind : generator_kinds()) {
    std::string options;
    for (const GeneratorParameter& p : kind.parameters)
      options += p.required ? " " + option_name(p.name) : " [" + option_name(p.name) + "]";
    text += fmt::format("  {:<11}{}\n             {}\n", kind.name, kind.summary, options);
  }
  return text;
}

// A size on the command line is a whole number that fits.
std::int64_t whole(const std::string& parameter, double value) {
  if (!(value >= 1 && value <= 0x1p53) || value != std::floor(value))
    throw Error(ErrorCode::usage,
                fmt::format("{} must be a whole number from 1 on, not {}", option_name(parameter), value));
  return static_cast<std::int64_t>(value);
}

MatrixSpec spec_of(const GenerateArguments& options) {
  if (options.kind.empty()) {
    std::vector<std::string> kinds;
    for (const GeneratorKind& kind : generator_kinds()) kinds.push_back(kind.name);
    throw Error(ErrorCode::usage, "generate needs the kind of matrix", {},
                fmt::format("kinds: {}", fmt::join(kinds, ", ")));
  }
  MatrixSpec spec;
  spec.kind = options.kind;
  spec.seed = options.seed;
  for (const auto& [parameter, option] : options.given) {
    if (option->count() == 0) continue;
    const double value = options.numbers.at(parameter);
    const bool size = parameter == "rows" || parameter == "cols";
    matrix::set_parameter(spec, parameter, size ? static_cast<double>(whole(parameter, value)) : value);
  }
  return spec;
}

void generate_file(const GenerateArguments& options, const Globals& globals) {
  GenerateRequest request{
      .spec = spec_of(options), .file = options.file, .threads = globals.threads, .listener = listener_of(globals)};
  if (options.file.empty()) throw Error(ErrorCode::usage, "generate needs -o FILE");
  const GeneratedFile made = sparsecast::generate_file(request);
  if (globals.json) return print_json("generate", fields::written(made));
  remark(globals, fmt::format("{}, written to {}", size_text(made.matrix), made.file));
}
}  // namespace

void add_generate(CLI::App& root, const Globals& globals) {
  CLI::App* command =
      root.add_subcommand("generate", "write a matrix to try: stencils, finite elements, random, graphs …");
  const auto options = std::make_shared<GenerateArguments>();
  command->add_option("KIND", options->kind, "kind of matrix, see below");
  command->add_option("-o,--output", options->file,
                      "Matrix Market file to write (gzipped where it ends in .gz), or SciPy's .npz");
  command->add_option("--seed", options->seed, "seed of the random numbers; each gives another matrix of the kind")
      ->capture_default_str();
  for (const GeneratorKind& kind : generator_kinds())
    for (const GeneratorParameter& p : kind.parameters)
      if (!options->given.contains(p.name))
        options->given[p.name] = command->add_option(option_name(p.name), options->numbers[p.name], p.meaning);
  command->footer(kinds_text());
  command->callback([options, &globals] { generate_file(*options, globals); });
}
}  // namespace sparsecast::app
