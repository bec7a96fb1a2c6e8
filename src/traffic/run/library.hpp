#pragma once
// The run-time library: MATLAB files that translated programs call. They travel inside the executable and are written
// out once, to a folder of the store named by their content, so that the installed command, the build tree and the
// portable executable all find the same one.

#include <filesystem>

namespace sparsecast::traffic {

/// The folder, complete. Error failed where it cannot be written.
std::filesystem::path library_folder();

}  // namespace sparsecast::traffic
