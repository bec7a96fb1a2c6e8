#pragma once
// One member of a compressed tar archive of an unknown server. Nothing is written here: what the member holds is handed
// on piece by piece, and an archive that is more than plain files and folders is refused.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace sparsecast::matrix {
struct MemberToTake {
  std::string path;                ///< of the member: "west0067/west0067.mtx"
  std::int64_t most_bytes = 0;     ///< of the member
  std::int64_t most_unpacked = 0;  ///< of everything up to its end
};

/// Hands the member's bytes to `take`, in pieces; what stands behind it is not looked at. Error bad_input for what is
/// no such archive, is cut off, has no such member, or before it a path that is absolute or climbs out, a link or a
/// device, or more than the member may be; unavailable where the build has no libarchive.
void read_member(const std::filesystem::path& archive, const MemberToTake& member,
                 const std::function<void(std::string_view)>& take);
}  // namespace sparsecast::matrix
