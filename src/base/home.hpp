#pragma once
// Where the product keeps what it measures: $SPARSECAST_HOME, else sparsecast/ in the user's XDG data folder.

#include <filesystem>
#include <string>

namespace sparsecast::base {
/// A variable of the environment; empty where it is unset or empty.
std::string environment(const char* name);
/// The folder as an absolute path, created where it is missing, for its owner alone. Error failed where it cannot be.
std::filesystem::path home_folder();
/// The same; empty where it cannot be, for what is kept only where it can be.
std::filesystem::path home_folder_if_any() noexcept;
}  // namespace sparsecast::base
