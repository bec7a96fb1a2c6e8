#pragma once
// A command never writes over what it reads: -o, --html and --save that name one of its own input files, or a matrix in
// a folder that it reads, are refused.

namespace CLI {
class App;
}

namespace sparsecast::app {
/// Error usage where an output of a parsed command is one of its other files, by whatever path.
void refuse_outputs_over_inputs(const CLI::App& command);
}  // namespace sparsecast::app
