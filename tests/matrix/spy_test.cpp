#include "matrix/view/spy.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "matrix/view/row_histogram.hpp"
#include "matrix/view/spy_picture.hpp"
#include "matrix/view/structure_report.hpp"
#include "support/command.hpp"

namespace sparsecast {
namespace {

Matrix poisson(int size) {
  MatrixSpec spec;
  spec.kind = "poisson2d";
  spec.parameters = {.size = size};
  return generate(spec);
}

std::uint32_t word_at(const std::string& bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return word;
}

TEST(Spy, CountsEveryNonZeroOnce) {
  const Matrix matrix = poisson(40);
  const matrix::SpyRaster raster = matrix::rasterize(matrix, 100);
  EXPECT_EQ(raster.width, 100);
  EXPECT_EQ(raster.height, 100);
  std::int64_t sum = 0;
  for (const std::int64_t count : raster.counts) sum += count;
  EXPECT_EQ(sum, matrix.nonzeros());
  EXPECT_DOUBLE_EQ(raster.shade(0, 99), 0);
}

TEST(Spy, KeepsTheProportions) {
  MatrixSpec spec;
  spec.kind = "random";
  spec.rows = 100;
  spec.cols = 4000;
  spec.row_length = 5;
  const matrix::SpyRaster raster = matrix::rasterize(generate(spec), 400);
  EXPECT_EQ(raster.width, 400);
  EXPECT_EQ(raster.height, 10);
}

TEST(Spy, SmallMatricesGetSquares) {
  const matrix::SpyRaster raster = matrix::rasterize(poisson(2), 40);  // 4 × 4, five cells per entry
  EXPECT_EQ(raster.width, 20);
  EXPECT_EQ(raster.at(4, 4), 1);
  EXPECT_EQ(raster.at(19, 0), 0);  // no entry in the corner
}

TEST(Spy, TextIsBrailleInAFrame) {
  // One full row of four columns: the top line of two characters.
  matrix::SpyRaster raster;
  raster.width = 4;
  raster.height = 1;
  raster.counts = {1, 1, 0, 1};
  raster.most = 1;
  EXPECT_EQ(matrix::spy_text(raster), "┌──┐\n│⠉⠈│\n└──┘\n");
}

TEST(Spy, PngDecodes) {
  const matrix::SpyRaster raster = matrix::rasterize(poisson(50), 1024);
  const std::string png = matrix::spy_png(raster);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(word_at(png, 16), 1024U);
  EXPECT_EQ(word_at(png, 20), 1024U);
  // Chunk by chunk: checksums hold, the image is as many bytes as its header says, and the file ends with IEND.
  std::string last;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t size = word_at(png, at);
    last = png.substr(at + 4, 4);
    const auto* checked = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    EXPECT_EQ(word_at(png, at + 8 + size), crc32(0, checked, size + 4)) << last;
    if (last == "IDAT") {
      std::string lines(1024 * 1025, '?');
      uLongf length = lines.size();
      ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(lines.data()), &length, checked + 4, size), Z_OK);
      ASSERT_EQ(length, lines.size());
      EXPECT_EQ(lines[0], '\0');
      EXPECT_LT(static_cast<unsigned char>(lines[1]), 191);     // the diagonal's first cell is dark
      EXPECT_EQ(static_cast<unsigned char>(lines[1024]), 255);  // the upper right corner is white
    }
    at += 12 + size;
  }
  EXPECT_EQ(last, "IEND");
}

TEST(Spy, SvgEscapesItsTitle) {
  const std::string svg = matrix::spy_svg(matrix::rasterize(poisson(4), 64), {"a<b&c", 16, 16, 64});
  EXPECT_NE(svg.find("<title>a&lt;b&amp;c</title>"), std::string::npos);
  EXPECT_EQ(svg.find("a<b"), std::string::npos);
}

TEST(Spy, AxesHaveRoundNumbers) {
  EXPECT_EQ(matrix::axis_numbers(90000, 5), (std::vector<std::int64_t>{0, 20000, 40000, 60000, 80000}));
  EXPECT_EQ(matrix::axis_numbers(3, 5), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(matrix::axis_numbers(1, 5), (std::vector<std::int64_t>{0}));
  EXPECT_TRUE(matrix::axis_numbers(0, 5).empty());
}

TEST(Spy, PicturesTellTitleAndSizes) {
  const matrix::SpyRaster raster = matrix::rasterize(poisson(4), 64);
  const std::string svg = matrix::spy_svg(raster, {"grid", 16, 16, 64});
  EXPECT_NE(svg.find(">grid</text>"), std::string::npos);
  EXPECT_NE(svg.find("16 × 16, 64 non-zeros"), std::string::npos);
  EXPECT_NE(svg.find(">10</text>"), std::string::npos);
  // The cells lie in a frame, below the title and right of the numbers.
  const std::string png = matrix::spy_png(raster, {"grid", 16, 16, 64});
  EXPECT_GT(word_at(png, 16), static_cast<std::uint32_t>(raster.width));
  EXPECT_GT(word_at(png, 20), static_cast<std::uint32_t>(raster.height));
}

TEST(Spy, AnotherEndingIsRefused) {
  try {
    matrix::write_spy_picture(poisson(3), "picture.jpg");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

TEST(RowHistogram, OneLinePerLengthOrPerPowerOfTwo) {
  Structure s;
  s.rows = 4;
  s.row_histogram = {{0, 1}, {3, 3}};
  EXPECT_EQ(matrix::row_histogram_text(s, 3),
            "row length       rows\n0           █       1  25.0 %\n3           ███     3  75.0 %\n");
  s.row_histogram.clear();
  for (int length = 0; length < 20; ++length) s.row_histogram.push_back({length, 1});
  s.rows = 20;
  const std::string text = matrix::row_histogram_text(s, 8);
  EXPECT_NE(text.find("\n8–15"), std::string::npos);
  EXPECT_NE(text.find("\n16–31"), std::string::npos);
}

TEST(StructureReport, AnEmptyMatrixIsOneLine) {
  EXPECT_EQ(matrix::structure_report(Matrix(), analyze(Matrix())), "empty: 0 × 0, 0 non-zeros\n");
}

}  // namespace
}  // namespace sparsecast
