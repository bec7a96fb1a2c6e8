#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

nlohmann::json info(const std::filesystem::path& file) {
  const CommandResult result = sparsecast({"info", file, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out, nullptr, false);
}

TEST(GenerateCommand, Poisson2dOf100) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "p.mtx";
  const CommandResult result = sparsecast({"generate", "poisson2d", "--size", "100", "-o", file, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fits_its_schema(result.out));
  EXPECT_EQ(read_text(file).substr(0, 47), "%%MatrixMarket matrix coordinate real symmetric");
  const auto json = info(file);
  EXPECT_EQ(json["matrix"]["rows"], 10000);
  EXPECT_EQ(json["matrix"]["nonzeros"], 49600);
}

TEST(GenerateCommand, LongrowAsInTheHelp) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "l.mtx.gz";
  ASSERT_EQ(sparsecast({"generate", "longrow", "--rows", "10005", "--cols", "10005", "--row-mean", "3", "--seed", "1",
                        "-o", file})
                .exit_code,
            0);
  EXPECT_NEAR(info(file)["structure"]["row_mean"].get<double>(), 3, 0.1);
}

TEST(GenerateCommand, StructuredTakesEveryFeature) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "s.mtx";
  ASSERT_EQ(sparsecast({"generate",     "structured", "--rows", "20000", "--cols",      "10000", "--row-mean",   "12",
                        "--row-std",    "5",          "--skew", "20",    "--bandwidth", "0.2",   "--neighbours", "1",
                        "--similarity", "0.6",        "-o",     file})
                .exit_code,
            0);
  const auto structure = info(file)["structure"];
  EXPECT_NEAR(structure["row_skew"].get<double>(), 20, 1);
  EXPECT_NEAR(structure["cross_row_similarity"].get<double>(), 0.6, 0.04);
}

TEST(GenerateCommand, SameSeedSameFile) {
  const TemporaryFolder folder;
  const auto a = folder.path() / "a.mtx", b = folder.path() / "b.mtx";
  for (const auto& [file, threads] : {std::pair{a, "1"}, std::pair{b, "3"}})
    ASSERT_EQ(sparsecast({"generate", "rmat", "--scale", "9", "--edges", "4000", "--seed", "5", "-o", file, "--threads",
                          threads})
                  .exit_code,
              0);
  EXPECT_EQ(read_text(a), read_text(b));
}

TEST(GenerateCommand, DigitsAreDecimal) {
  const TemporaryFolder folder;
  const auto made = [&](const std::string& seed) {
    const auto file = folder.path() / "d.mtx";
    std::filesystem::remove(file);
    const CommandResult result =
        sparsecast({"generate", "random", "--rows", "50", "--row-mean", "3", "--seed", seed, "-o", file});
    EXPECT_EQ(result.exit_code == 0, std::filesystem::exists(file)) << result.err;
    return result.exit_code == 0 ? read_text(file) : std::string();
  };
  EXPECT_EQ(made("010"), made("10"));
  EXPECT_NE(made("010"), made("8"));
  EXPECT_NE(made("18446744073709551615"), "");
  for (const char* const wrong : {"-5", "-1", "18446744073709551616", "1.5", "1e3", ""}) EXPECT_EQ(made(wrong), "");
}

TEST(GenerateCommand, DistinctValuesOfASymmetricKindAreWrittenWhole) {
  const TemporaryFolder folder;
  for (const char* const ending : {".mtx", ".npz", ".NPZ", ".mtx.GZ"}) {
    const auto file = folder.path() / (std::string("d") + ending);
    const CommandResult made =
        sparsecast({"generate", "poisson2d", "--size", "6", "--distinct", "3", "-o", file, "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_FALSE(nlohmann::json::parse(made.out)["symmetric"].get<bool>());
    EXPECT_EQ(info(file)["structure"]["compact"]["distinct_values"], 3) << ending;
    EXPECT_EQ(info(file)["matrix"]["nonzeros"], 156) << "5·36 - 4·6";
  }
  EXPECT_EQ(read_text(folder.path() / "d.NPZ").substr(0, 2), "PK");
  EXPECT_EQ(read_text(folder.path() / "d.mtx.GZ").substr(0, 2), "\x1f\x8b");
}

TEST(GenerateCommand, AMeanThatTheRowsCannotReachIsTold) {
  const TemporaryFolder folder;
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "generate");
    words.insert(words.end(), {"-o", folder.path() / "m.mtx"});
    const CommandResult made = sparsecast(words);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return made.err;
  };
  const std::string told = "non-zeros a row came out, not the ";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"normal", "--rows", "1000", "--row-mean", "3", "--row-std", "30"},
        {"uniform", "--rows", "1000", "--row-mean", "0.5"},
        {"longrow", "--rows", "100", "--row-mean", "5", "--long-rows", "200"},
        {"geometric", "--rows", "1000", "--row-mean", "500"}})
    EXPECT_NE(said(words).find(told), std::string::npos) << words[0];
  EXPECT_NE(said({"uniform", "--rows", "1000", "--row-mean", "0.5"}).find("not the 0.5 of --row-mean"),
            std::string::npos);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"normal", "--rows", "1000", "--row-mean", "3"},
                                                {"random", "--rows", "50", "--row-mean", "3"},
                                                {"powerlaw", "--rows", "10000", "--row-mean", "10"},
                                                {"structured", "--rows", "1000", "--row-mean", "10"},
                                                {"geometric", "--rows", "10000", "--row-mean", "8"},
                                                {"poisson2d", "--size", "9"}})
    EXPECT_EQ(said(words).find(told), std::string::npos) << words[0];
}

TEST(GenerateCommand, WholeNumbersAreNotCut) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"rmat", "--scale", "5.5", "--edges", "100"},
                                                {"rmat", "--scale", "5", "--edges", "100", "--symmetric", "0.5"},
                                                {"geometric", "--rows", "100", "--dimensions", "2.5"}}) {
    std::vector<std::string> all{"generate"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"-o", folder.path() / "x.mtx"});
    const CommandResult result = sparsecast(all);
    EXPECT_EQ(result.exit_code, 2) << words[0];
    EXPECT_NE(result.err.find("must be a whole number"), std::string::npos) << result.err;
  }
}

TEST(GenerateCommand, NamesOfOtherFormatsAreRefused) {
  const TemporaryFolder folder;
  for (const char* const name : {"a.mat", "a.mtx.bz2", "a.zip", "a.RB", "a.npz.gz"}) {
    const auto file = folder.path() / name;
    EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", "6", "-o", file}).exit_code, 2) << name;
    EXPECT_FALSE(std::filesystem::exists(file)) << name;
  }
  EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", "6", "-o", "-"}).exit_code, 2);
}

TEST(GenerateCommand, WrongUsageNamesTheKinds) {
  const TemporaryFolder folder;
  const auto file = (folder.path() / "x.mtx").string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"generate"}, {"generate", "hexagonal", "-o", file}}) {
    const CommandResult result = sparsecast(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("poisson2d"), std::string::npos);
  }
  EXPECT_EQ(sparsecast({"generate", "poisson2d", "-o", file}).exit_code, 2);      // no size
  EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", "10"}).exit_code, 2);  // no file
  EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", "10", "--rows", "5", "-o", file}).exit_code, 2);
  EXPECT_EQ(sparsecast({"generate", "poisson3d", "--size", "1000000", "-o", file}).exit_code, 2);  // too large
  EXPECT_EQ(sparsecast({"generate", "constant", "--rows", "-4", "--row-mean", "2", "-o", file}).exit_code, 2);
  EXPECT_EQ(sparsecast({"generate", "random", "--rows", "nan", "--row-mean", "2", "-o", file}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", "10", "-o", folder.path() / "absent/x.mtx"}).exit_code, 1);
}

}  // namespace
}  // namespace sparsecast::test
