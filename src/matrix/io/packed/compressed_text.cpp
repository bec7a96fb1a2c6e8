#include "matrix/io/packed/compressed_text.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>
#include <utility>

#include "matrix/io/numbers/number_scan.hpp"

namespace sparsecast::matrix {
CompressedText::CompressedText(std::string_view compressed, std::string file)
    : source_(open_compressed(compressed, file)), file_(std::move(file)) {}

void CompressedText::refuse(const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, reason, {file_, lines_ + 1}, remedy);
}

std::string CompressedText::next(std::size_t bytes) {
  std::string piece = std::move(rest_);
  rest_.clear();
  const std::size_t begin = piece.size();
  piece.reserve(begin + bytes + readable_beyond);
  piece.resize(begin + bytes);
  std::size_t filled = 0;
  if (const std::string reason = source_->fill(piece.data() + begin, bytes, filled); !reason.empty()) {
    lines_ += std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(begin + filled), '\n');
    refuse(reason, "fetch or compress it again");
  }
  piece.resize(begin + filled);
  text_bytes_ += static_cast<std::int64_t>(filled);
  if (source_->ended()) {
    if (!piece.empty() && piece.back() != '\n') piece += '\n';
  } else {
    const std::size_t last = piece.rfind('\n');
    if (last == std::string::npos)
      refuse("a line does not end within a megabyte of text", "check that it is a text file");
    rest_ = piece.substr(last + 1);
    piece.resize(last + 1);
  }
  lines_ += std::count(piece.begin(), piece.end(), '\n');
  piece.reserve(piece.size() + readable_beyond);
  return piece;
}
}  // namespace sparsecast::matrix
