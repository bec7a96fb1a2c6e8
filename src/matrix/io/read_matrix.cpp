// What a file is follows from its first bytes; then the reader of its format takes it.

#include <array>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "base/guard/open_input.hpp"
#include "base/interrupt.hpp"
#include "base/machine/memory.hpp"
#include "matrix/io/compressed_text.hpp"
#include "matrix/io/input_file.hpp"
#include "matrix/io/market_header.hpp"
#include "matrix/io/plausible_size.hpp"
#include "matrix/io/read_market.hpp"
#include "matrix/io/read_npz.hpp"
#include "matrix/io/read_rutherford_boeing.hpp"
#include "matrix/io/zip_archive.hpp"

namespace sparsecast {
namespace {
/// Text that is enough to tell what a compressed file is.
constexpr std::size_t first_bytes = std::size_t{1} << 20;

/// All the text of a compressed file, for a reader that needs it whole.
std::string whole_text(const matrix::InputFile& input, std::int64_t limit_bytes) {
  matrix::CompressedText source(input.bytes(), input.name());
  std::string text;
  for (std::string piece; !(piece = source.next(first_bytes)).empty();) {
    base::throw_if_interrupted();
    text += piece;
    if (static_cast<std::int64_t>(text.size()) > limit_bytes)
      throw Error(ErrorCode::too_large, "the decompressed text does not fit the memory", {input.name()},
                  "decompress it to a file");
  }
  return text;
}

Matrix::Storage read_any(const matrix::InputFile& input, std::int64_t limit_bytes, const ReadOptions& options) {
  const std::string_view bytes = input.bytes();
  const std::string& file = input.name();
  if (bytes.empty()) throw Error(ErrorCode::bad_input, "the file is empty", {file}, "fetch it again");
  if (matrix::is_zip(bytes)) return matrix::read_npz(bytes, file, options);
  const bool compressed = !matrix::compression_of(bytes).empty();
  std::string first_text;
  std::string_view text = bytes;
  if (compressed) {
    first_text = matrix::CompressedText(bytes, file).next(first_bytes);
    text = first_text;
    if (text.empty()) throw Error(ErrorCode::bad_input, "the compressed file is empty", {file}, "fetch it again");
  }
  if (matrix::is_matrix_market(text)) return matrix::read_market(bytes, file, options);
  if (matrix::is_rutherford_boeing(text)) {
    if (!compressed) return matrix::read_rutherford_boeing(bytes, file, options);
    return matrix::read_rutherford_boeing(whole_text(input, limit_bytes), file, options);
  }
  throw Error(ErrorCode::bad_input, "is neither Matrix Market, Rutherford-Boeing nor npz", {file, 1, 1},
              "a Matrix Market file begins with: %%MatrixMarket matrix coordinate real general");
}
}  // namespace

std::string matrix_name(const std::filesystem::path& file) {
  static constexpr std::array<std::string_view, 15> endings{".gz",  ".bz2", ".xz",  ".zst", ".mtx",
                                                            ".mm",  ".npz", ".rb",  ".hb",  ".rua",
                                                            ".rsa", ".pua", ".psa", ".rra", ".txt"};
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
    return Matrix(read_any(input, memory, options), matrix_name(file));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::too_large, "there is not enough memory to read it", {input.name()},
                "read it on a machine with more memory");
  }
}
}  // namespace sparsecast
