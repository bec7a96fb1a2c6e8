#pragma once
// The head of a Matrix Market file: banner, comments, size line (Boisvert, Pozo & Remington 1996, NISTIR 5935).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparsecast::matrix {
enum class MarketFormat { coordinate, array };
enum class MarketField { real, integer, pattern, complex };
enum class MarketSymmetry { general, symmetric, skew };

/// Faults of a banner that other readers take, so that such files are about.
enum class BannerFault : std::int8_t { none, one_percent, after_blanks };

struct MarketHeader {
  MarketFormat format = MarketFormat::coordinate;
  MarketField field = MarketField::real;
  MarketSymmetry symmetry = MarketSymmetry::general;  ///< hermitian: symmetric, and what follows is true
  bool conjugate = false;  ///< complex values: an entry across the diagonal has the other sign of imaginary part
  bool imaginary = false;  ///< which part of complex values a scan takes; a file is scanned for either
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;     ///< lines with an entry that must follow (one triangle of a symmetric matrix)
  std::size_t first_entry = 0;  ///< offset of the line after the size line
  std::int64_t lines = 0;       ///< lines up to and with the size line
  BannerFault banner = BannerFault::none;  ///< read although the format forbids it
};

/// What to say of it; empty for none.
std::string_view remark_on(BannerFault fault);

/// "3 values below the diagonal of a skew-symmetric array": what the header asks for, and for messages that there are
/// more or fewer.
std::string promised_entries(const MarketHeader& header);

/// True where the text begins with "%%MatrixMarket" in any case; also with one percent sign or after blanks.
bool is_matrix_market(std::string_view text);

/// Parses the head at the beginning of `text`. nullopt where the size line is not all there and `whole` is false, that
/// is, more text is to come. Error bad_input with the line otherwise. The sizes are as the file says, unchecked against
/// anything but their own range: see check_plausible().
std::optional<MarketHeader> parse_market_header(std::string_view text, bool whole, const std::string& file);
}  // namespace sparsecast::matrix
