// From the outside in: an archive gives the matrix that it is about, compressed text is unpacked, text of other systems
// is made plain, and then the reader of its format takes it. What none of them reads is called by its name.

#include "matrix/io/read_bytes.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "matrix/io/foreign_kind.hpp"
#include "matrix/io/market_header.hpp"
#include "matrix/io/numbers/number_field.hpp"
#include "matrix/io/packed/archive_choice.hpp"
#include "matrix/io/packed/decompressor.hpp"
#include "matrix/io/packed/tar_archive.hpp"
#include "matrix/io/packed/zip_archive.hpp"
#include "matrix/io/read_market.hpp"
#include "matrix/io/read_npz.hpp"
#include "matrix/io/read_rutherford_boeing.hpp"
#include "matrix/io/text_form.hpp"

namespace sparsecast::matrix {
namespace {
/// Text that is enough to tell what a file is.
constexpr std::size_t first_bytes = std::size_t{1} << 20;
/// The same of a member of an archive.
constexpr std::uint64_t first_member_bytes = 4096;

bool is_matrix_text(std::string_view first) {
  const TextForm form = text_form(first);
  if (form == TextForm::plain) return is_matrix_market(first) || is_rutherford_boeing(first);
  const std::string text = plain_text(first, form);
  return is_matrix_market(text) || is_rutherford_boeing(text);
}

/// So of a member of an archive, which may be compressed itself.
bool is_matrix_member(std::string_view first, const std::string& file) {
  if (compression_of(first).empty()) return is_matrix_text(first);
  if (compression_of(first) != "gzip") return false;  // the others unpack nothing of a beginning alone
  std::string text(first_bytes, '\0');
  std::size_t filled = 0;
  (void)open_compressed(first, file)->fill(text.data(), text.size(), filled);  // a beginning is cut off
  return is_matrix_text(std::string_view(text).substr(0, filled));
}

class FileReader {
 public:
  FileReader(std::string file, std::int64_t memory_bytes, const ReadOptions& options)
      : file_(std::move(file)), memory_(memory_bytes), options_(options) {}

  Matrix::Storage read(std::string_view bytes) {
    if (bytes.empty()) refuse("the file is empty", "fetch it again");
    if (is_zip(bytes)) return read_zip(bytes);
    compression_ = compression_of(bytes);
    if (compression_.empty()) {
      if (is_tar(bytes)) return read_tar(bytes);
      return read_text(bytes, bytes);
    }
    const std::string first = first_unpacked(bytes);
    if (first.empty()) refuse("the compressed file is empty", "fetch it again");
    if (is_tar(first)) return read_tar(bytes);
    return read_text(bytes, first);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const {
    throw Error(ErrorCode::bad_input, reason, {file_}, remedy);
  }
  [[noreturn]] void refuse_memory(const std::string& what) const {
    throw Error(ErrorCode::too_large,
                fmt::format("{} does not fit the {} of memory that are allowed", what,
                            base::format_bytes(static_cast<double>(memory_))),
                {file_}, "unpack it to a file: files are mapped, not copied");
  }

  /// `text` is compressed, or stands as it is; `first` is its beginning, unpacked.
  Matrix::Storage read_text(std::string_view text, std::string_view first) {
    const bool compressed = !compression_of(text).empty();
    switch (const TextForm form = text_form(first); form) {
      case TextForm::plain: break;
      case TextForm::marked:
      case TextForm::wide:
      case TextForm::wide_big:
      case TextForm::returns: {
        if (static_cast<std::int64_t>(text.size()) > memory_) refuse_memory("the text");
        const std::string plain = plain_text(compressed ? unpacked(text) : text, form);
        return read_plain(plain, false, first);
      }
    }
    return read_plain(text, compressed, first);
  }

  /// `first` is the beginning as the file has it, for a message.
  Matrix::Storage read_plain(std::string_view text, bool compressed, std::string_view first) {
    const std::string_view begin = compressed ? first : text;
    if (is_matrix_market(begin)) return read_market(text, file_, options_);
    if (is_rutherford_boeing(begin)) {
      if (!compressed) return read_rutherford_boeing(text, file_, options_);
      return read_rutherford_boeing(unpacked(text), file_, options_);
    }
    refuse_foreign(first);
  }

  [[noreturn]] void refuse_foreign(std::string_view first) const {
    const std::string within =
        compression_.empty() ? std::string() : fmt::format("is compressed by {}, and what it holds ", compression_);
    if (const ForeignKind kind = foreign_kind(first); !kind.name.empty())
      refuse(fmt::format("{}is {}, which is not read here", within, kind.name), std::string(kind.remedy));
    if (!broken_.empty()) refuse(broken_, "fetch or compress it again");  // before it is seen what it holds
    throw Error(ErrorCode::bad_input, within + "is neither Matrix Market, Rutherford-Boeing nor npz", {file_, 1, 1},
                "a Matrix Market file begins with: %%MatrixMarket matrix coordinate real general");
  }

  /// As much as tells what it is, however it goes on.
  [[nodiscard]] std::string first_unpacked(std::string_view bytes) {
    const auto source = open_compressed(bytes, file_);
    std::string text(first_bytes, '\0');
    std::size_t filled = 0;
    broken_ = source->fill(text.data(), text.size(), filled);
    if (!broken_.empty() && filled == 0) refuse(broken_, "fetch or compress it again");
    text.resize(filled);
    return text;
  }

  /// `size` bytes from `begin` on; all where size is negative.
  [[nodiscard]] std::string unpacked(std::string_view bytes, std::int64_t begin = 0, std::int64_t size = -1) const {
    const auto source = open_compressed(bytes, file_);
    std::string text, piece(first_bytes, '\0');
    for (std::int64_t at = 0; size < 0 || at < begin + size;) {
      base::throw_if_interrupted();
      std::size_t filled = 0;
      const auto wanted = size < 0 ? first_bytes : std::min<std::size_t>(first_bytes, begin + size - at);
      if (const std::string reason = source->fill(piece.data(), wanted, filled); !reason.empty())
        refuse(reason, "fetch or compress it again");
      if (filled == 0) break;
      const std::int64_t skipped = std::clamp<std::int64_t>(begin - at, 0, static_cast<std::int64_t>(filled));
      text.append(piece, static_cast<std::size_t>(skipped), filled - static_cast<std::size_t>(skipped));
      at += static_cast<std::int64_t>(filled);
      if (static_cast<std::int64_t>(text.size()) > memory_) refuse_memory("the unpacked text");
    }
    return text;
  }

  Matrix::Storage read_tar(std::string_view bytes) {
    TarListing listing;
    const auto wanted = [&](std::string_view first) { return is_matrix_member(first, file_); };
    if (compression_.empty()) {
      StoredBytes source(bytes);
      listing = list_tar(source, file_, INT64_MAX / 2, wanted);
    } else {
      const auto source = open_compressed(bytes, file_);
      listing = list_tar(*source, file_, memory_, wanted);
    }
    std::vector<std::string> paths;
    for (const TarMember& member : listing.wanted) paths.push_back(member.path);
    const std::string kind = compression_.empty() ? "tar archive" : fmt::format("tar archive in {}", compression_);
    const TarMember& member =
        listing.wanted[choose_matrix({kind, file_, paths, listing.unread, listing.others, options_.remark})];
    if (compression_.empty())
      return read_member(member.path,
                         bytes.substr(static_cast<std::size_t>(member.offset), static_cast<std::size_t>(member.size)));
    return read_member(member.path, unpacked(bytes, member.offset, member.size));
  }

  /// npz, which is a zip archive of NumPy arrays, or one of text files.
  Matrix::Storage read_zip(std::string_view bytes) {
    const std::vector<ZipMember> members = zip_members(bytes, file_);
    const auto is_array = [](const ZipMember& member) { return member.name.ends_with(".npy"); };
    if (std::ranges::any_of(members, is_array)) return read_npz(bytes, file_, options_);
    std::vector<const ZipMember*> wanted;
    std::vector<std::string> paths, unread;
    std::int64_t others = 0;
    for (const ZipMember& member : members) {
      if (member.name.ends_with('/')) continue;
      if (member.size > 0 && is_matrix_member(beginning(member, first_member_bytes), file_)) {
        wanted.push_back(&member);
        paths.push_back(member.name);
      } else {
        ++others;
        if (is_called_as_matrix(member.name)) unread.push_back(member.name);
      }
    }
    const ZipMember& member = *wanted[choose_matrix({"zip archive", file_, paths, unread, others, options_.remark})];
    if (member.size > static_cast<std::uint64_t>(memory_)) refuse_memory("its matrix");
    return read_member(member.name, beginning(member, member.size));
  }

  [[nodiscard]] std::string beginning(const ZipMember& member, std::uint64_t most) const {
    std::string text(static_cast<std::size_t>(std::min(member.size, most)), '\0');
    ZipStream(member, file_).read(text.data(), text.size());
    return text;
  }

  Matrix::Storage read_member(const std::string& path, std::string_view text) const {
    FileReader reader(fmt::format("{}({})", file_, printable(path)), memory_, options_);
    reader.compression_ = compression_of(text);
    return reader.compression_.empty() ? reader.read_text(text, text)
                                       : reader.read_text(text, reader.first_unpacked(text));
  }

  std::string file_;
  std::string_view compression_;  ///< of the file; empty for none
  std::string broken_;            ///< why its first megabyte cannot be unpacked to the end
  std::int64_t memory_;
  const ReadOptions& options_;
};
}  // namespace

Matrix::Storage read_bytes(std::string_view bytes, const std::string& file, std::int64_t memory_bytes,
                           const ReadOptions& options) {
  return FileReader(file, memory_bytes, options).read(bytes);
}
}  // namespace sparsecast::matrix
