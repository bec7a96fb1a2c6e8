#pragma once
// Where the product keeps what it measures: $SPARSECAST_HOME, else sparsecast/ in the user's XDG data folder.

#include <filesystem>

namespace sparsecast::base {

/// The folder, created where it is missing. Error failed where it cannot be.
std::filesystem::path home_folder();

}  // namespace sparsecast::base
