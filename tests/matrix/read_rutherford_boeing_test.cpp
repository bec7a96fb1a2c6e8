// Rutherford-Boeing and Harwell-Boeing: fixed-width columns of numbers.

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "matrix/io/fortran_format.hpp"
#include "support/command.hpp"
#include "support/gzip.hpp"
#include "support/matrices.hpp"

namespace sparsecast {
namespace {

const std::string title(72, 't');

/// A 3 × 3 matrix with 4 entries by columns: (1,1), (3,1), (2,2), (3,3).
std::string file(const std::string& type, const std::string& values = " 1.0E+00 2.0D+00\n-3.0+000      4.\n",
                 const std::string& formats = "(4I2)           (3I2)           (2E8.1)") {
  const bool pattern = type[0] == 'p';
  return title + "key\n" + (pattern ? "3 1 2 0\n" : "5 1 2 2\n") + type + "  3 3 4 0\n" + formats +
         "\n 1 3 4 5\n 1 3 2\n 3\n" + (pattern ? "" : values);
}

Matrix read(const std::string& text, int threads = 1) {
  const test::TemporaryFolder folder;
  return read_matrix(folder.write("a.rb", text), {.threads = threads});
}

TEST(ReadRutherfordBoeing, RealUnsymmetric) {
  for (const int threads : {1, 2, 5}) {
    const Matrix matrix = read(file("rua"), threads);
    EXPECT_EQ(test::dense(matrix), "1 . .\n. -3 .\n2 . 4\n");
    EXPECT_EQ(matrix.name(), "a");
    EXPECT_TRUE(matrix.is_canonical());
  }
}

TEST(ReadRutherfordBoeing, SymmetryAndPattern) {
  EXPECT_EQ(test::dense(read(file("RSA"))), "1 . 2\n. -3 .\n2 . 4\n");
  EXPECT_EQ(test::dense(read(file("psa"))), "1 . 1\n. 1 .\n1 . 1\n");
  EXPECT_EQ(test::dense(read(file("pra"))), "1 . .\n. 1 .\n1 . 1\n");
  EXPECT_EQ(test::dense(read(file("rza", " 0.0E+00 2.0D+00\n 0.0E+00      0.\n"))), "0 . -2\n. 0 .\n2 . 0\n");
  EXPECT_EQ(test::dense(read(file("iua", "1 2\n3 4\n", "(4I2) (3I2) (2I2)"))), "1 . .\n. 3 .\n2 . 4\n");
}

TEST(ReadRutherfordBoeing, NeighbouringNumbersMayTouch) {
  const std::string text = title + "key\n3 1 1 1\nrua 1 2 2\n(3I3) (2I3) (2F4.2)\n  1  2  3\n  1001\n1.25-250\n";
  EXPECT_EQ(test::dense(read(text)), "1.25 -2.5\n");
}

TEST(ReadRutherfordBoeing, HarwellBoeingWithARightHandSide) {
  const std::string text = title +
                           "key\n4 1 1 1 1\nRUA            2 2 2 0\n(3I3)           (2I3)           (2E8.1)            "
                           " (2E8.1)\nF             1             0\n"
                           "  1  2  3\n  1  2\n 1.0E+00 2.0E+00\n 9.0E+00 9.0E+00\n";
  EXPECT_EQ(test::dense(read(text)), "1 .\n. 2\n");
}

TEST(ReadRutherfordBoeing, CrlfGzipAndNoEntries) {
  std::string crlf;
  for (const char c : file("rua")) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(test::dense(read(crlf)), "1 . .\n. -3 .\n2 . 4\n");
  EXPECT_EQ(test::dense(read(test::gzipped(file("rua")))), "1 . .\n. -3 .\n2 . 4\n");
  EXPECT_EQ(read(title + "k\n1 1 0 0\nrua 2 2 0 0\n(3I3) (2I3) (2E8.1)\n  1  1  1\n").nonzeros(), 0);
}

struct BadBoeing {
  std::string name, text;
  std::int64_t line;
  std::string reason;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::vector<BadBoeing> bad_boeing_files() {
  const std::string good = file("rua");
  return {
      {"complex", file("cua"), 3, "complex"},
      {"elemental", file("rue"), 3, "elemental"},
      {"auxiliary", file("qua"), 3, "another file"},
      {"head only", good.substr(0, good.find("(4I2)")), 3, "within its head"},
      {"short type", replaced(good, "rua  3 3 4 0\n", "rua\t\n"), 3, "0 of 3 counts"},
      {"few counts", replaced(good, "5 1 2 2", "5 1"), 2, "2 of 4 counts"},
      {"negative count", replaced(good, "3 3 4", "-3 3 4"), 3, "count of -3"},
      {"not square", replaced(file("rsa"), "3 3 4", "4 3 4"), 3, "cannot be symmetric"},
      {"no format", replaced(good, "(2E8.1)", ""), 4, "format is missing"},
      {"bad format", replaced(good, "(2E8.1)", "(2Z8.1)"), 4, "unknown descriptor"},
      {"real pointers", replaced(good, "(4I2)", "(4F2)"), 4, "no format of integers"},
      {"line counts", replaced(good, "5 1 2 2", "5 1 3 2"), 2, "3 lines of row indices"},
      {"absurd sizes",
       replaced(replaced(good, "3 3 4", "3 3 999999999999"), "5 1 2 2", "5 1 333333333333 500000000000"), 9,
       "the file ends after"},
      {"cut", good.substr(0, good.size() - 17), 8, "1 of 2 lines of values"},
      {"first pointer", replaced(good, " 1 3 4 5", " 2 3 4 5"), 5, "first column pointer is not 1"},
      {"descending pointer", replaced(good, " 1 3 4 5", " 1 4 3 5"), 5, "less than the one before"},
      {"last pointer", replaced(good, " 1 3 4 5", " 1 3 4 4"), 5, "last column pointer is 4, not 5"},
      {"pointer beyond", replaced(good, " 1 3 4 5", " 1 3 9 5"), 5, "9 is outside 1 … 5"},
      {"row beyond", replaced(good, " 1 3 2\n", " 1 4 2\n"), 6, "row index 2: 4 is outside 1 … 3"},
      {"row zero", replaced(good, "\n 3\n", "\n 0\n"), 7, "row index 4: 0 is outside"},
      {"missing row", replaced(good, " 1 3 2\n", " 1 3\n"), 6, "row index 3: is missing"},
      {"text value", replaced(good, "2.0D+00", "2.0Z+00"), 8, "value 2: '2.0Z+00' is not a number"},
      {"NaN", replaced(good, "2.0D+00", "    NaN"), 8, "not a finite number"},
      {"overflow", replaced(good, "2.0D+00", "2.D+999"), 8, "overflows"},
      {"skew diagonal", file("rza"), 8, "no diagonal"},
  };
}

class MalformedRutherfordBoeing : public ::testing::TestWithParam<BadBoeing> {};

TEST_P(MalformedRutherfordBoeing, IsRefusedWithLineAndReason) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("bad.rb", GetParam().text);
  try {
    (void)read_matrix(path, {.threads = 2});
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
    EXPECT_EQ(error.place().line, GetParam().line) << error.what();
    EXPECT_NE(error.reason().find(GetParam().reason), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(ReadRutherfordBoeing, MalformedRutherfordBoeing, ::testing::ValuesIn(bad_boeing_files()),
                         [](const auto& info) { return test::identifier(info.param.name); });

TEST(FortranFormat, FieldsOfALine) {
  const auto places = [](const std::string& text) {
    std::string out;
    const auto parsed = matrix::parse_fortran_format(text);
    for (const auto& field : parsed.format.fields)
      out +=
          std::to_string(field.begin) + "+" + std::to_string(field.width) + "." + std::to_string(field.decimals) + " ";
    return parsed.reason.empty() ? out : parsed.reason;
  };
  EXPECT_EQ(places("(3I4)"), "0+4.0 4+4.0 8+4.0 ");
  EXPECT_EQ(places("(1p, 2d12.5)"), "0+12.5 12+12.5 ");
  EXPECT_EQ(places("(1P2E10.3E3)"), "0+10.3 10+10.3 ");
  EXPECT_EQ(places("(2(1X,F6.2))"), "1+6.2 8+6.2 ");
  for (const char* bad :
       {"", "(", "()", "I4", "(I)", "(4I0)", "(99999I4)", "(2I4,F3.1)", "((((((I4))))))", "(I4)x", "(9999999999I4)"})
    EXPECT_FALSE(matrix::parse_fortran_format(bad).reason.empty()) << bad;
}

TEST(FortranFormat, ImpliedPointAndScale) {
  EXPECT_EQ(matrix::fortran_real("12345", {0, 5, 2, 0}).value, 123.45);
  EXPECT_EQ(matrix::fortran_real("12345", {0, 5, 2, 1}).value, 12.345);
  EXPECT_EQ(matrix::fortran_real(" 1.5 ", {0, 5, 3, 0}).value, 1.5);
  EXPECT_EQ(matrix::fortran_real("15E+1", {0, 5, 1, 1}).value, 15);
  EXPECT_EQ(matrix::fortran_real("1.-05", {0, 5, 0, 0}).value, 1e-5);
}

}  // namespace
}  // namespace sparsecast
