#pragma once
// The command as a function.

#include <string>
#include <vector>

namespace sparsecast::app {
/// Runs a command line as the program does and returns its exit status. What a command throws passes through.
int run(int argc, char** argv);

/// Whether a command line is understood; nothing is run. Error usage where it is not.
void check_line(std::vector<std::string> arguments);
}  // namespace sparsecast::app
