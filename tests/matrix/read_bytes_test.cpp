// What a file is follows from its bytes: archives, text of other systems, and what is no matrix at all.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>
#include <string>
#include <utility>
#include <vector>

#include "matrix/io/packed/tar_archive.hpp"
#include "support/command.hpp"
#include "support/gzip.hpp"
#include "support/matrices.hpp"
#include "support/npz.hpp"

namespace sparsecast {
namespace {

using ArchiveFiles = std::vector<std::pair<std::string, std::string>>;

const std::string market_banner = "%%MatrixMarket matrix coordinate real general\n";
const std::string small_text = market_banner + "2 3 2\n1 1 1.5\n2 3 -2\n", dense_of_small = "1.5 . .\n. . -2\n";
const std::string vector_text = "%%MatrixMarket matrix array real general\n2 1\n1\n2\n";

/// A tar archive as POSIX has it: per member a header of 512 bytes, its bytes, zeros up to the next 512.
std::string member_of_tar(const std::string& path, const std::string& bytes, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, path.size(), path);
  header.replace(100, 8, "0000644\0", 8);
  header.replace(124, 12, fmt::format("{:011o} ", bytes.size()));
  header.replace(136, 12, "00000000000 ");
  header.replace(148, 8, "        ");
  header[156] = type;
  header.replace(257, 8, "ustar\00000", 8);
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}
std::string tar_of(const ArchiveFiles& files) {
  std::string out;
  for (const auto& [path, bytes] : files) out += member_of_tar(path, bytes, path.ends_with('/') ? '5' : '0');
  return out + std::string(1024, '\0');
}

struct WholeRead {
  std::string dense, said;
};
WholeRead read_whole(const std::string& bytes, const std::string& name = "file") {
  const test::TemporaryFolder folder;
  WholeRead outcome;
  outcome.dense = test::dense(
      read_matrix(folder.write(name, bytes), {.threads = 1, .remark = [&](auto line) { outcome.said += line; }}));
  return outcome;
}

/// Why it is refused, with what to do.
std::string why_refused(const std::string& bytes, ErrorCode code = ErrorCode::bad_input) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("file", bytes);
  try {
    (void)read_matrix(file, {.threads = 1});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(error.place().file.find(file.string()), 0u) << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.reason();
  }
  ADD_FAILURE() << "was read";
  return {};
}
#define EXPECT_REFUSED(bytes, part) EXPECT_NE(why_refused(bytes).find(part), std::string::npos) << why_refused(bytes)

TEST(ReadArchives, OneMatrixIsRead) {
  const ArchiveFiles one{{"tiny/", ""}, {"tiny/README", "a letter\n"}, {"tiny/matrix.mtx", small_text}};
  for (const std::string& bytes :
       {tar_of(one), test::gzipped(tar_of(one)), test::zip(one, false), test::zip(one, true)}) {
    for (const char* name : {"file", "file.tar.gz", "file.mtx"})
      EXPECT_EQ(read_whole(bytes, name).dense, dense_of_small);
    EXPECT_EQ(read_whole(bytes).said, "");
  }
}

TEST(ReadArchives, OfSeveralTheOneThatIsCalledAsItsFolder) {
  const ArchiveFiles several{
      {"tiny/tiny_b.mtx", vector_text}, {"tiny/tiny.mtx", small_text}, {"tiny/tiny_coord.mtx", vector_text}};
  for (const std::string& bytes : {tar_of(several), test::gzipped(tar_of(several)), test::zip(several, true)}) {
    const WholeRead outcome = read_whole(bytes);
    EXPECT_EQ(outcome.dense, dense_of_small);
    EXPECT_NE(outcome.said.find("3 matrices"), std::string::npos) << outcome.said;
    EXPECT_NE(outcome.said.find("of which tiny/tiny.mtx is read"), std::string::npos) << outcome.said;
  }
}

TEST(ReadArchives, MembersMayBeCompressedByGzip) {
  std::string long_text = market_banner + "2 3 2\n";
  for (int i = 0; i < 5000; ++i) long_text.insert(market_banner.size(), fmt::format("% {}\n", i * 7919 % 5003));
  long_text += "1 1 1.5\n2 3 -2\n";  // longer, packed too, than what is looked at to tell what a member is
  const std::string wide_text = test::gzipped("\xEF\xBB\xBF" + small_text);
  for (const std::string& packed : {test::gzipped(small_text), test::gzipped(long_text), wide_text}) {
    const ArchiveFiles one{{"README.gz", test::gzipped("a letter\n")}, {"m.mtx.gz", packed}};
    const ArchiveFiles several{{"tiny/tiny_b.mtx.gz", test::gzipped(vector_text)}, {"tiny/tiny.mtx.gz", packed}};
    for (const ArchiveFiles& files : {one, several})
      for (const std::string& bytes : {tar_of(files), test::gzipped(tar_of(files)), test::zip(files, true)})
        EXPECT_EQ(read_whole(bytes).dense, dense_of_small);
  }
  EXPECT_REFUSED(tar_of({{"a.mtx.gz", test::gzipped(long_text).substr(0, 6000)}}), "cut off");
  EXPECT_REFUSED(tar_of({{"a.tar.gz", test::gzipped(tar_of({{"m.mtx", small_text}}))}}),
                 "whose only file is no text of a matrix");
  EXPECT_REFUSED(test::zip({{"a.mtx.bz2", "BZh9"}}, false), "whose only file is no text of a matrix");
}

TEST(ReadArchives, OfSeveralWithoutSuchANameNoneIsGuessed) {
  const ArchiveFiles several{{"a.mtx", small_text}, {"b.mtx", small_text}};
  EXPECT_REFUSED(tar_of(several), "is a tar archive with 2 matrices: a.mtx, b.mtx");
  EXPECT_REFUSED(test::gzipped(tar_of(several)), "is a tar archive in gzip with 2 matrices: a.mtx, b.mtx");
  EXPECT_REFUSED(test::zip(several, false), "is a zip archive with 2 matrices: a.mtx, b.mtx");
  const ArchiveFiles two_folders{{"a/a.mtx", small_text}, {"b/b.mtx", small_text}};
  EXPECT_REFUSED(tar_of(two_folders), "2 matrices");
}

// What stands beside a matrix that cannot be read is not read in its place.
TEST(ReadArchives, ARightHandSideIsNotTakenForTheMatrixThatCannotBeRead) {
  const std::string npz("PK\x03\x04 as scipy.sparse.save_npz writes it");
  for (const auto& [path, bytes] : ArchiveFiles{{"A.mtx.bz2", "BZh9"},
                                                {"A/A.mtx.xz", "\xFD\x37zXZ"},
                                                {"A.npz", npz},
                                                {"A.mat", "MATLAB 5.0 MAT-file"},
                                                {"A/A.mtx", "%%MatrixMark"},
                                                {"A/A.MTX", ""}}) {
    const std::string folder = path.substr(0, path.find('A', 1) == std::string::npos ? 0 : 2);
    const ArchiveFiles files{{path, bytes}, {folder + "A_b.mtx", vector_text}};
    const std::string told =
        fmt::format("with 1 matrix that can be read here ({}A_b.mtx) and 1 that cannot ({})", folder, path);
    EXPECT_REFUSED(tar_of(files), told);
    EXPECT_REFUSED(test::gzipped(tar_of(files)), told);
    EXPECT_REFUSED(test::zip(files, true), told);
  }
  // The matrix itself can be read, or the name is of its other form or of what macOS keeps beside a file.
  for (const ArchiveFiles& files : {ArchiveFiles{{"A/A_b.mtx.xz", "\xFD\x37zXZ"}, {"A/A.mtx", small_text}},
                                    ArchiveFiles{{"A.mat", "MATLAB 5.0 MAT-file"}, {"A.mtx", small_text}},
                                    ArchiveFiles{{"__MACOSX/._A.mtx", "resources"}, {"A.mtx", small_text}}})
    for (const std::string& bytes : {tar_of(files), test::zip(files, true)})
      EXPECT_EQ(read_whole(bytes).dense, dense_of_small);
}

TEST(ReadArchives, WithoutMembersAreNoNpz) { EXPECT_REFUSED(test::zip({}, false), "is a zip archive without a file"); }

TEST(ReadArchives, WithoutAMatrixAreCalledByTheirKind) {
  const ArchiveFiles letters{{"a.txt", "a letter\n"}, {"b.txt", "another\n"}};
  EXPECT_REFUSED(tar_of(letters), "is a tar archive with 2 files, none of which is the text of a matrix");
  EXPECT_REFUSED(test::gzipped(tar_of(letters)), "is a tar archive in gzip with 2 files");
  EXPECT_REFUSED(test::zip(letters, true), "is a zip archive with 2 files");
  EXPECT_REFUSED(test::gzipped("a letter\n"), "is compressed by gzip, and what it holds is neither");
}

TEST(ReadArchives, FaultsNameTheMemberAndItsLine) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("one.tar", tar_of({{"m/m.mtx", market_banner + "2 2 1\n1 1 x\n"}}));
  try {
    (void)read_matrix(file);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.place().file, file.string() + "(m/m.mtx)");
    EXPECT_EQ(error.place().line, 3);
  }
}

TEST(ReadArchives, LongNamesOfGnuAndPax) {
  const std::string folder(120, 'f'), path = folder + "/" + folder + ".mtx";
  const std::string record = fmt::format("{} path={}\n", path.size() + 10, path);
  ASSERT_EQ(record.size(), path.size() + 10);
  const std::string end(1024, '\0'), other = member_of_tar("other.mtx", vector_text);
  EXPECT_EQ(
      read_whole(member_of_tar("././@LongLink", path + '\0', 'L') + member_of_tar("cut", small_text) + other + end)
          .dense,
      dense_of_small);
  EXPECT_EQ(read_whole(member_of_tar("PaxHeader", record, 'x') + member_of_tar("cut", small_text) + other + end).dense,
            dense_of_small);
}

TEST(ReadArchives, DamagedOnesAreRefused) {
  const std::string good = tar_of({{"tiny.mtx", small_text}, {"more.txt", "a letter\n"}});
  EXPECT_REFUSED(good.substr(0, 600), "cut off");
  std::string spoilt = good;
  spoilt[1024 + 5] ^= 1;
  EXPECT_REFUSED(spoilt, "damaged: no member begins at byte 1024");
  std::string packed = test::gzipped(good);
  EXPECT_REFUSED(packed.substr(0, packed.size() / 2), "cut off");
  // A size that no file has.
  std::string large = member_of_tar("tiny.mtx", small_text);
  large.replace(124, 12, std::string("\x80\0\0\0\0\0\x7f\0\0\0\0\0", 12));
  unsigned sum = 8 * ' ';
  for (std::size_t k = 0; k < 512; ++k) sum += k < 148 || k >= 156 ? static_cast<unsigned char>(large[k]) : 0;
  large.replace(148, 6, fmt::format("{:06o}", sum));
  ASSERT_TRUE(matrix::is_tar(large));
  const test::TemporaryFolder folder;
  for (const std::string& bytes : {large, test::gzipped(large)})
    EXPECT_THROW((void)read_matrix(folder.write("large.tar", bytes)), Error);
}

std::string wide_text(const std::string& text, bool big, bool marked) {
  std::string out = !marked ? "" : big ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : text) out += big ? std::string{'\0', c} : std::string{c, '\0'};
  return out;
}

TEST(ReadText, MarksWideCharactersAndCarriageReturns) {
  std::string returns, both;
  for (const char c : small_text)
    returns += c == '\n' ? '\r' : c, both += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::vector<std::pair<std::string, std::string>> forms{
      {"mark", "\xEF\xBB\xBF" + small_text},
      {"returns", returns},
      {"UTF-16", wide_text(both, false, true)},
      {"UTF-16, high byte first", wide_text(small_text, true, true)},
      {"no mark", wide_text(small_text, false, false)},
      {"no mark, high byte first", wide_text(returns, true, false)},
      {"mark and returns", "\xEF\xBB\xBF" + returns}};
  for (const auto& [name, text] : forms) {
    EXPECT_EQ(read_whole(text).dense, dense_of_small) << name;
    EXPECT_EQ(read_whole(test::gzipped(text)).dense, dense_of_small) << name;
    EXPECT_EQ(read_whole(tar_of({{"a.mtx", text}})).dense, dense_of_small) << name;
  }
  std::string boeing = std::string(72, 't') + "key\r3 1 1 1\rrua 1 1 1 0\r(2I2) (1I2) (1F4.1)\r 1 2\r 1\r 1.5\r";
  EXPECT_EQ(read_whole(boeing).dense, "1.5\n");
}

TEST(ReadText, ConvertedTextKnowsItsLines) {
  const test::TemporaryFolder folder;
  for (const std::string& text :
       {"\xEF\xBB\xBF" + market_banner + "2 2 1\n1 1 x\n", wide_text(market_banner + "2 2 1\n1 1 x\n", false, true)}) {
    try {
      (void)read_matrix(folder.write("a.mtx", text));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.place().line, 3) << error.what();
      EXPECT_EQ(error.place().column, 5) << error.what();
    }
  }
}

TEST(ReadForeignFiles, AreCalledByTheirNames) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"MATLAB 5.0 MAT-file, Platform: GLNXA64" + std::string(100, ' '), "is a MATLAB file (.mat, version 5 to 7)"},
      {"MATLAB 7.3 MAT-file, Platform: GLNXA64" + std::string(500, ' '), "version 7.3"},
      {"\0\0\0\0\2\0\0\0\2\0\0\0\0\0\0\0\2\0\0\0A\0"s + std::string(32, '\1'), "version 4"},
      {"\x89HDF\r\n\x1A\n" + std::string(100, '\0'), "is an HDF5 file"},
      {test::npy("<f8", "(1,)", std::string(8, '\0')), "is a NumPy array (.npy)"},
      {"\x80\x04\x95\x10\0\0\0\0\0\0\0}."s, "is a Python pickle"},
      {"\x80\x02}q\0."s, "is a Python pickle"},
      {"\0\x12\x7B\x50\0\0\0\1"s, "PETSc"},
      {"{\n  \"schema\": \"sparsecast/info/1\"\n}\n", "is a JSON document"},
      {"  <!DOCTYPE HTML>\n<html>\n", "is a web page"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS"},
      {"\xFF\xFE\0\0%\0\0\0"s, "UTF-32"},
      {"7z\xBC\xAF\x27\x1C\0\4"s, "7z archive"}};
  for (const auto& [bytes, name] : kinds) {
    EXPECT_REFUSED(bytes, name);
    EXPECT_REFUSED(test::gzipped(bytes), "compressed by gzip, and what it holds is");
    EXPECT_REFUSED(test::gzipped(bytes), name.substr(name.find(' ') + 1));
  }
  EXPECT_REFUSED("a letter\n", "is neither Matrix Market, Rutherford-Boeing nor npz");
}

}  // namespace
}  // namespace sparsecast
