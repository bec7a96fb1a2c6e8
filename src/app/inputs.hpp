#pragma once
// What several commands read before they start: matrices from the files and folders that a user names, the profile of
// the device that is meant.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>

#include "app/commands.hpp"

namespace sparsecast::app {

/// The matrix files meant by `paths`, in order: files as they are, of folders (recursively) every file with the ending
/// of a format that can be read, sorted by name. Error bad_input where a path does not exist.
std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths);

/// The profile of `device` (its name), or of the file `profile_file` where that is not empty. Error failed with the
/// command to run where the device was never calibrated.
Profile load_profile(const std::string& device, const std::string& profile_file);

/// The profile of any machine that is known: as load_profile(), of a description in a file (`device` ends in .json), or
/// of one of the catalogue, of which nothing was measured. Error unavailable with the nearest names for another one.
Profile load_machine(const std::string& device, const std::string& profile_file);

/// Threads of the host that a profile is asked for: --threads or all; 0 for other devices.
int threads_for(const Profile& profile, const Globals& globals);

/// The common head of several documents: matrix{name,rows,cols,nonzeros}.
nlohmann::ordered_json matrix_json(const Structure& structure);
nlohmann::ordered_json device_json(const DeviceProperties& properties);

}  // namespace sparsecast::app
