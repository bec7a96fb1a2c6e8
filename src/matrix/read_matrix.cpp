#include <array>
#include <new>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "matrix/gzip_text.hpp"
#include "matrix/input_file.hpp"
#include "matrix/market_header.hpp"
#include "matrix/plausible_size.hpp"
#include "matrix/read_market.hpp"

namespace sparsecast {
namespace {

Matrix::Storage read_any(const InputFile& input, const ReadOptions& options) {
  const std::string_view bytes = input.bytes();
  const std::string& file = input.name();
  if (bytes.empty()) throw Error(ErrorCode::bad_input, "the file is empty", {file}, "fetch it again");
  std::string first_text;
  std::string_view text = bytes;
  if (is_gzip(bytes)) {
    first_text = GzipText(bytes, file).next(std::size_t{1} << 20);
    text = first_text;
    if (text.empty()) throw Error(ErrorCode::bad_input, "the compressed file is empty", {file}, "fetch it again");
  }
  if (is_matrix_market(text)) return read_market(bytes, file, options);
  throw Error(ErrorCode::bad_input, "is neither Matrix Market, Rutherford-Boeing nor npz", {file, 1, 1},
              "a Matrix Market file begins with: %%MatrixMarket matrix coordinate real general");
}

}  // namespace

std::string matrix_name(const std::filesystem::path& file) {
  static constexpr std::array<std::string_view, 12> endings{".gz",  ".mtx", ".mm",  ".npz", ".rb",  ".hb",
                                                            ".rua", ".rsa", ".pua", ".psa", ".rra", ".txt"};
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
  const std::int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : physical_memory();
  const InputFile input(file, memory);
  try {
    return Matrix(read_any(input, options), matrix_name(file));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::failed, "there is not enough memory to read it", {input.name()},
                "read it on a machine with more memory");
  }
}

}  // namespace sparsecast
