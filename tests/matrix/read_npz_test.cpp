// SciPy's npz, each of its formats by hand.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "support/command.hpp"
#include "support/matrices.hpp"
#include "support/npz.hpp"

namespace sparsecast {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;
using test::npy;
using test::raw;

std::string ints(const std::vector<std::int32_t>& numbers) {
  return npy("<i4", fmt::format("({},)", numbers.size()), raw(numbers));
}
std::string doubles(const std::vector<double>& numbers) {
  return npy("<f8", fmt::format("({},)", numbers.size()), raw(numbers));
}
Members members(const std::string& format, std::int64_t rows, std::int64_t cols, const Members& arrays) {
  Members all{{"format.npy", npy("|S3", "()", format)},
              {"shape.npy", npy("<i8", "(2,)", raw(std::vector<std::int64_t>{rows, cols}))}};
  all.insert(all.end(), arrays.begin(), arrays.end());
  return all;
}

Matrix read(const Members& all, bool deflate = false, bool wide = false) {
  const test::TemporaryFolder folder;
  return read_matrix(folder.write("a.npz", test::zip(all, deflate, wide)));
}

const Members csr = members(
    "csr", 2, 3, {{"indptr.npy", ints({0, 1, 3})}, {"indices.npy", ints({1, 2, 0})}, {"data.npy", doubles({1, 2, 3})}});

TEST(ReadNpz, StoredDeflatedAndWideArchives) {
  for (const bool deflate : {false, true})
    for (const bool wide : {false, true}) {
      const Matrix matrix = read(csr, deflate, wide);
      EXPECT_EQ(test::dense(matrix), ". 1 .\n3 . 2\n");
      EXPECT_TRUE(matrix.is_canonical());
      EXPECT_EQ(matrix.name(), "a");
    }
}

TEST(ReadNpz, ACommentMayHoldTheMarkOfTheEnd) {
  const std::string mark("PK\x05\x06", 4);
  for (const std::string& comment : {std::string("saved on a Sunday"), mark, mark + " and more than a record behind it",
                                     std::string(300, 'a') + mark + mark}) {
    std::string archive = test::zip(csr, false);
    archive[archive.size() - 2] = static_cast<char>(comment.size() % 256);
    archive[archive.size() - 1] = static_cast<char>(comment.size() / 256);
    const test::TemporaryFolder folder;
    EXPECT_EQ(test::dense(read_matrix(folder.write("a.npz", archive + comment))), ". 1 .\n3 . 2\n") << comment;
  }
}

TEST(ReadNpz, WholeNumbersThatADoubleDoesNotHoldAreRoundedWithARemark) {
  const auto said = [](const std::string& type, std::int64_t value) {
    Members changed = csr;
    changed.back().second = npy(type, "(3,)", raw(std::vector<std::int64_t>{1, value, 3}));
    const test::TemporaryFolder folder;
    std::string remarks;
    static_cast<void>(read_matrix(folder.write("a.npz", test::zip(changed, false, false)),
                                  {.remark = [&](auto line) { remarks += line; }}));
    return remarks;
  };
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  EXPECT_EQ(said("<i8", exact - 1), "");
  EXPECT_NE(said("<i8", exact + 1).find("2^53 and more are rounded"), std::string::npos);
  EXPECT_NE(said("<u8", exact + 1).find("rounded"), std::string::npos);
}

TEST(ReadNpz, ComplexValuesOfBothPrecisions) {
  const auto with = [](const std::string& data) {
    Members changed = csr;
    changed.back().second = data;
    return test::dense(read(changed));
  };
  EXPECT_EQ(with(npy("<c16", "(3,)", raw(std::vector<double>{1, 2, 3, -4, 0, 5}))), ". 1+2i .\n0+5i . 3-4i\n");
  EXPECT_EQ(with(npy("<c8", "(3,)", raw(std::vector<float>{1, 2, 3, -4, 0, 5}))), ". 1+2i .\n0+5i . 3-4i\n");
}

// Zeros of diagonals are padding: the same entries whatever the type, as in SciPy's tocsr().
TEST(ReadNpz, DiagonalsOfComplexValuesHaveNoEntriesForZeros) {
  const auto with = [](const std::string& data) {
    return read(members("dia", 2, 3, {{"offsets.npy", ints({0, 1})}, {"data.npy", data}}));
  };
  // Diagonal 0 holds i and 0, diagonal 1 holds 0 (beyond the matrix), 2 and 0.
  const Matrix complex = with(npy("<c16", "(2, 3)", raw(std::vector<double>{0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0})));
  EXPECT_EQ(complex.nonzeros(), 2);
  EXPECT_EQ(test::dense(complex), "0+1i 2+0i .\n. . .\n");
  const Matrix real = with(npy("<f8", "(2, 3)", raw(std::vector<double>{1, 0, 0, 0, 2, 0})));
  EXPECT_EQ(real.nonzeros(), 2);
}

TEST(ReadNpz, Csc) {
  EXPECT_EQ(
      test::dense(read(members(
          "csc", 2, 3,
          {{"indptr.npy", ints({0, 1, 1, 3})}, {"indices.npy", ints({1, 0, 1})}, {"data.npy", doubles({1, 2, 3})}}))),
      ". . 2\n1 . 3\n");
}

TEST(ReadNpz, CooSumsDuplicates) {
  EXPECT_EQ(test::dense(read(members(
                "coo", 2, 2,
                {{"row.npy", ints({1, 0, 1})}, {"col.npy", ints({0, 1, 0})}, {"data.npy", doubles({1, 2, 3})}}))),
            ". 2\n4 .\n");
}

/// As SciPy saves n-dimensional arrays, and matrices before long: rows and columns in one array, and a flag that says
/// array rather than matrix.
TEST(ReadNpz, CooByCoordsInBothOrders) {
  const std::string c = npy("<i8", "(2, 3)", raw(std::vector<std::int64_t>{1, 0, 1, 0, 2, 0}));
  const std::string f = npy("<i8", "(2, 3)", raw(std::vector<std::int64_t>{1, 0, 0, 2, 1, 0}), true);
  for (const auto& coords : {c, f})
    EXPECT_EQ(
        test::dense(read(members(
            "coo", 2, 3,
            {{"coords.npy", coords}, {"data.npy", doubles({1, 2, 3})}, {"_is_array.npy", npy("|b1", "()", "\x01")}}))),
        ". . 2\n4 . .\n");
}

TEST(ReadNpz, ArraysOfPyDataAreCooWithoutAFormat) {
  EXPECT_EQ(test::dense(read({{"shape.npy", ints({2, 2})},
                              {"coords.npy", npy("<i8", "(2, 2)", raw(std::vector<std::int64_t>{0, 1, 1, 0}))},
                              {"data.npy", doubles({1, 2})},
                              {"fill_value.npy", npy("<f8", "()", raw(std::vector<double>{0.0}))}})),
            ". 1\n2 .\n");
}

TEST(ReadNpz, WholeNumbersInFloatingPointAreIndices) {
  const std::string floats = npy("<f4", "(3,)", raw(std::vector<float>{1, 2, 0}));
  for (const std::string& indices : {doubles({1, 2, 0}), floats}) {
    Members changed = csr;
    changed[2].second = doubles({0, 1, 3});
    changed[3].second = indices;
    EXPECT_EQ(test::dense(read(changed)), ". 1 .\n3 . 2\n");
  }
}

TEST(ReadNpz, NumbersOfTheOtherByteOrder) {
  const auto turned = [](std::string bytes, std::ptrdiff_t item) {
    for (auto at = bytes.begin(); at != bytes.end(); at += item) std::reverse(at, at + item);
    return bytes;
  };
  Members changed = csr;
  changed[1].second = npy(">i8", "(2,)", turned(raw(std::vector<std::int64_t>{2, 3}), 8));
  changed[2].second = npy(">i4", "(3,)", turned(raw(std::vector<std::int32_t>{0, 1, 3}), 4));
  changed[3].second = npy(">u2", "(3,)", turned(raw(std::vector<std::uint16_t>{1, 2, 0}), 2));
  const std::vector<std::tuple<std::string, std::string, std::ptrdiff_t>> values{
      {">f8", raw(std::vector<double>{1, 2, 3}), 8},
      {">f4", raw(std::vector<float>{1, 2, 3}), 4},
      {">i8", raw(std::vector<std::int64_t>{1, 2, 3}), 8}};
  for (const auto& [type, bytes, item] : values) {
    changed[4].second = npy(type, "(3,)", turned(bytes, item));
    EXPECT_EQ(test::dense(read(changed)), ". 1 .\n3 . 2\n") << type;
  }
  changed[4].second = npy(">c16", "(3,)", turned(raw(std::vector<double>{1, 2, 3, -4, 0, 5}), 8));
  EXPECT_EQ(test::dense(read(changed)), ". 1+2i .\n0+5i . 3-4i\n");
}

TEST(ReadNpz, BsrInBothOrders) {
  const std::string c = npy("<f8", "(2, 1, 2)", raw(std::vector<double>{1, 2, 3, 4}));
  const std::string f = npy("<f8", "(2, 1, 2)", raw(std::vector<double>{1, 3, 2, 4}), true);
  for (const auto& data : {c, f})
    EXPECT_EQ(test::dense(read(members(
                  "bsr", 2, 4, {{"indptr.npy", ints({0, 1, 2})}, {"indices.npy", ints({1, 0})}, {"data.npy", data}}))),
              ". . 1 2\n3 4 . .\n");
}

TEST(ReadNpz, DiaLeavesOutZerosAndWhatIsOutside) {
  EXPECT_EQ(
      test::dense(read(members("dia", 3, 3,
                               {{"offsets.npy", ints({0, 1})},
                                {"data.npy", npy("<f8", "(2, 3)", raw(std::vector<double>{1, 2, 3, 9, 8, 0}))}}))),
      "1 8 .\n. 2 .\n. . 3\n");
}

TEST(ReadNpz, NumberTypes) {
  const auto value = [](const std::string& type, const std::string& bytes) {
    return test::dense(read(members("csr", 1, 1,
                                    {{"indptr.npy", npy("<i8", "(2,)", raw(std::vector<std::int64_t>{0, 1}))},
                                     {"indices.npy", npy("<i8", "(1,)", raw(std::vector<std::int64_t>{0}))},
                                     {"data.npy", npy(type, "(1,)", bytes, false, 2)}})));
  };
  EXPECT_EQ(value("<f4", raw(std::vector<float>{1.5F})), "1.5\n");
  EXPECT_EQ(value("<f2", raw(std::vector<std::uint16_t>{0x3E00})), "1.5\n");
  EXPECT_EQ(value("|b1", "\x01"), "1\n");
  EXPECT_EQ(value("|i1", "\xff"), "-1\n");
  EXPECT_EQ(value("<u2", raw(std::vector<std::uint16_t>{65535})), "65535\n");
  EXPECT_EQ(value("<i8", raw(std::vector<std::int64_t>{-7})), "-7\n");
}

TEST(ReadNpz, FormatMayBeUnicodeAndRowsUnsorted) {
  Members all = members(
      "csr", 1, 3, {{"indptr.npy", ints({0, 3})}, {"indices.npy", ints({2, 0, 2})}, {"data.npy", doubles({1, 2, 3})}});
  all[0].second = npy("<U3", "()", raw(std::vector<char32_t>{U'c', U's', U'r'}));
  EXPECT_EQ(test::dense(read(all)), "2 . 4\n");
}

struct BadArchive {
  std::string name;
  std::string bytes;
  std::string reason;
};

Members changed(const std::string& name, const std::string& content) {
  Members all = csr;
  for (auto& [member, bytes] : all)
    if (member == name) bytes = content;
  return all;
}

std::vector<BadArchive> bad_archives() {
  const std::string good = test::zip(csr, false);
  Members twice = csr;
  twice.push_back(csr.back());
  std::string corrupt = good;
  corrupt[good.find(raw(std::vector<double>{1, 2, 3})) + 6] ^= 1;
  return {
      {"cut", good.substr(0, good.size() / 2), "directory is missing"},
      {"cut directory", good.substr(0, good.size() - 30) + good.substr(good.size() - 22), "no array 'data'"},
      {"corrupt", corrupt, "checksum"},
      {"an array twice", test::zip(twice, false), "has the array 'data' more than once"},
      {"no members", test::zip({}, false), "is a zip archive without a file"},
      {"no data", test::zip(members("csr", 2, 3, {}), false), "no array 'data'"},
      {"other format", test::zip(members("lil", 2, 3, {}), false), "'lil'"},
      {"three extents", test::zip(changed("shape.npy", ints({2, 3, 4})), false), "3 extents"},
      {"negative extent", test::zip(changed("shape.npy", ints({2, -3})), false), "-3"},
      {"rows do not fit", test::zip(changed("shape.npy", ints({3, 3})), false), "indptr has 3 entries, 4"},
      {"absurd rows",
       test::zip(changed("shape.npy", npy("<i8", "(2,)", raw(std::vector<std::int64_t>{std::int64_t{1} << 62, 3}))),
                 false),
       "implausible"},
      {"column out of range", test::zip(changed("indices.npy", ints({1, 3, 0})), false),
       "holds 3 at position 1, outside 0 … 2"},
      {"negative column", test::zip(changed("indices.npy", ints({1, -1, 0})), true), "holds -1"},
      {"descending pointers", test::zip(changed("indptr.npy", ints({0, 2, 1})), false), "decreases"},
      {"pointers beyond", test::zip(changed("indptr.npy", ints({0, 1, 4})), false), "holds 4"},
      {"first pointer", test::zip(changed("indptr.npy", ints({1, 1, 3})), false), "begin with 0"},
      {"fewer values", test::zip(changed("data.npy", doubles({1, 2})), false), "3 indices for 2 values"},
      {"NaN", test::zip(changed("data.npy", doubles({1, 0.0 / 0.0, 3})), false), "holds NaN at position 1"},
      {"imaginary NaN",
       test::zip(changed("data.npy", npy("<c16", "(3,)", raw(std::vector<double>{1, 0.0 / 0.0, 2, 0, 3, 0}))), false),
       "holds NaN"},
      {"objects", test::zip(changed("data.npy", npy("|O", "(3,)", std::string(24, '\0'))), false), "number type"},
      {"indices that are no whole numbers", test::zip(changed("indices.npy", doubles({1, 1.7, 0})), false),
       "member 'indices.npy' holds 1.7 at position 1 where whole numbers belong"},
      {"pointers that are no whole numbers", test::zip(changed("indptr.npy", doubles({0, 0.5, 3})), false),
       "holds 0.5 at position 1"},
      {"an index that is NaN", test::zip(changed("indices.npy", doubles({1, 2, 0.0 / 0.0})), false), "at position 2"},
      {"an index beyond what is exact", test::zip(changed("indices.npy", doubles({1, 2, 1e18})), false),
       "at position 2"},
      {"a real index out of range", test::zip(changed("indices.npy", doubles({1, 3, 0})), false), "outside 0 … 2"},
      {"complex indices", test::zip(changed("indices.npy", npy("<c16", "(3,)", std::string(48, '\0'))), false),
       "complex numbers"},
      {"coords of the wrong shape",
       test::zip(members("coo", 2, 2, {{"coords.npy", ints({0, 1})}, {"data.npy", doubles({1})}}), false), "2 × 1"},
      {"a row beyond the last in coords",
       test::zip(members("coo", 2, 3,
                         {{"coords.npy", npy("<i4", "(2, 1)", raw(std::vector<std::int32_t>{2, 2}))},
                          {"data.npy", doubles({1})}}),
                 false),
       "coords holds row 2 at position 0"},
      {"something stands where nothing is stored",
       test::zip({{"shape.npy", ints({2, 2})},
                  {"coords.npy", npy("<i4", "(2, 1)", raw(std::vector<std::int32_t>{0, 1}))},
                  {"data.npy", doubles({1})},
                  {"fill_value.npy", npy("<f8", "()", raw(std::vector<double>{1.0}))}},
                 false),
       "not stored are 1"},
      {"shape beyond bytes",
       test::zip(changed("data.npy", npy("<f8", "(9999999,)", raw(std::vector<double>{1, 2, 3}))), false), "24 bytes"},
      {"shape overflow", test::zip(changed("data.npy", npy("<f8", "(4611686018427387904, 8)", "")), false), "64 bits"},
      {"no array", test::zip(changed("data.npy", "text"), false), "not a NumPy array"},
      {"overflowing sum",
       test::zip(
           members("coo", 1, 1,
                   {{"row.npy", ints({0, 0})}, {"col.npy", ints({0, 0})}, {"data.npy", doubles({1.7e308, 1.7e308})}}),
           false),
       "add up"},
  };
}

class MalformedNpz : public ::testing::TestWithParam<BadArchive> {};

TEST_P(MalformedNpz, IsRefusedWithReason) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("bad.npz", GetParam().bytes);
  try {
    (void)read_matrix(file);
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
    EXPECT_EQ(error.place().file, file.string());
    EXPECT_NE(error.reason().find(GetParam().reason), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(ReadNpz, MalformedNpz, ::testing::ValuesIn(bad_archives()),
                         [](const auto& info) { return test::identifier(info.param.name); });

}  // namespace
}  // namespace sparsecast
