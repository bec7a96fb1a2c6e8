#pragma once
// The run-time library: MATLAB files that translated programs call. They travel inside the executable and are written
// out once, to a folder of the store named by their content, so that the installed command, the build tree and the
// portable executable all find the same one.

#include <filesystem>
#include <string>
#include <string_view>

namespace sparsecast::memory_traffic {
/// The folder, complete. Error failed where it cannot be written.
std::filesystem::path library_folder();
/// MATLAB text of templates/, as fmt::format() takes it.
std::string template_text(std::string_view name);
}  // namespace sparsecast::memory_traffic
