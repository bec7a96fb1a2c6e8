// A file's bytes as a matrix with the file's name.

#include <array>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "base/memory.hpp"
#include "matrix/io/input_file.hpp"
#include "matrix/io/read_bytes.hpp"

namespace sparsecast {
std::string matrix_name(const std::filesystem::path& file) {
  static constexpr std::array<std::string_view, 18> endings{".gz",  ".bz2", ".xz",  ".zst", ".mtx", ".mm",
                                                            ".npz", ".rb",  ".hb",  ".rua", ".rsa", ".pua",
                                                            ".psa", ".rra", ".txt", ".tar", ".tgz", ".zip"};
  std::string name = file.filename().string();
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view ending : endings) {
      if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
      name.resize(name.size() - ending.size());
      cut = true;
    }
  }
  return name;
}

Matrix read_matrix(const std::filesystem::path& file, const ReadOptions& options) {
  const std::int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : base::memory_bytes();
  const matrix::InputFile input(file, memory);
  try {
    return Matrix(matrix::read_bytes(input.bytes(), input.name(), memory, options), matrix_name(file));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::too_large, "there is not enough memory to read it", {input.name()},
                "read it on a machine with more memory");
  }
}
}  // namespace sparsecast
