// sparsecast info: the structure of a matrix.

#include <CLI/CLI.hpp>
#include <sparsecast/answers/info.hpp>

#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "fields/answers/info.hpp"
#include "fields/json.hpp"
#include "matrix/view/spy.hpp"
#include "matrix/view/spy_picture.hpp"
#include "matrix/view/structure_report.hpp"

namespace sparsecast::app {
namespace {
struct InfoArguments {
  std::string matrix, picture;
};

void info(const InfoArguments& options, const Globals& globals) {
  const Matrix matrix = read_input(matrix_file(options.matrix, globals), globals);
  const MatrixInfo answer =
      sparsecast::info({.matrix = matrix, .threads = globals.threads, .listener = listener_of(globals)});
  if (!options.picture.empty()) {
    matrix::write_spy_picture(matrix, options.picture, globals.threads);
    remark(globals, "picture written to " + options.picture);
  }
  if (globals.json) return print_json("info", fields::written(answer));
  print(matrix::structure_report(matrix, answer.structure, layout(), globals.threads));
}
}  // namespace

void add_info(CLI::App& root, const Globals& globals) {
  CLI::App* command =
      root.add_subcommand("info", "show the structure of a matrix, a histogram of its row lengths and a spy picture");
  const auto options = std::make_shared<InfoArguments>();
  command->add_option("MATRIX", options->matrix, "Matrix Market, Rutherford-Boeing or .npz file, or ss:GROUP/NAME")
      ->required();
  command->add_option("-o,--output", options->picture, "draw the matrix in this .png or .svg file");
  command->callback([options, &globals] { info(*options, globals); });
}
}  // namespace sparsecast::app
