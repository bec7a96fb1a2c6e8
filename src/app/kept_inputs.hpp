#pragma once
// A command never writes over what it reads: -o, --html and --save that name one of its own input files, or a matrix in
// a folder that it reads, are refused. Nor does it work for minutes towards a file that it cannot write.

namespace CLI {
class App;
}

namespace sparsecast::app {
/// Error usage where an output of a parsed command is one of its other files, by whatever path.
void refuse_outputs_over_inputs(const CLI::App& command);

/// Error failed where an output of a parsed command cannot be written (usage for "-"): said before the work whose
/// result it is to hold, which takes minutes. Nothing is left there. Pipes and devices are not tried.
void require_places(const CLI::App& command);
}  // namespace sparsecast::app
