// sparsecast info: the structure of a matrix.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/structure.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "matrix/structure/structure_json.hpp"
#include "matrix/view/spy_picture.hpp"
#include "matrix/view/structure_report.hpp"

namespace sparsecast::app {
namespace {

struct InfoArguments {
  std::string matrix, picture;
};

void info(const InfoArguments& options, const Globals& globals) {
  ReadOptions reading;
  reading.threads = globals.threads;
  const Matrix matrix = input_matrix(options.matrix, reading);
  const Structure structure = analyze(matrix, globals.threads);
  if (!options.picture.empty()) {
    matrix::write_spy_picture(matrix, options.picture, globals.threads);
    remark(globals, "picture written to " + options.picture);
  }
  if (globals.json) {
    print_json("info", {{"matrix", matrix_json(structure)}, {"structure", matrix::structure_to_json(structure)}});
  } else {
    print(matrix::structure_report(matrix, structure, globals.threads));
  }
}

}  // namespace

void add_info(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("info", "structure of a matrix, row-length histogram, spy picture");
  const auto options = std::make_shared<InfoArguments>();
  command->add_option("MATRIX", options->matrix, "Matrix Market, Rutherford-Boeing or .npz file")->required();
  command->add_option("-o,--output", options->picture, "draw the matrix into this .png or .svg file");
  command->callback([options, &globals] { info(*options, globals); });
}

}  // namespace sparsecast::app
