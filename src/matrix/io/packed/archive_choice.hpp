#pragma once
// Which of the matrices in an archive is meant. The collection's archives hold NAME/NAME.mtx, and beside it what
// belongs to the problem: right-hand sides (NAME_b.mtx), coordinates (NAME_coord.mtx).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::matrix {
struct ArchiveChoice {
  std::string kind;                                   ///< "tar archive in gzip"
  std::string file;                                   ///< for messages
  std::vector<std::string> paths;                     ///< of the members that are matrices
  std::vector<std::string> unread = {};               ///< of those called as a matrix whose bytes are not read here
  std::int64_t others = 0;                            ///< files that are none, those called as one among them
  std::function<void(std::string_view)> remark = {};  ///< told what was chosen of several; may be empty
};

/// The place in `paths` of the only matrix, or of the only one that is called as its folder. Error bad_input otherwise,
/// which tells what there is; so too where a member that is called as a matrix may be the one that is meant and is none
/// of them: a right-hand side is not read for a matrix in bzip2, or one that was cut off.
std::size_t choose_matrix(const ArchiveChoice& choice);

/// True of "A.mtx.bz2", "A.npz", "A.mat": names of what would be the matrix, if it could be read.
bool is_called_as_matrix(std::string_view path);

/// A member's path as a message may show it.
std::string printable(std::string_view path);
}  // namespace sparsecast::matrix
