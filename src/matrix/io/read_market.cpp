#include "matrix/io/read_market.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

#include "base/interrupt.hpp"
#include "base/machine/memory.hpp"
#include "base/parallel_for.hpp"
#include "base/team.hpp"
#include "base/threads.hpp"
#include "matrix/io/market_entries.hpp"
#include "matrix/io/numbers/number_scan.hpp"
#include "matrix/io/packed/compressed_text.hpp"
#include "matrix/io/plausible_size.hpp"

// How a Matrix Market file becomes a matrix:
//   1. The head (banner, comments, size line) is parsed and its sizes are held against the file and the memory.
//   2. The text after it is cut into stretches of whole lines. Of a mapped file they are simply ranges of it, and the
//      threads take them one by one; of a compressed one they come off the decompressor, one batch being decompressed
//      by one thread while the others scan the batch before.
//   3. A stretch becomes triplets (market_entries.cpp). Its lines are counted first, so that its room is known; a fault
//      knows its line once the lines of all stretches before it are added up. A general matrix in a mapped file goes
//      into one block, whose columns and values simply become the result's where the file is in the order of rows (as
//      SciPy and this program write them); everything else becomes a block a stretch.
//   4. Entries are held against the header's number; the first fault of the file, in the order of its lines, is thrown.
//   5. What is not in order yet is assembled into canonical CSR (triplets.cpp).
// The text is parsed once. Parsing it twice (first rows, to count; then everything, into place) would save the staging
// of 16 bytes an entry, but costs more than writing and reading those.

namespace sparsecast::matrix {
namespace {
/// Text that one thread takes at a time. Large enough that a stretch's triplets fill huge pages, unless the file is so
/// small that the threads would not share it evenly.
constexpr std::size_t stretch_bytes = std::size_t{1} << 20;
constexpr std::size_t long_stretch_bytes = std::size_t{16} << 20;
/// Comments before the size line of a compressed file that are read at most.
constexpr std::size_t longest_head = std::size_t{64} << 20;

template <class Index>
class MarketReader {
 public:
  MarketReader(const MarketHeader& header, std::string file, int threads)
      : header_(header), file_(std::move(file)), threads_(threads) {}

  /// All of the text after the head, which stands in a mapped file.
  void scan_mapped(std::string_view text) {
    std::vector<std::string_view> stretches;
    const std::size_t even = text.size() / (8 * static_cast<std::size_t>(threads_));
    const std::size_t length = std::clamp(even, stretch_bytes, long_stretch_bytes);
    while (text.size() > stretch_bytes) {
      const std::size_t step = std::min(length, text.size() - stretch_bytes / 2);
      const std::size_t end = text.rfind('\n', step - 1);
      const std::size_t cut = end != std::string_view::npos ? end : text.find('\n', step);
      // The last stretch is copied below, so it should be short; it also takes the last line where that is not ended.
      if (cut == std::string_view::npos || cut + 1 + readable_beyond > text.size()) break;
      stretches.push_back(text.substr(0, cut + 1));
      text.remove_prefix(cut + 1);
    }
    std::string last(text);
    if (!last.empty() && last.back() != '\n') last += '\n';
    last.reserve(last.size() + readable_beyond);
    if (!last.empty()) stretches.emplace_back(last);
    if (header_.format == MarketFormat::coordinate && header_.symmetry == MarketSymmetry::general)
      scan_together(stretches);
    else
      scan(stretches, threads_);
  }

  /// All of the text of a compressed file; `first` is its first piece without the head.
  void scan_stream(CompressedText& text, std::string_view first) {
    const std::int64_t longest = text.text_bytes() + static_cast<std::int64_t>(longest_head) + 1024 * header_.entries;
    const int batch = std::max(threads_ - 1, 1);
    std::vector<std::string> current;
    std::vector<std::string_view> stretches{first};
    while (!stretches.empty()) {
      std::vector<std::string> coming;
      base::CarriedException trouble;
#pragma omp parallel sections num_threads(base::team_of(std::min(threads_, 2)))
      {
#pragma omp section
        trouble.run([&] {
          for (int k = 0; k < batch; ++k) {
            std::string piece = text.next(stretch_bytes);
            if (piece.empty()) break;
            coming.push_back(std::move(piece));
          }
        });
#pragma omp section
        scan(stretches, std::max(threads_ - 1, 1));
      }
      finish_early();
      trouble.rethrow();
      if (text.text_bytes() > longest)
        refuse(lines_, "the decompressed text is far longer than its entries", "take out the blank lines and comments");
      current = std::move(coming);
      stretches.assign(current.begin(), current.end());
    }
  }

  /// Everything scanned so far as a matrix.
  Matrix::Storage assembled() {
    finish_early();
    if (entries_ != header_.entries) {
      refuse(header_.lines + lines_, fmt::format("the file ends after {} of {}", entries_, promised_entries(header_)),
             "fix the size line, or fetch the file again if it is cut off");
    }
    AssemblyOptions options{header_.rows, header_.cols, Mirror::none, header_.field == MarketField::pattern,
                            threads_,     file_};
    if (together_) {
      return ascending_ ? assemble_in_row_order(std::move(*together_), options)
                        : assemble_whole(std::move(*together_), options);
    }
    std::vector<Triplets<Index>> blocks;
    blocks.reserve(scanned_.size());
    std::int64_t before = 0;
    for (auto& stretch : scanned_) {
      if (header_.format == MarketFormat::array) place_array_values(stretch, header_, before);
      if (header_.format == MarketFormat::array && header_.conjugate && header_.imaginary)
        require_real_diagonal(stretch.triplets);
      before += stretch.entries;
      blocks.push_back(std::move(stretch.triplets));
    }
    scanned_.clear();
    const bool negated = header_.symmetry == MarketSymmetry::skew || (header_.conjugate && header_.imaginary);
    if (header_.symmetry != MarketSymmetry::general) options.mirror = negated ? Mirror::negated : Mirror::same;
    return assemble(std::move(blocks), options);
  }

  /// Whether a symmetric file has entries above and below the diagonal.
  [[nodiscard]] bool both_triangles() const { return sides_.both(); }
  [[nodiscard]] bool beyond_exact() const { return beyond_exact_; }

 private:
  [[noreturn]] void refuse(std::int64_t line, const std::string& reason, const std::string& remedy,
                           std::int64_t column = 0) const {
    throw Error(ErrorCode::bad_input, reason, {file_, line, column}, remedy);
  }

  /// Of a Hermitian array, whose lines do not say where they stand; coordinates are looked at as they are read.
  void require_real_diagonal(const Triplets<Index>& imaginary) const {
    for (std::size_t k = 0; k < imaginary.rows.size(); ++k)
      if (imaginary.rows[k] == imaginary.cols[k] && imaginary.values[k] != 0)
        refuse(
            0,
            fmt::format("the diagonal of a Hermitian matrix is real, and that of row {} is not", imaginary.rows[k] + 1),
            "fix the value or say general in the banner");
  }

  /// All stretches into one block of triplets, each to the place that the lines before it leave for it.
  void scan_together(const std::vector<std::string_view>& stretches) {
    const auto count = static_cast<std::int64_t>(stretches.size());
    std::vector<std::int64_t> place(stretches.size() + 1, 0);
    base::parallel_for(count, {threads_}, [&](std::int64_t k) { place[k + 1] = count_lines(stretches[k]); });
    std::partial_sum(place.begin(), place.end(), place.begin());
    // A file with many more lines than entries, mostly a malformed one, would waste the room; it goes the other way.
    if (place.back() - header_.entries > header_.entries / 16 + 1024) return scan(stretches, threads_);
    auto& triplets = together_.emplace();
    const bool ones = header_.field == MarketField::pattern;
    triplets.rows.resize(place.back());
    triplets.cols.resize(place.back());
    if (!ones) triplets.values.resize(place.back());
    const EntryRoom<Index> room{triplets.rows.data(), triplets.cols.data(), triplets.values.data()};
    scan(stretches, threads_, [&](std::int64_t k) {
      const EntryRoom<Index> part{room.rows + place[k], room.cols + place[k], ones ? nullptr : room.values + place[k]};
      return scan_entries<Index>(stretches[k], header_, header_.entries, part);
    });
    if (fault_ || trouble_) return;
    std::int64_t filled = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t size = scanned_[k].entries, from = place[k];
      ascending_ &= scanned_[k].rows_ascend && (filled == 0 || size == 0 || room.rows[filled - 1] <= room.rows[from]);
      if (filled != from) {
        std::copy_n(room.rows + from, size, room.rows + filled);
        std::copy_n(room.cols + from, size, room.cols + filled);
        if (!ones) std::copy_n(room.values + from, size, room.values + filled);
      }
      filled += size;
    }
    triplets.rows.resize(filled);
    triplets.cols.resize(filled);
    if (!ones) triplets.values.resize(filled);
  }

  /// Every stretch into triplets of its own.
  void scan(const std::vector<std::string_view>& stretches, int threads) {
    scan(stretches, threads,
         [&](std::int64_t k) { return scan_entries<Index>(stretches[k], header_, header_.entries); });
  }

  template <class ScanStretch>
  void scan(const std::vector<std::string_view>& stretches, int threads, ScanStretch&& scan_stretch) {
    const std::size_t begin = scanned_.size();
    const auto count = static_cast<std::int64_t>(stretches.size());
    // Memory may run out, and Ctrl-C come; this may run in a section, which no exception may leave.
    try {
      scanned_.resize(begin + stretches.size());
      base::parallel_for(count, {threads, true}, [&](std::int64_t k) { scanned_[begin + k] = scan_stretch(k); });
      for (std::int64_t k = 0; k < count && !fault_; ++k) note(stretches[k], scanned_[begin + k]);
    } catch (...) {
      if (!trouble_) trouble_ = std::current_exception();
    }
  }

  /// Takes the stretches in order, so that the first fault of the file is the one told.
  void note(std::string_view text, const ScannedEntries<Index>& stretch) {
    const bool surplus = stretch.entries > header_.entries - entries_;
    fault_ = surplus ? scan_entries<Index>(text, header_, header_.entries - entries_).fault : stretch.fault;
    if (fault_) fault_->line += header_.lines + lines_;
    lines_ += stretch.lines;
    entries_ += stretch.entries;
    sides_.add(stretch.sides);
    beyond_exact_ |= stretch.beyond_exact;
  }

  void finish_early() const {
    base::throw_if_interrupted();
    if (trouble_) std::rethrow_exception(trouble_);
    if (fault_) refuse(fault_->line, fault_->reason, fault_->remedy, fault_->column);
  }

  MarketHeader header_;
  std::string file_;
  int threads_;
  std::vector<ScannedEntries<Index>> scanned_;
  std::optional<Triplets<Index>> together_;  ///< all entries, where they went into one block
  bool ascending_ = true;                    ///< their rows never descend
  Sides sides_;
  bool beyond_exact_ = false;
  std::int64_t lines_ = 0;  ///< after the head
  std::int64_t entries_ = 0;
  std::optional<LineFault> fault_;
  std::exception_ptr trouble_;
};

void check_size(const MarketHeader& header, std::int64_t text_bytes, std::int64_t file_bytes, const std::string& file,
                const ReadOptions& options) {
  // The shortest lines: "1 1" and a line end, or "1" and a line end in an array; the last line end may be missing. A
  // value is not reckoned with, so that a file without values is told so.
  const int shortest = header.format == MarketFormat::array ? 2 : 4;
  ClaimedSize size{header.rows, header.cols, header.entries, (text_bytes + 1) / shortest};
  size.stored_per_entry = header.symmetry == MarketSymmetry::general ? 1 : 2;
  if (header.field == MarketField::complex) size.entry_bytes = 40;  // one part is there while the other is read
  const std::int64_t allowed = options.memory_bytes > 0 ? options.memory_bytes : base::memory_bytes();
  check_plausible(size, file_bytes, allowed, {file, header.lines});
  if (options.remark && header.banner != BannerFault::none)
    options.remark(file + ": " + std::string(remark_on(header.banner)));
}

template <class Scan>
Matrix::Storage with_index_type(const MarketHeader& header, const std::string& file, const ReadOptions& options,
                                Scan&& scan) {
  const int threads = base::thread_count(options.threads);
  const auto run = [&](auto reader) {
    scan(reader);
    Matrix::Storage matrix = reader.assembled();
    if (options.remark && !header.imaginary && reader.both_triangles()) options.remark(remark_on_both_triangles(file));
    if (options.remark && reader.beyond_exact()) options.remark(remark_on_inexact_integers(file));
    return matrix;
  };
  if (Matrix::fits32(header.rows) && Matrix::fits32(header.cols))
    return run(MarketReader<std::int32_t>(header, file, threads));
  return run(MarketReader<std::int64_t>(header, file, threads));
}

struct Part {
  Matrix::Storage matrix;
  bool complex = false;  // the values are one part of complex ones
};

Part read_compressed(std::string_view bytes, const std::string& file, const ReadOptions& options, bool imaginary) {
  CompressedText text(bytes, file);
  std::string head = text.next(stretch_bytes);
  auto header = parse_market_header(head, head.empty(), file);
  for (bool ended = false; !header;) {
    const std::string more = text.next(std::max(stretch_bytes, head.size()));  // twice as much each time
    ended = more.empty();
    head += more;
    if (head.size() > longest_head)
      throw Error(ErrorCode::bad_input, "no size line within 64 MB of text", {file}, "is it a matrix?");
    header = parse_market_header(head, ended, file);
  }
  header->imaginary = imaginary;
  const auto file_bytes = static_cast<std::int64_t>(bytes.size());
  if (!imaginary) check_size(*header, most_decompressed(bytes), file_bytes, file, options);
  head.reserve(head.size() + readable_beyond);
  const auto scan = [&](auto& reader) { reader.scan_stream(text, std::string_view(head).substr(header->first_entry)); };
  return {with_index_type(*header, file, options, scan), header->field == MarketField::complex};
}

Part read_mapped(std::string_view bytes, const std::string& file, const ReadOptions& options, bool imaginary) {
  MarketHeader header = *parse_market_header(bytes, true, file);
  header.imaginary = imaginary;
  const std::string_view text = bytes.substr(header.first_entry);
  const auto text_bytes = static_cast<std::int64_t>(text.size()), file_bytes = static_cast<std::int64_t>(bytes.size());
  if (!imaginary) check_size(header, text_bytes, file_bytes, file, options);
  const auto scan = [&](auto& reader) { reader.scan_mapped(text); };
  return {with_index_type(header, file, options, scan), header.field == MarketField::complex};
}
}  // namespace

Matrix::Storage read_market(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  const auto read = compression_of(bytes).empty() ? read_mapped : read_compressed;
  Part real = read(bytes, file, options, false);
  if (real.complex) add_imaginary(real.matrix, read(bytes, file, options, true).matrix);
  return std::move(real.matrix);
}
}  // namespace sparsecast::matrix
