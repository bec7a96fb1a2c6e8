#pragma once
// --devices of optimize: rows dealt to several devices, and the truth where all of them are here.

#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

#include "app/commands.hpp"

namespace CLI {
class App;
}

namespace sparsecast::app {

struct DevicesArgument {
  std::vector<std::string> names;
  [[nodiscard]] bool given() const { return !names.empty(); }
};
void add_devices_option(CLI::App& command, DevicesArgument& argument);

/// Prints the split, and what it measured where every device is here.
void optimize_over_devices(const Matrix& matrix, const DevicesArgument& argument, const Globals& globals);

}  // namespace sparsecast::app
