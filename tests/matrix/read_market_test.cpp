// Matrix Market, from text to canonical CSR.

#include <gtest/gtest.h>

#include <fstream>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/write.hpp>
#include <string>

#include "support/command.hpp"
#include "support/gzip.hpp"
#include "support/matrices.hpp"

namespace sparsecast {
namespace {

using test::dense;

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

Matrix read_text(const std::string& text, int threads = 1) {
  const test::TemporaryFolder folder;
  return read_matrix(folder.write("a.mtx", text), {.threads = threads});
}

TEST(ReadMarket, CoordinateRealGeneral) {
  const Matrix matrix = read_text(general + "% a comment\n2 3 3\n1 1 1.5\n2 3 -2e1\n2 1 4\n");
  EXPECT_EQ(matrix.name(), "a");
  EXPECT_EQ(dense(matrix), "1.5 . .\n4 . -20\n");
  EXPECT_TRUE(matrix.is_canonical());
}

TEST(ReadMarket, IntegerAndPatternFields) {
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 2 -7\n1 1 +3\n")), "3 -7\n");
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n")), ". 1\n1 .\n");
}

TEST(ReadMarket, SymmetryFillsTheOtherTriangle) {
  const std::string entries = "3 3 3\n1 1 5\n2 1 2\n3 2 4\n";
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate real symmetric\n" + entries)), "5 2 .\n2 . 4\n. 4 .\n");
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate real hermitian\n" + entries)), "5 2 .\n2 . 4\n. 4 .\n");
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 4\n")),
            ". -2 .\n2 . -4\n. 4 .\n");
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")), ". 1\n1 .\n");
}

TEST(ReadMarket, ComplexValues) {
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate complex general\n2 2 3\n1 2 1.5 -2\n2 1 0 1\n1 1 3 0\n")),
            "3+0i 1.5-2i\n0+1i .\n");
  const std::string banner = "%%MatrixMarket matrix coordinate complex ", entries = "2 2 2\n1 1 5 0\n2 1 2 3\n";
  EXPECT_EQ(dense(read_text(banner + "symmetric\n" + entries)), "5+0i 2+3i\n2+3i .\n");
  EXPECT_EQ(dense(read_text(banner + "hermitian\n" + entries)), "5+0i 2-3i\n2+3i .\n");
  EXPECT_EQ(dense(read_text(banner + "skew-symmetric\n2 2 1\n2 1 2 3\n")), ". -2-3i\n2+3i .\n");
  // Of an array an entry stands where either part is not 0; duplicates are summed part by part.
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix array complex general\n2 2\n0 1\n0 0\n2 0\n3 4\n")),
            "0+1i 2+0i\n. 3+4i\n");
  EXPECT_EQ(dense(read_text(banner + "general\n1 1 2\n1 1 1 2\n1 1 3 -1\n")), "4+1i\n");
}

TEST(ReadMarket, EntriesInTheUpperTriangleOfASymmetricFileAreMirroredToo) {
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 3\n")), ". 3\n3 .\n");
}

TEST(ReadMarket, WholeNumbersThatADoubleDoesNotHoldAreRoundedWithARemark) {
  const test::TemporaryFolder folder;
  const auto said = [&](const std::string& banner, const std::string& value) {
    std::string remarks;
    const std::string text = "%%MatrixMarket matrix " + banner + "\n1 1 " + value + "\n";
    static_cast<void>(read_matrix(folder.write("a.mtx", text), {.remark = [&](auto line) { remarks += line; }}));
    return remarks;
  };
  EXPECT_EQ(said("coordinate integer general\n1 1 1", "9007199254740991"), "");
  EXPECT_NE(said("coordinate integer general\n1 1 1", "9007199254740993").find("2^53 and more are rounded"),
            std::string::npos);
  EXPECT_NE(said("coordinate integer general\n1 1 1", "-9007199254740993 ").find("rounded"), std::string::npos);
  EXPECT_EQ(said("coordinate real general\n1 1 1", "9007199254740993"), "") << "of reals rounding is expected";
}

TEST(ReadMarket, BothTrianglesOfASymmetricFileAreAddedWithARemark) {
  const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n";
  const std::vector<std::pair<std::string, bool>> bodies{
      {"1 1 1\n3 1 5\n1 3 5\n", true}, {"1 1 1\n3 1 5\n3 2 5\n", false}, {"1 1 1\n1 2 5\n1 3 5\n", false}};
  const test::TemporaryFolder folder;
  for (const auto& [body, both] : bodies)
    for (const std::string& bytes : {head + body, test::gzipped(head + body)}) {
      std::string said;
      const Matrix matrix =
          read_matrix(folder.write("a.mtx", bytes), {.threads = 2, .remark = [&](auto line) { said += line; }});
      EXPECT_EQ(said.find("above and below its diagonal") != std::string::npos, both) << body << said;
      if (both) {
        EXPECT_EQ(dense(matrix), "1 . 10\n. . .\n10 . .\n");
      }
    }
}

TEST(ReadMarket, ArraysHoldColumnsAndTheirZerosAreNoEntries) {
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix array real general\n2 3\n1\n0\n3\n4\n0\n6\n")), "1 3 .\n. 4 6\n");
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")),
            "1 2 3\n2 4 5\n3 5 6\n");
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n")),
            ". -1 -2\n1 . -3\n2 3 .\n");
}

TEST(ReadMarket, DuplicatesAreSummedAndExplicitZerosKept) {
  const Matrix matrix = read_text(general + "2 2 5\n2 2 1\n1 1 1\n2 2 2\n1 2 0\n2 2 4\n");
  EXPECT_EQ(dense(matrix), "1 0\n. 7\n");
  EXPECT_EQ(matrix.nonzeros(), 3);
}

TEST(ReadMarket, LayoutOfTheLinesDoesNotMatter) {
  const std::string expected = "1 .\n. 2.5\n";
  EXPECT_EQ(
      dense(read_text("%%matrixmarket MATRIX Coordinate DOUBLE General\r\n%\r\n\r\n2 2 2\r\n1 1 1\r\n\r\n2 2 2.5\r\n")),
      expected);
  EXPECT_EQ(dense(read_text(general + "  2\t2  2 \n \t1   1 1.0  \n% between\n\n2 2 25D-1")), expected);
  EXPECT_EQ(dense(read_text(general + "2 2 2\n0000000000000000000001 01 1.\n2 2 +.25e1\n\n\n% end\n")), expected);
}

TEST(ReadMarket, EmptyShapes) {
  EXPECT_EQ(read_text(general + "4 5 0\n").rows(), 4);
  EXPECT_EQ(read_text(general + "4 5 0").nonzeros(), 0);
  EXPECT_EQ(read_text(general + "0 0 0\n").rows(), 0);
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real general\n0 3\n").cols(), 3);
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").nonzeros(), 0);
}

TEST(ReadMarket, NumbersAreTheNearestDoubles) {
  const Matrix matrix = read_text(general +
                                  "1 6 6\n1 1 0.1\n1 2 1e-400\n1 3 4.9406564584124654e-324\n1 4 "
                                  "123456789012345678901234567890\n1 5 1.7976931348623157e308\n1 6 9007199254740993\n");
  const std::vector<double> expected{
      0.1, 0.0, 5e-324, 1.2345678901234568e29, 1.7976931348623157e308, 9007199254740992.0};
  matrix.visit(
      [&](const auto& csr) { EXPECT_EQ(std::vector<double>(csr.values.begin(), csr.values.end()), expected); });
}

TEST(ReadMarket, GzipIsKnownByItsBytesAndMayHaveMembers) {
  const test::TemporaryFolder folder;
  const std::string text = general + "2 2 2\n1 1 1\n2 2 2\n";
  EXPECT_EQ(dense(read_matrix(folder.write("a.mtx", test::gzipped(text)))), "1 .\n. 2\n");
  EXPECT_EQ(
      dense(read_matrix(folder.write("b.gz", test::gzipped(text.substr(0, 60)) + test::gzipped(text.substr(60))))),
      "1 .\n. 2\n");
}

TEST(ReadMarket, NameIsTheFilesWithoutEndings) {
  EXPECT_EQ(matrix_name("x/west0067.mtx.gz"), "west0067");
  EXPECT_EQ(matrix_name("a.b.rb"), "a.b");
  EXPECT_EQ(matrix_name("plain"), "plain");
  EXPECT_EQ(matrix_name(".mtx"), ".mtx");
}

TEST(ReadMarket, ThreadsDoNotChangeTheResult) {
  const test::TemporaryFolder folder;
  for (const bool symmetric : {false, true}) {
    const std::string text = test::random_market_text(60000, 200000, symmetric, 7);  // several stretches
    const auto plain = folder.write("p.mtx", text), packed = folder.write("p.mtx.gz", test::gzipped(text));
    const Matrix one = read_matrix(plain, {.threads = 1});
    EXPECT_TRUE(one.is_canonical());
    for (const int threads : {2, 3, 5}) {
      EXPECT_TRUE(test::same(one, read_matrix(plain, {.threads = threads})));
      EXPECT_TRUE(test::same(one, read_matrix(packed, {.threads = threads})));
    }
    EXPECT_TRUE(test::same(one, read_matrix(packed, {.threads = 1})));
  }
}

TEST(ReadMarket, BlankLinesAndCommentsAnywhereLeaveTheResultTheSame) {
  const test::TemporaryFolder folder;
  const Matrix matrix = test::random_matrix(4000, 3000, 100000, 11);  // several stretches, in the order of rows
  write_matrix_market(matrix, folder.path() / "a.mtx");
  const std::string text = test::read_text(folder.path() / "a.mtx");
  for (const int every : {5000, 50, 1}) {  // few, which leave gaps to be closed; as many as entries
    std::string loose;
    int line = 0;
    for (const char c : text) {
      loose += c;
      if (c == '\n' && ++line > 2 && line % every == 0) loose += line % 2 == 0 ? "\n" : "% between\n";
    }
    EXPECT_TRUE(test::same(matrix, read_matrix(folder.write("b.mtx", loose), {.threads = 3}))) << every;
  }
}

struct BadMarket {
  std::string name, text;
  std::int64_t line, column;
  std::string reason;  ///< a part of it
};

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string array = "%%MatrixMarket matrix array real general\n";
const std::vector<BadMarket> bad_files{
    {"empty", "", 0, 0, "empty"},
    {"junk", std::string("\0\1\2\3\0\1\2\3", 8), 1, 1, "neither"},
    {"no banner", "3 3 1\n1 1 1.0\n", 1, 1, "neither"},
    {"short banner", "%%MatrixMarket matrix coordinate real\n1 1 0\n", 1, 38, "4 of its 5"},
    {"long banner", "%%MatrixMarket matrix coordinate real general x\n1 1 0\n", 1, 47, "sixth"},
    {"other object", "%%MatrixMarket tensor coordinate real general\n3 3 1\n1 1 1.0\n", 1, 16,
     "'tensor', not a matrix"},
    {"other format", "%%MatrixMarket matrix sparse real general\n1 1 0\n", 1, 23, "not a format"},
    {"half of a complex value", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1\n", 3, 6, "a part"},
    {"imaginary NaN", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 nan\n", 3, 7, "value: "},
    {"third part", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2 3\n", 3, 9, "one field too many"},
    {"Hermitian diagonal", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 2\n", 3, 1, "is real"},
    {"Hermitian array's diagonal", "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 5\n", 0, 0,
     "is real, and that of row 2 is not"},
    {"other field", "%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n", 1, 34, "not a field"},
    {"other symmetry", "%%MatrixMarket matrix coordinate real diagonal\n1 1 0\n", 1, 39, "not a symmetry"},
    {"pattern array", "%%MatrixMarket matrix array pattern general\n1 1\n", 1, 29, "pattern"},
    {"skew pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", 1, 42, "skew"},
    {"banner only", general, 1, 0, "before its size line"},
    {"comments only", general + "% a\n% b\n", 3, 0, "before its size line"},
    {"two sizes", general + "3 3\n", 2, 4, "entries is missing"},
    {"four sizes", general + "3 3 0 0\n", 2, 7, "one field too many"},
    {"negative size", general + "% c\n-3 3 1\n1 1 1\n", 3, 1, "-3 rows"},
    {"text size", general + "3 x 1\n1 1 1\n", 2, 3, "'x' is not an integer"},
    {"sizes beyond 64 bits", general + "3 3 99999999999999999999999\n1 1 1\n", 2, 5, "does not fit 64 bits"},
    {"absurd sizes", general + "999999999999 999999999999 999999999999999\n1 1 1.0\n", 2, 0, "cannot hold them"},
    {"absurd rows", general + "2000000000 3 1\n1 1 1.0\n", 2, 0, "implausible"},
    {"absurd columns", general + "3 9000000000000000000 1\n1 1 1.0\n", 2, 0, "implausible"},
    {"absurd array", array + "3000000000 3000000000\n1\n", 2, 0, "cannot hold them"},
    {"array beyond 64 bits", array + "9000000000 9000000000\n1\n", 2, 1, "do not fit 64 bits"},
    {"not square", symmetric + "3 4 1\n1 1 1\n", 2, 1, "cannot be symmetric"},
    {"truncated", general + "3 3 3\n1 1 1.0\n2 2 2.0000000000\n", 4, 0, "after 2 of 3"},
    {"cut in a line", general + "3 3 2\n1 1 1.0\n2 2", 4, 4, "value is missing"},
    {"too many", general + "3 3 1\n1 1 1.0\n\n2 2 2.0\n", 5, 1, "more entries than the 1"},
    {"too many of none", general + "3 3 0\n1 1 1.0\n", 3, 1, "more entries than the 0"},
    {"row out of range", general + "3 3 1\n4 1 1.0\n", 3, 1, "row index 4 is outside 1 … 3"},
    {"column out of range", general + "3 3 1\n1 4 1.0\n", 3, 3, "column index 4"},
    {"zero index", general + "3 3 1\n1 0 1.0\n", 3, 3, "column index 0"},
    {"negative index", general + "3 3 1\n-1 1 1.0\n", 3, 1, "row index -1"},
    {"index beyond 64 bits", general + "3 3 1\n1 18446744073709551617 1.0\n", 3, 3, "does not fit 64 bits"},
    {"word for an index", general + "3 3 1\n1 one 1.0\n", 3, 3, "'one' is not an integer"},
    {"real index", general + "3 3 1\n1.0 1 1.0\n", 3, 1, "'1.0' is not an integer"},
    {"word for a value", general + "3 3 1\n1 1 x\n", 3, 5, "'x' is not a number"},
    {"half a number", general + "3 3 1\n1 1 1.0e\n", 3, 5, "is not a number"},
    {"two signs", general + "3 3 1\n1 1 +-1\n", 3, 5, "is not a number"},
    {"hexadecimal", general + "3 3 1\n1 1 0x10\n", 3, 5, "is not a number"},
    {"no value", general + "3 3 1\n1 1\n", 3, 4, "value is missing"},
    {"no column", general + "3 3 1\n111111\n", 3, 1, "row index 111111"},
    {"NaN", general + "3 3 1\n1 1 nan\n", 3, 5, "not a finite number"},
    {"infinity", general + "3 3 1\n1 1 -Infinity\n", 3, 5, "not a finite number"},
    {"overflow", general + "3 3 1\n1 1 1e309\n", 3, 5, "overflows"},
    {"extra field", general + "3 3 1\n1 1 1.0 7.0 8.0\n", 3, 9, "one field too many, '7.0'"},
    {"value in a pattern", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 1\n", 3, 5,
     "one field too many"},
    {"real in an integer file", "%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 1.5\n", 3, 5,
     "not an integer"},
    {"embedded NUL", general + "3 3 1\n1 1 1" + std::string(1, '\0') + "\n", 3, 5, "'1\\x00' is not a number"},
    {"skew diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 4\n", 3, 1, "no diagonal"},
    {"short array", array + "2 2\n1\n2\n3.5\n", 5, 0, "after 3 of 4"},
    {"long array", array + "1 2\n1\n2\n3\n", 5, 1, "more entries than the 2"},
    {"skew-symmetric array with its diagonal",
     "%%MatrixMarket matrix array real skew-symmetric\n3 3\n0\n2\n-3\n0\n4\n0\n", 6, 1,
     "more than the 3 values below the diagonal, which are all of a skew-symmetric array"},
    {"short skew-symmetric array", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n2.00\n-3.00\n", 4, 0,
     "after 2 of 3 values below the diagonal"},
    {"symmetric array with both triangles", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n2\n1\n", 6, 1,
     "more than the 3 values from the diagonal down"},
    {"integer with an exponent", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 4e+15\n2 1 6\n", 3, 5,
     "not an integer"},
    {"two values a line", array + "1 2\n1 2\n3\n", 3, 3, "one field too many"},
    {"sum of duplicates overflows", general + "1 1 2\n1 1 1.7e308\n1 1 1.7e308\n", 0, 0, "add up to more"},
};

class MalformedMarket : public ::testing::TestWithParam<BadMarket> {};

TEST_P(MalformedMarket, IsRefusedWithPlaceAndReason) {
  const BadMarket& bad = GetParam();
  const test::TemporaryFolder folder;
  const auto plain = folder.write("bad.mtx", bad.text), packed = folder.write("bad.mtx.gz", test::gzipped(bad.text));
  for (const auto& file : {plain, packed}) {
    try {
      (void)read_matrix(file, {.threads = 2});
      FAIL() << "was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
      EXPECT_EQ(error.place().file, file.string());
      if (file == packed && bad.reason == "cannot hold them") continue;  // a stream may hold more than its bytes
      EXPECT_EQ(error.place().line, bad.line) << error.what();
      EXPECT_EQ(error.place().column, bad.column) << error.what();
      EXPECT_NE(error.reason().find(bad.reason), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty()) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ReadMarket, MalformedMarket, ::testing::ValuesIn(bad_files),
                         [](const auto& info) { return test::identifier(info.param.name); });

TEST(MalformedMarket, LinesAreExactInWhateverStretchTheFaultIs) {
  const test::TemporaryFolder folder;
  std::string text = test::random_market_text(50000, 200000, false, 3);
  std::vector<std::size_t> line_starts{0};
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    line_starts.push_back(at + 1);
  for (const std::size_t line : {3U, 70001U, 150000U, 200002U}) {
    std::string bad = text;
    bad[line_starts[line - 1]] = 'x';
    for (const auto& file : {folder.write("b.mtx", bad), folder.write("b.mtx.gz", test::gzipped(bad))}) {
      try {
        (void)read_matrix(file, {.threads = 3});
        FAIL() << "was read";
      } catch (const Error& error) {
        EXPECT_EQ(error.place().line, static_cast<std::int64_t>(line));
        EXPECT_EQ(error.place().column, 1);
      }
    }
  }
}

ErrorCode code_of(const std::filesystem::path& file, const ReadOptions& options = {}) {
  try {
    (void)read_matrix(file, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.place().file, file.string());
    return error.code();
  }
  ADD_FAILURE() << file << " was read";
  return ErrorCode::failed;
}

TEST(UnreadableFile, IsBadInput) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(code_of(folder.path() / "missing.mtx"), ErrorCode::bad_input);
  EXPECT_EQ(code_of(folder.path()), ErrorCode::bad_input);
  EXPECT_EQ(code_of("/dev/zero"), ErrorCode::bad_input);
  EXPECT_EQ(code_of("/dev/null"), ErrorCode::bad_input);
}

TEST(UnreadableFile, CutOrCorruptGzipIsBadInput) {
  const test::TemporaryFolder folder;
  const std::string packed = test::gzipped(test::random_market_text(1000, 20000, false, 1));
  for (const std::size_t size :
       {std::size_t{2}, std::size_t{10}, std::size_t{30}, packed.size() / 2, packed.size() - 1})
    EXPECT_EQ(code_of(folder.write("cut.gz", packed.substr(0, size))), ErrorCode::bad_input) << size;
  std::string corrupt = packed;
  corrupt[packed.size() - 6] ^= 1;  // the checksum
  EXPECT_EQ(code_of(folder.write("crc.gz", corrupt)), ErrorCode::bad_input);
  EXPECT_EQ(code_of(folder.write("more.gz", packed + "more")), ErrorCode::bad_input);
  EXPECT_EQ(code_of(folder.write("none.gz", test::gzipped(""))), ErrorCode::bad_input);
}

TEST(UnreadableFile, DecompressionBombsAreStopped) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(code_of(folder.write("zeros.gz", test::gzipped(std::string(50'000'000, '\0')))), ErrorCode::bad_input);
  const std::string lines(70'000'000, '\n');
  EXPECT_EQ(code_of(folder.write("head.gz", test::gzipped(general + lines))), ErrorCode::bad_input);
  EXPECT_EQ(code_of(folder.write("tail.gz", test::gzipped(general + "1 1 1\n1 1 1\n" + lines))), ErrorCode::bad_input);
}

TEST(UnreadableFile, MoreThanTheMemoryAllowedFailsBeforeAllocating) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("a.mtx", test::random_market_text(1000, 20000, false, 1));
  EXPECT_EQ(code_of(file, {.memory_bytes = 100'000}), ErrorCode::too_large);
  EXPECT_EQ(read_matrix(file, {.memory_bytes = 10'000'000}).rows(), 1000);
}

}  // namespace
}  // namespace sparsecast
