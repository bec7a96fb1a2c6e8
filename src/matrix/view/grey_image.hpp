#pragma once
// A grey picture with lines and text, and its bytes as PNG (through libspng).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::matrix {
class GreyImage {
 public:
  /// White.
  GreyImage(int width, int height);
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  /// 0 black … 255 white; outside of the picture nothing happens.
  void set(int x, int y, int tone);
  void fill(int x, int y, int width, int height, int tone);
  /// ASCII in letters of 5 × 7 cells of `zoom` pixels, black, its upper left corner at x, y.
  void write(int x, int y, std::string_view text, int zoom);
  /// Pixels that a text is wide.
  static int text_width(std::string_view text, int zoom);

  /// Whether this build writes PNG.
  static bool has_png();
  /// 8-bit greyscale PNG. Error unavailable where has_png() is false.
  [[nodiscard]] std::string png() const;

 private:
  int width_, height_;
  std::vector<std::uint8_t> tones_;  ///< height × width, line by line
};
}  // namespace sparsecast::matrix
