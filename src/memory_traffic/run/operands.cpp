#include "memory_traffic/run/operands.hpp"

#include <fmt/format.h>
#include <array>
#include <fstream>
#include <limits>
#include <sparsecast/error.hpp>
#include <sparsecast/matrix.hpp>

namespace sparsecast::memory_traffic {
namespace {
template <class T>
bool read_into(std::ifstream& in, T* values, std::size_t count) {
  in.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  return in.good();
}

Matrix read_operand(const std::filesystem::path& file) {
  const auto refuse = [&]() -> Error {
    return {ErrorCode::failed,
            "a sparse operand of the program was not written completely",
            {file.string(), 0, 0},
            "check whether the temporary folder's disk is full"};
  };
  std::ifstream in(file, std::ios::binary);
  std::array<std::int64_t, 3> sizes{};
  if (!read_into(in, sizes.data(), 3)) throw refuse();
  const auto [rows, cols, nonzeros] = sizes;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  // No size is believed that the file's own length does not bear out.
  if (rows < 0 || cols < 0 || nonzeros < 0 || rows >= most || cols >= most || nonzeros > most ||
      std::filesystem::file_size(file) != sizeof sizes + 8 * static_cast<std::uintmax_t>(nonzeros))
    throw refuse();
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = rows;
  csr.cols = cols;
  const auto count = static_cast<std::size_t>(nonzeros);
  std::vector<std::int32_t> row(count);
  csr.row_pointers = Array<std::int32_t>(static_cast<std::size_t>(rows) + 1);
  csr.column_indices = Array<std::int32_t>(count);
  csr.values = Array<double>(count);
  if (count > 0 && (!read_into(in, row.data(), count) || !read_into(in, csr.column_indices.data(), count)))
    throw refuse();
  for (std::size_t i = 0; i <= static_cast<std::size_t>(rows); ++i) csr.row_pointers[i] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (row[i] < 0 || row[i] >= rows) throw refuse();
    ++csr.row_pointers[static_cast<std::size_t>(row[i]) + 1];
    csr.values[i] = 1;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) csr.row_pointers[i + 1] += csr.row_pointers[i];
  Matrix matrix(std::move(csr), file.filename().string());
  if (!matrix.is_canonical()) throw refuse();
  return matrix;
}
}  // namespace

std::vector<Structure> read_operands(const std::filesystem::path& folder, std::size_t count) {
  std::vector<Structure> operands;
  for (std::size_t number = 1;; ++number) {
    const std::filesystem::path file = folder / fmt::format("operand-{}", number);
    std::error_code ignored;
    if (number > count && !std::filesystem::is_regular_file(file, ignored)) return operands;
    operands.push_back(analyze(read_operand(file)));
  }
}
}  // namespace sparsecast::memory_traffic
