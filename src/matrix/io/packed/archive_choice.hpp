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
  std::int64_t others = 0;                            ///< files that are none
  std::function<void(std::string_view)> remark = {};  ///< told what was chosen of several; may be empty
};

/// The place in `paths` of the only matrix, or of the only one that is called as its folder. Error bad_input otherwise,
/// which tells what there is.
std::size_t choose_matrix(const ArchiveChoice& choice);

/// A member's path as a message may show it.
std::string printable(std::string_view path);
}  // namespace sparsecast::matrix
