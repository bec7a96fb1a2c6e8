#include "calibration/feature_table.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

#include "support/command.hpp"
#include "support/gzip.hpp"

namespace sparsecast {
namespace {

const std::string head = "matrix\ttwin_of\trows\tcols\tnonzeros\trow_std\tkernel\tseconds\tcolour\n";

class FeatureTable : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) { return folder_.write("features.tsv", text); }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(FeatureTable, ReadsWhatItKnowsAndIgnoresTheRest) {
  const auto records = calibration::read_feature_table(
      write(head + "a\treal\t10\t20\t40\t1.5\tcsr\t1e-5\tred\r\n\nb\t\t10\t20\t40\t\tcoo\t2e-5\t\n"), true);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].structure.name, "a");
  EXPECT_EQ(records[0].twin_of, "real");
  EXPECT_EQ(records[0].structure.row_mean, 4);
  EXPECT_EQ(records[0].structure.row_std, 1.5);
  EXPECT_EQ(records[0].seconds, 1e-5);
  EXPECT_EQ(records[1].twin_of, "");
  EXPECT_EQ(records[1].structure.row_std, 0);
}

TEST_F(FeatureTable, ColumnsOfATimeAreNotNeededForFeatures) {
  EXPECT_EQ(calibration::read_feature_table(write("nonzeros\tmatrix\trows\n12\ta\t4\n"), false)[0].structure.cols, 4);
}

TEST_F(FeatureTable, ReadsCommasAndMarksAroundThem) {
  const auto records = calibration::read_feature_table(
      write("matrix,rows,nonzeros,kernel,seconds\n\"a, the first\",4,12,csr,1e-5\nb,5,\"13\",coo,2e-5\n"), true);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].structure.name, "a, the first");
  EXPECT_EQ(records[0].seconds, 1e-5);
  EXPECT_EQ(records[1].structure.nonzeros, 13);
  EXPECT_THROW((void)calibration::read_feature_table(write("matrix,rows,nonzeros\n\"a,4,12\n"), false), Error);
  EXPECT_THROW((void)calibration::read_feature_table(write("matrix,rows,nonzeros\n\"a \"\"b\"\"\",4,12\n"), false),
               Error);
  const std::string with_mark = "matrix\trows\tnonzeros\n\"a\t4\t12\n";
  EXPECT_EQ(calibration::read_feature_table(write(with_mark), false)[0].structure.name, "\"a") << "tabs need no marks";
}

// What is learned of a mixture is of no machine.
TEST_F(FeatureTable, TimesAreOfOneNumberOfThreadsAndOnePrecision) {
  const auto read = [&](const std::string& column, const std::string& first, const std::string& second) {
    const std::string row = "a,4,12,csr,1e-5,";
    return calibration::read_feature_table(
        write("matrix,rows,nonzeros,kernel,seconds," + column + "\n" + row + first + "\n" + row + second + "\n"), true);
  };
  EXPECT_EQ(read("threads", "8", "8").at(1).threads, 8);
  EXPECT_EQ(read("precision", "single", "single").at(1).precision, "single");
  EXPECT_EQ(read("vectors", "1", "1").size(), 2U);
  EXPECT_THROW((void)read("threads", "1", "8"), Error);
  EXPECT_THROW((void)read("precision", "single", "double"), Error);
  EXPECT_THROW((void)read("precision", "fp64", "fp64"), Error);
  EXPECT_THROW((void)read("vectors", "8", "8"), Error);
}

TEST_F(FeatureTable, TimesMayNameTheirMatrixAlone) {
  const auto records = calibration::read_feature_table(write("matrix,kernel,seconds\nss:HB/bcsstk01,csr,1e-5\n"), true);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_TRUE(records[0].by_name);
  EXPECT_EQ(records[0].line, 2);
  EXPECT_THROW((void)calibration::read_feature_table(write("matrix,rows,kernel,seconds\na,3,csr,1\n"), true), Error)
      << "rows without non-zeros";
}

TEST_F(FeatureTable, ReadsGzip) {
  const std::string compressed = test::gzipped(head + "a\t\t10\t20\t40\t\tcsr\t1e-5\t\n");
  EXPECT_EQ(calibration::read_feature_table(write(compressed), true).size(), 1U);
  try {
    (void)calibration::read_feature_table(write(compressed.substr(0, compressed.size() - 12)), true);
    FAIL() << "a table cut short was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
  }
}

TEST_F(FeatureTable, TheMedianOfRepeatsIsOneRecord) {
  const Profile profile = calibration::profile_from_records(
      calibration::read_feature_table(
          write(head +
                "a\t\t10\t10\t40\t1\tcsr\t1e-5\t\na\t\t10\t10\t40\t1\tcsr\t9e-5\t\na\t\t10\t10\t40\t1\tcsr\t2e-5\t\n"
                "a\t\t10\t10\t40\t1\tcoo\t5e-5\t\na\t\t11\t11\t44\t1\tcsr\t7e-5\t\n"),
          true),
      "device", {}, Precision::double_);
  ASSERT_EQ(profile.matrices.size(), 2U) << "another size is another matrix, whatever its name";
  ASSERT_EQ(profile.records.size(), 3U);
  EXPECT_EQ(profile.records[0].seconds, 2e-5);
  EXPECT_EQ(profile.properties.name, "device");
}

TEST_F(FeatureTable, AByteOrderMarkIsNoLetterOfTheFirstColumn) {
  EXPECT_EQ(calibration::read_feature_table(write("\xef\xbb\xbfmatrix,rows,nonzeros\na,4,12\n"), false).size(), 1U);
}

TEST_F(FeatureTable, TheRangeOfTimesIsThatOfTheirUnit) {
  const auto table = write("matrix,rows,nonzeros,kernel,seconds\na,4,12,csr,3e9\n");
  EXPECT_THROW((void)calibration::read_feature_table(table, true), Error);
  EXPECT_DOUBLE_EQ(calibration::read_feature_table(table, true, 1e-9)[0].seconds, 3);
}

// A table of nanoseconds that is read as one of seconds, or the other way round; a slow and a fast machine's are times.
TEST_F(FeatureTable, TimesThatNoProductTakesAreKnown) {
  const auto is_none = [](double seconds, std::int64_t nonzeros) {
    calibration::FeatureRecord record;
    record.structure.rows = nonzeros / 5;
    record.structure.nonzeros = nonzeros;
    record.seconds = seconds;
    return calibration::is_no_time_of(record);
  };
  EXPECT_TRUE(is_none(19'000, 49'600));
  EXPECT_TRUE(is_none(1.9e-14, 49'600));
  EXPECT_TRUE(is_none(1.1e-7, 143'000'000)) << "of one of Ginkgo's tables";
  EXPECT_FALSE(is_none(1.9e-5, 49'600));
  EXPECT_FALSE(is_none(0.5, 10)) << "a busy machine";
  EXPECT_FALSE(is_none(40, 1'000'000'000));
  EXPECT_FALSE(is_none(1e-8, 1));
  EXPECT_FALSE(is_none(3e-5, 1'000'000'000)) << "4e14 bytes a second: of a whole machine";
}

struct BadTable {
  const char* text;
  std::int64_t line, column;
  const char* reason;
};

class BadFeatureTable : public FeatureTable, public testing::WithParamInterface<BadTable> {};

TEST_P(BadFeatureTable, IsRefusedWithItsPlace) {
  const BadTable& bad = GetParam();
  try {
    (void)calibration::read_feature_table(write(bad.text), true);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.place().line, bad.line) << error.what();
    EXPECT_EQ(error.place().column, bad.column) << error.what();
    EXPECT_NE(error.reason().find(bad.reason), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadFeatureTable,
    testing::Values(
        BadTable{"", 1, 0, "empty"}, BadTable{"matrix\trows\tnonzeros\tkernel\n", 1, 0, "no column 'seconds'"},
        BadTable{"matrix\trows\trows\n", 1, 3, "twice"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\n", 2, 0, "no rows"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t4\t8\tcsr\n", 2, 0, "4 fields"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t4\t8\tcsr\t1e-5\na\tx\t8\tcsr\t1\n", 3, 2,
                 "not a number"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t4\t8.5\tcsr\t1\n", 2, 3, "whole number"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t4\t99\tcsr\t1\n", 2, 3, "more than rows"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t-4\t8\tcsr\t1\n", 2, 2, "out of its range"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t4\t8\tcsr\tnan\n", 2, 5, "not a number"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t4\t8\tcsr\t0\n", 2, 5, "not positive"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t4\t8\tcsr\t\n", 2, 5, "missing"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\na\t4\t8\t\t1\n", 2, 4, "missing"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\n\t4\t8\tcsr\t1\n", 2, 1, "missing"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\trow_max\na\t4\t8\tcsr\t1\t1\n", 2, 6, "with 2 in a row"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\trow_max\na\t4\t8\tcsr\t1\t5\n", 2, 6, "and 4 columns"},
        BadTable{"matrix\trows\tnonzeros\tkernel\tseconds\tneighbours\na\t4\t8\tcsr\t1\t3\n", 2, 6,
                 "out of its range"}));

TEST_F(FeatureTable, AByteOfZeroNeitherEndsALineNorHidesItsEnd) {
  for (const std::string& text : {std::string(1, '\0') + "\n", head + "a\treal" + std::string(1, '\0') + "\n"}) try {
      (void)calibration::read_feature_table(write(text), true);
      ADD_FAILURE() << "was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(error.reason().find("zero byte"), std::string::npos) << error.what();
    }
}

// The reader takes the file in pieces: a line's end, its "\\r" and what is refused may lie anywhere in them.
TEST_F(FeatureTable, LinesAreWholeWhereverAPieceOfTheFileEnds) {
  for (const std::size_t length : {65'480U, 65'499U, 65'500U}) {
    const std::string first(length, 'm');
    const auto records = calibration::read_feature_table(
        write("matrix\trows\tnonzeros\tkernel\tseconds\r\n" + first + "\t4\t8\tcsr\t1\r\nb\t4\t8\tcsr\t2"), true);
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].structure.name, first);
    EXPECT_EQ(records[1].structure.name, "b");
    EXPECT_EQ(records[1].seconds, 2);
  }
}

TEST_F(FeatureTable, ALineBeyondItsBoundIsRefused) {
  try {
    (void)calibration::read_feature_table(write(std::string(65'536, 'm') + "\n"), true);
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.place().line, 1);
    EXPECT_NE(error.reason().find("too long"), std::string::npos) << error.what();
  }
}

TEST_F(FeatureTable, EmptyLinesHaveABound) {
  const std::string row = "a\t4\t8\tcsr\t1\n", first = "matrix\trows\tnonzeros\tkernel\tseconds\n";
  EXPECT_EQ(calibration::read_feature_table(write(first + std::string(1'000'000, '\n') + row), true).size(), 1U);
  try {
    (void)calibration::read_feature_table(write(first + std::string(1'000'001, '\n') + row), true);
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.place().line, 1'000'002);
    EXPECT_NE(error.reason().find("empty lines"), std::string::npos) << error.what();
  }
}

TEST_F(FeatureTable, AMissingFileIsBadInput) {
  EXPECT_THROW((void)calibration::read_feature_table("/nowhere/at/all.tsv", true), Error);
}

TEST(LibrariesOfATable, AreToldByItsRepetitionsAndKernels) {
  const auto age = [](double repetitions, std::vector<std::string> kernels) {
    std::vector<calibration::FeatureRecord> records;
    for (const std::string& kernel : kernels) {
      records.emplace_back().kernel = kernel;
      records.back().repetitions = repetitions;
    }
    return calibration::libraries_of(records);
  };
  EXPECT_EQ(age(1, {"ginkgo-csr", "ginkgo-csr-merge", "cusparse-coo"}), "2018");
  EXPECT_EQ(age(1, {"ginkgo-csr", "ginkgo-coo"}), "early") << "before Ginkgo's strategies";
  EXPECT_EQ(age(10, {"ginkgo-csr", "ginkgo-csr-merge"}), "") << "newer ones wait for many products together";
  EXPECT_EQ(age(0, {"ginkgo-csr"}), "") << "nothing tells";
  EXPECT_EQ(age(1, {"cusparse-csr"}), "") << "another program's table";
}
}  // namespace
}  // namespace sparsecast
