// Rutherford-Boeing and Harwell-Boeing: fixed-width columns of numbers.

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "matrix/io/numbers/fortran_format.hpp"
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

/// Six unknowns in a row by columns of 25 characters, of which a number has 24 (what SciPy's writer makes of such a
/// matrix): cut by the format, the second field would be "-1.0000000000000000E+00 -".
TEST(ReadRutherfordBoeing, NumbersNarrowerThanTheFormatAreReadByBlanks) {
  const std::string values =
      "  2.0000000000000000E+00 -1.0000000000000000E+00 -1.0000000000000000E+00\n"
      "  2.0000000000000000E+00\n";
  const std::string text = title + "key\n4 1 1 2\nRUA 2 2 4 0\n(26I3) (40I2) (3E25.16)\n  1  3  5\n 1 2 1 2\n" + values;
  for (const int threads : {1, 3}) {
    std::string said;
    const test::TemporaryFolder folder;
    const Matrix matrix =
        read_matrix(folder.write("a.hb", text), {.threads = threads, .remark = [&](auto line) { said += line; }});
    EXPECT_EQ(test::dense(matrix), "2 -1\n-1 2\n");
    EXPECT_NE(said.find("read by blanks"), std::string::npos) << said;
  }
}

TEST(ReadRutherfordBoeing, FieldsOfAnyWidthGiveTheSameNumbersOrNone) {
  // Integers right-justified in fields of one width under a format that declares another. Whatever that makes of a
  // line, no other number may come out of it.
  const std::string expected = test::dense(read(title + "k\n3 1 1 0\npua 1200 4 4 0\n(5I5) (4I5)\n    1    2    3    4"
                                                        "    5\n    7   10  203 1104\n"));
  int read_right = 0;
  for (int written = 1; written <= 8; ++written)
    for (int declared = 1; declared <= 8; ++declared) {
      std::string line;
      for (const int row : {7, 10, 203, 1104}) {
        const std::string digits = std::to_string(row);
        line +=
            std::string(std::max<std::size_t>(digits.size(), static_cast<std::size_t>(written)) - digits.size(), ' ') +
            digits;
      }
      try {
        const Matrix matrix = read(title + "k\n3 1 1 0\npua 1200 4 4 0\n(5I2) (4I" + std::to_string(declared) +
                                   ")\n 1 2 3 4 5\n" + line + "\n");
        EXPECT_EQ(test::dense(matrix), expected) << written << " under " << declared;
        ++read_right;
      } catch (const Error& error) {
        EXPECT_EQ(error.place().line, 6) << error.what();
        EXPECT_GT(error.place().column, 0) << error.what();
      }
    }
  EXPECT_EQ(read_right, 4 * 8 + 1) << "those whose numbers are set apart, and the one that is as declared";
}

TEST(ReadRutherfordBoeing, FormatsAsRealCollectionsHaveThem) {
  const auto plate = [](const std::string& formats, const std::string& pointers, const std::string& rows,
                        const std::string& values) {
    return test::dense(read(title + "key\n3 1 1 1 0\nRSA                        2             2             3   0\n" +
                            formats + "\n" + pointers + "\n" + rows + "\n" + values + "\n"));
  };
  const std::string right = "3 -1\n-1 5\n";
  const std::string wide = "  3.0000000000000000E+00 -1.0000000000000000E+00  5.0000000000000000E+00";
  EXPECT_EQ(plate("(1X,8I9)        (1X,8I9)        (3(1P,E24.16))", "         1        3        4",
                  "         1        2        2", wide),
            right);
  EXPECT_EQ(plate("( 16 i5 )       (20i4)          (4 d20.12)", "    1    3    4", "   1   2   2",
                  "  0.300000000000D+01 -0.100000000000D+01  0.500000000000D+01"),
            right);
  EXPECT_EQ(plate("(8i)            (8i)            (8e)", "1 3 4", "1 2 2", "3 -1.0 5"), right) << "no widths";
  EXPECT_EQ(plate("(3I2)           (3I2)           (3E10.3)", " 1 3 4", " 1 2 2", " 0.300E 01-0.100E 01 0.500E 01"),
            right)
      << "a blank for the plus of an exponent";
}

TEST(ReadRutherfordBoeing, CountsOfLinesThatAreWrongArePassedOverWhereTheRestAgrees) {
  std::string said;
  const test::TemporaryFolder folder;
  std::string text = file("rua");
  text.replace(text.find("5 1 2 2"), 7, "7 1 3 2");
  const Matrix matrix =
      read_matrix(folder.write("a.rua", text), {.threads = 1, .remark = [&](auto line) { said += line; }});
  EXPECT_EQ(test::dense(matrix), "1 . .\n. -3 .\n2 . 4\n");
  EXPECT_NE(said.find("a.rua:2: 3 lines of row indices are announced"), std::string::npos) << said;
}

TEST(ReadRutherfordBoeing, ValuesOfAPatternAreNotReadAndThatIsSaid) {
  const auto said = [](const std::string& text) {
    std::string remarks;
    const test::TemporaryFolder folder;
    const Matrix matrix =
        read_matrix(folder.write("a.pua", text), {.threads = 1, .remark = [&](auto line) { remarks += line; }});
    EXPECT_EQ(test::dense(matrix), "1 . .\n. 1 .\n1 . 1\n");
    return remarks;
  };
  std::string text = file("pua");
  EXPECT_EQ(said(text), "");
  text.replace(text.find("3 1 2 0"), 7, "5 1 2 2");
  EXPECT_NE(said(text + " 1.0E+00 2.0D+00\n-3.0+000      4.\n").find("a.pua:3: the type says a pattern"),
            std::string::npos);
}

TEST(ReadRutherfordBoeing, BothTrianglesOfASymmetricMatrixAreAddedWithARemark) {
  std::string said;
  const test::TemporaryFolder folder;
  const std::string text = title + "key\n3 1 1 1\nrsa 2 2 2 0\n(3I2) (2I2) (2F4.1)\n 1 2 3\n 2 1\n 1.5 2.5\n";
  const Matrix matrix =
      read_matrix(folder.write("a.rsa", text), {.threads = 1, .remark = [&](auto line) { said += line; }});
  EXPECT_EQ(test::dense(matrix), ". 4\n4 .\n");
  EXPECT_NE(said.find("above and below its diagonal"), std::string::npos) << said;
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
      {"head only", good.substr(0, good.find("(4I2)")), 3, "inside its header"},
      {"short type", replaced(good, "rua  3 3 4 0\n", "rua\t\n"), 3, "0 of 3 counts"},
      {"few counts", replaced(good, "5 1 2 2", "5 1"), 2, "2 of 4 counts"},
      {"negative count", replaced(good, "3 3 4", "-3 3 4"), 3, "count of -3"},
      {"not square", replaced(file("rsa"), "3 3 4", "4 3 4"), 3, "cannot be symmetric"},
      {"no format", replaced(good, "(2E8.1)", ""), 4, "format is missing"},
      {"bad format", replaced(good, "(2E8.1)", "(2Z8.1)"), 4, "unknown descriptor"},
      {"real pointers", replaced(good, "(4I2)", "(4F2)"), 4, "not a format of integers"},
      {"line counts, and a line more", replaced(good, "5 1 2 2", "5 1 3 2") + "7\n", 10, "3 lines of row indices"},
      {"blank within a field", replaced(good, " 2.0D+00", "2 0 D+00"), 8, "value 2: its field has a blank within"},
      {"a number too many", replaced(good, " 1 3 4 5\n", " 1 3 4 5 5\n"), 5, "there is text after its field"},
      {"a number too many on the last line", replaced(good, "\n 3\n", "\n 3 3\n"), 7, "there is text after its field"},
      {"cut number", replaced(good, " 1 3 2\n", "10203\n"), 6, "row index 3: its field begins within '10203'"},
      {"too few without widths", replaced(replaced(good, "(4I2)", "(4I)"), " 1 3 4 5", " 1 3 4"), 5,
       "column pointer 4: is missing"},
      {"no point and no place for one", replaced(good, " 1.0E+00 2.0D+00", "15 1.0E+00"), 8, "has no point"},
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
  EXPECT_EQ(places("(2I)"), "0+0.0 0+0.0 ");
  EXPECT_EQ(places("(2(1X,F6.2))"), "1+6.2 8+6.2 ");
  for (const char* bad : {"", "(", "()", "I4", "(I0)", "(4I0)", "(I,I4)", "(99999I4)", "(2I4,F3.1)", "((((((I4))))))",
                          "(I4)x", "(9999999999I4)"})
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
