#pragma once
// The command as a function: for the program, and for others that link it (the Python package) and want its document
// in memory.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"

namespace sparsecast::app {

/// Runs a command line as the program does and returns its exit status. What a command throws passes through.
int run(int argc, char** argv);

/// Where a run within another program says what the command says on stderr. Called on the thread that runs.
struct Outlet {
  std::function<void(std::string_view line)> remark;
  base::ProgressFunction progress;
};

/// Runs a command line (without the program's name) and returns what it would print. Error usage for a wrong one; all
/// others are the command's. One run at a time in a process: a second one waits. Of the process it leaves the default
/// number of threads at all cores, and forgets a request to stop from before.
std::string run_within(std::vector<std::string> arguments, const Outlet& outlet);

/// Whether a command line is understood; nothing is run. Error usage where it is not.
void check_line(std::vector<std::string> arguments);

/// The outlet of the run on this thread; nullptr in the program itself.
const Outlet* outlet() noexcept;

/// Sets it for as long as it lives, and `text` as what print() writes to.
class UseOutlet {
 public:
  UseOutlet(const Outlet& outlet, std::string& text);
  ~UseOutlet();
  UseOutlet(const UseOutlet&) = delete;
  UseOutlet& operator=(const UseOutlet&) = delete;
};

}  // namespace sparsecast::app
