#include "matrix/io/read_npz.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/machine/memory.hpp"
#include "base/threads.hpp"
#include "matrix/io/npy_array.hpp"
#include "matrix/io/numbers/number_field.hpp"
#include "matrix/io/plausible_size.hpp"
#include "matrix/io/triplets.hpp"

// A csr archive is read straight into the result. All other formats become triplets and go through the same assembly as
// text files. Arrays are streamed out of the archive, a few thousand numbers at a time, so that nothing is held twice.

namespace sparsecast::matrix {
namespace {
/// Entries of one block of triplets: a multiple of NpyArray::step, so that a callback's numbers fall into one block.
constexpr std::int64_t block_entries = 64 * NpyArray::step;

// As scipy.sparse.save_npz names them.
constexpr std::string_view csr_name = "csr", csc_name = "csc", coo_name = "coo", bsr_name = "bsr", dia_name = "dia";

class NpzReader {
 public:
  NpzReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : file_(file),
        threads_(base::thread_count(options.threads)),
        file_bytes_(static_cast<std::int64_t>(bytes.size())),
        memory_(options.memory_bytes > 0 ? options.memory_bytes : base::memory_bytes()),
        remark_(options.remark),
        members_(zip_members(bytes, file)) {}

  Matrix::Storage read() {
    Matrix::Storage matrix = read_part(false);
    if (complex_) add_imaginary(matrix, read_part(true));
    return matrix;
  }

 private:
  Matrix::Storage read_part(bool imaginary) {
    const std::string format = format_name();
    auto shape = array("shape");
    if (shape.count() != 2) refuse(fmt::format("the shape has {} extents", shape.count()), "only matrices can be read");
    shape.integers(0, INT64_MAX - 1, [&](std::int64_t, std::span<const std::int64_t> extents) {
      rows_ = extents[0], cols_ = extents[1];
    });
    if (format != csr_name && format != csc_name && format != coo_name && format != bsr_name && format != dia_name)
      refuse("the sparse format is " + shown(format), "save it as csr");
    auto data = array("data");
    complex_ = data.is_complex();
    if (imaginary) data.take_imaginary();
    const bool narrow = Matrix::fits32(cols_) && (format == csr_name || Matrix::fits32(rows_));
    // Duplicates are summed at the end only: an archive of a few bytes unpacks to as many entries as it claims.
    check_plausible({rows_, cols_, data.count(), data.count(), (narrow ? 28 : 40) + (complex_ ? 12 : 0)}, file_bytes_,
                    memory_, {file_});
    Matrix::Storage matrix = read_values(format, data);
    if (remark_ && data.beyond_exact()) remark_(remark_on_inexact_integers(file_));
    return matrix;
  }

  Matrix::Storage read_values(const std::string& format, NpyArray& data) const {
    if (format == csr_name) {
      if (!Matrix::fits32(cols_)) return read_csr<Csr<std::int64_t, std::int64_t>>(data);
      if (!Matrix::fits32(data.count())) return read_csr<Csr<std::int64_t, std::int32_t>>(data);
      return read_csr<Csr<std::int32_t, std::int32_t>>(data);
    }
    if (Matrix::fits32(rows_) && Matrix::fits32(cols_)) return read_triplets<std::int32_t>(format, data);
    return read_triplets<std::int64_t>(format, data);
  }

  /// PyData's sparse.COO arrays are saved without a format: coords and data, and what stands where nothing is stored.
  std::string format_name() const {
    if (has("format") || !has("coords")) return array("format").text();
    if (has("fill_value")) {
      auto fill = array("fill_value");
      fill.reals([&](std::int64_t, std::span<const double> values) {
        if (std::ranges::any_of(values, [](double value) { return value != 0; }))
          refuse(fmt::format("the entries that are not stored are {}, not 0", values[0]), "only zeros can be omitted");
      });
    }
    return std::string(coo_name);
  }

  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const {
    throw Error(ErrorCode::bad_input, reason, {file_}, remedy);
  }

  bool has(std::string_view name) const {
    return std::ranges::find(members_, std::string(name) + ".npy", &ZipMember::name) != members_.end();
  }

  NpyArray array(std::string_view name) const {
    const std::string full = std::string(name) + ".npy";
    const auto found = std::ranges::find(members_, full, &ZipMember::name);
    if (found == members_.end())
      refuse(fmt::format("the archive has no array '{}'", name), "it should be written by scipy.sparse.save_npz");
    // NumPy takes the last of two and says nothing.
    need(std::ranges::count(members_, full, &ZipMember::name) == 1,
         fmt::format("the archive has the array '{}' more than once", name));
    return {*found, file_};
  }

  void need(bool holds, const std::string& reason) const {
    if (!holds) refuse(reason, "save it again with scipy.sparse.save_npz");
  }

  /// Row (csr, bsr) or column (csc) pointers: `lines` + 1 of them, ascending from 0, the last at most `indices`.
  template <class Offset>
  Array<Offset> pointers(std::int64_t lines, std::int64_t indices) const {
    auto stored = array("indptr");
    need(stored.count() == lines + 1, fmt::format("indptr has {} entries, {} are needed", stored.count(), lines + 1));
    Array<Offset> found(static_cast<std::size_t>(lines) + 1);
    std::int64_t before = 0;
    stored.integers(0, indices, [&](std::int64_t first, std::span<const std::int64_t> numbers) {
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        need(numbers[k] >= before,
             fmt::format("indptr decreases at position {}", first + static_cast<std::int64_t>(k)));
        before = numbers[k];
        found[first + k] = static_cast<Offset>(numbers[k]);
      }
    });
    need(found.front() == 0, "indptr does not begin with 0");
    return found;
  }

  template <class C>
  Matrix::Storage read_csr(NpyArray& data) const {
    auto indices = array("indices");
    need(indices.count() == data.count(), fmt::format("{} indices for {} values", indices.count(), data.count()));
    C csr;
    csr.rows = rows_, csr.cols = cols_;
    csr.row_pointers = pointers<typename C::Offset>(rows_, indices.count());
    // SciPy lets the arrays be longer than the last pointer says; the rest does not count.
    csr.column_indices.resize(indices.count());
    indices.integers(0, cols_ - 1, [&](std::int64_t first, std::span<const std::int64_t> numbers) {
      std::ranges::transform(numbers, csr.column_indices.begin() + first,
                             [](std::int64_t index) { return static_cast<typename C::Index>(index); });
    });
    csr.values.resize(data.count());
    data.reals([&](std::int64_t first, std::span<const double> numbers) {
      std::ranges::copy(numbers, csr.values.begin() + first);
    });
    csr.column_indices.resize(csr.row_pointers.back());
    csr.values.resize(csr.row_pointers.back());
    canonicalize(csr, threads_, file_);
    return csr;
  }

  template <class Index>
  Matrix::Storage read_triplets(const std::string& format, NpyArray& data) const {
    std::vector<Triplets<Index>> blocks;
    if (format == coo_name)
      blocks = read_coo<Index>(data);
    else if (format == csc_name)
      blocks = read_csc<Index>(data);
    else if (format == bsr_name)
      blocks = read_bsr<Index>(data);
    else
      blocks = read_dia<Index>(data);
    return assemble(std::move(blocks), {rows_, cols_, Mirror::none, false, threads_, file_});
  }

  template <class Index>
  static std::vector<Triplets<Index>> blocks_for(std::int64_t entries) {
    std::vector<Triplets<Index>> blocks;
    for (std::int64_t left = entries; left > 0; left -= block_entries) {
      const auto size = static_cast<std::size_t>(std::min(left, block_entries));
      blocks.push_back({Array<Index>(size), Array<Index>(size), Array<double>(size)});
    }
    return blocks;
  }

  /// Streams an index array into the rows or columns of the blocks.
  template <class Index>
  static void fill(NpyArray& stored, std::int64_t extent, std::vector<Triplets<Index>>& blocks,
                   Array<Index> Triplets<Index>::*side) {
    stored.integers(0, extent - 1, [&](std::int64_t first, std::span<const std::int64_t> numbers) {
      std::ranges::transform(numbers, (blocks[first / block_entries].*side).begin() + first % block_entries,
                             [](std::int64_t index) { return static_cast<Index>(index); });
    });
  }

  template <class Index>
  static void fill(NpyArray& data, std::vector<Triplets<Index>>& blocks) {
    data.reals([&](std::int64_t first, std::span<const double> numbers) {
      std::ranges::copy(numbers, blocks[first / block_entries].values.begin() + first % block_entries);
    });
  }

  /// Rows and columns as one array of two lines, as n-dimensional arrays are saved.
  template <class Index>
  std::vector<Triplets<Index>> read_coords(NpyArray& data) const {
    auto coords = array("coords");
    const std::int64_t count = data.count();
    need(coords.shape() == std::vector<std::int64_t>{2, count},
         fmt::format("coords is not 2 × {}, as many as there are values", count));
    auto blocks = blocks_for<Index>(count);
    coords.integers(0, std::max(rows_, cols_) - 1, [&](std::int64_t first, std::span<const std::int64_t> numbers) {
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const std::int64_t at = first + static_cast<std::int64_t>(k);
        const bool is_row = coords.fortran_order() ? at % 2 == 0 : at < count;
        const std::int64_t entry = coords.fortran_order() ? at / 2 : at % count, extent = is_row ? rows_ : cols_;
        need(numbers[k] < extent, fmt::format("coords holds {} {} at position {}, outside 0 … {}",
                                              is_row ? "row" : "column", numbers[k], entry, extent - 1));
        auto& block = blocks[entry / block_entries];
        (is_row ? block.rows : block.cols)[entry % block_entries] = static_cast<Index>(numbers[k]);
      }
    });
    fill(data, blocks);
    return blocks;
  }

  template <class Index>
  std::vector<Triplets<Index>> read_coo(NpyArray& data) const {
    if (has("coords")) return read_coords<Index>(data);
    auto row = array("row"), col = array("col");
    need(row.count() == data.count() && col.count() == data.count(),
         fmt::format("{} row and {} column indices for {} values", row.count(), col.count(), data.count()));
    auto blocks = blocks_for<Index>(data.count());
    fill(row, rows_, blocks, &Triplets<Index>::rows);
    fill(col, cols_, blocks, &Triplets<Index>::cols);
    fill(data, blocks);
    return blocks;
  }

  template <class Index>
  std::vector<Triplets<Index>> read_csc(NpyArray& data) const {
    auto indices = array("indices");
    need(indices.count() == data.count(), fmt::format("{} indices for {} values", indices.count(), data.count()));
    const auto starts = pointers<std::int64_t>(cols_, indices.count());
    auto blocks = blocks_for<Index>(data.count());
    fill(indices, rows_, blocks, &Triplets<Index>::rows);
    fill(data, blocks);
    for (std::int64_t col = 0; col < cols_; ++col)
      for (std::int64_t k = starts[col]; k < starts[col + 1]; ++k)
        blocks[k / block_entries].cols[k % block_entries] = static_cast<Index>(col);
    for (std::size_t b = 0; b < blocks.size(); ++b) {  // beyond the last pointer nothing counts
      const std::int64_t left = std::max<std::int64_t>(starts.back() - static_cast<std::int64_t>(b) * block_entries, 0);
      const auto size = std::min(blocks[b].rows.size(), static_cast<std::size_t>(left));
      blocks[b].rows.resize(size), blocks[b].cols.resize(size), blocks[b].values.resize(size);
    }
    return blocks;
  }

  // Calls place(block, position, number) for every number of `data`, with a new block of entries now and then.
  template <class Index, class Place>
  static std::vector<Triplets<Index>> entries(NpyArray& data, const Place& place) {
    std::vector<Triplets<Index>> blocks;
    data.reals([&](std::int64_t first, std::span<const double> numbers) {
      if (first % block_entries == 0) blocks.emplace_back();
      for (std::size_t k = 0; k < numbers.size(); ++k)
        place(blocks.back(), first + static_cast<std::int64_t>(k), numbers[k]);
    });
    return blocks;
  }

  template <class Index>
  std::vector<Triplets<Index>> read_bsr(NpyArray& data) const {
    need(data.shape().size() == 3, "data of bsr must have three dimensions");
    const std::int64_t tiles = data.shape()[0], height = data.shape()[1], width = data.shape()[2];
    need(height > 0 && width > 0 && rows_ % height == 0 && cols_ % width == 0,
         fmt::format("blocks of {} × {} do not tile {} × {}", height, width, rows_, cols_));
    auto indices = array("indices");
    need(indices.count() == tiles, fmt::format("{} indices for {} blocks", indices.count(), tiles));
    const auto starts = pointers<std::int64_t>(rows_ / height, tiles);
    // Tiles may be single entries: their indices are as narrow as those of entries.
    std::vector<Index> tile_row(static_cast<std::size_t>(tiles), -1), tile_col(static_cast<std::size_t>(tiles));
    for (std::int64_t r = 0; r < rows_ / height; ++r)
      std::fill(tile_row.begin() + starts[r], tile_row.begin() + starts[r + 1], static_cast<Index>(r));
    indices.integers(0, cols_ / width - 1, [&](std::int64_t first, std::span<const std::int64_t> numbers) {
      std::ranges::transform(numbers, tile_col.begin() + first,
                             [](std::int64_t index) { return static_cast<Index>(index); });
    });
    return entries<Index>(data, [&](Triplets<Index>& block, std::int64_t at, double number) {
      const std::int64_t tile = data.fortran_order() ? at % tiles : at / (height * width);
      const std::int64_t row = data.fortran_order() ? at / tiles % height : at / width % height;
      const std::int64_t col = data.fortran_order() ? at / (tiles * height) : at % width;
      if (tile_row[tile] < 0) return;  // beyond the last pointer
      block.rows.push_back(static_cast<Index>(tile_row[tile] * height + row));
      block.cols.push_back(static_cast<Index>(tile_col[tile] * width + col));
      block.values.push_back(number);
    });
  }

  /// Which complex numbers of the data have a part that is not 0: both assemblies need the same entries.
  std::vector<bool> not_zero() const {
    std::vector<bool> held;
    for (const bool imaginary : {false, true}) {
      auto data = array("data");
      if (imaginary) data.take_imaginary();
      held.resize(static_cast<std::size_t>(data.count()));
      data.reals([&](std::int64_t first, std::span<const double> numbers) {
        for (std::size_t k = 0; k < numbers.size(); ++k)
          if (numbers[k] != 0) held[static_cast<std::size_t>(first) + k] = true;
      });
    }
    return held;
  }

  template <class Index>
  std::vector<Triplets<Index>> read_dia(NpyArray& data) const {
    need(data.shape().size() == 2, "data of dia must have two dimensions");
    const std::int64_t diagonals = data.shape()[0], length = data.shape()[1];
    auto stored = array("offsets");
    need(stored.count() == diagonals, fmt::format("{} offsets for {} diagonals", stored.count(), diagonals));
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(diagonals));
    stored.integers(-rows_, cols_, [&](std::int64_t first, std::span<const std::int64_t> numbers) {
      std::ranges::copy(numbers, offsets.begin() + first);
    });
    const std::vector<bool> held = data.is_complex() ? not_zero() : std::vector<bool>();
    return entries<Index>(data, [&](Triplets<Index>& block, std::int64_t at, double number) {
      const std::int64_t diagonal = data.fortran_order() ? at % diagonals : at / length;
      const std::int64_t col = data.fortran_order() ? at / diagonals : at % length;
      const std::int64_t row = col - offsets[diagonal];
      const bool zero = data.is_complex() ? !held[static_cast<std::size_t>(at)] : number == 0;
      if (zero || col >= cols_ || row < 0 || row >= rows_) return;
      block.rows.push_back(static_cast<Index>(row));
      block.cols.push_back(static_cast<Index>(col));
      block.values.push_back(number);
    });
  }

  const std::string& file_;
  int threads_;
  std::int64_t file_bytes_, memory_;
  std::function<void(std::string_view)> remark_;
  std::vector<ZipMember> members_;
  std::int64_t rows_ = 0, cols_ = 0;
  bool complex_ = false;
};
}  // namespace

Matrix::Storage read_npz(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  return NpzReader(bytes, file, options).read();
}
}  // namespace sparsecast::matrix
