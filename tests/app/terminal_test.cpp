// What a user of the command sees whatever it does: widths, letters, colour, help, completions, misspelt words.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

int widest(const std::string& text) {
  std::istringstream lines(text);
  int most = 0;
  for (std::string line; std::getline(lines, line);)
    most = std::max(most, static_cast<int>(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; })));
  return most;
}

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

TEST(Terminal, MisspeltWordsAreToldWhatWasMeant) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls{
      {{"predcit", "a.mtx"}, "did you mean predict?"},
      {{"cluster", "predct"}, "did you mean predict?"},
      {{"help", "mesure"}, "did you mean measure?"},
      {{"info", "a.mtx", "--quite"}, "did you mean --quiet?"},
      {{"devices", "--check", "--device", "host", "--kernels", "csr-marge", "--quiet"}, "did you mean csr-merge?"},
      {{"devices", "--check", "--device", "hots"}, "did you mean host?"},
      {{"profiles", "show", "hots"}, "did you mean host?"},
  };
  for (const auto& [words, meant] : calls) {
    const CommandResult result = sparsecast(words);
    EXPECT_EQ(result.exit_code, 2) << words[0];
    EXPECT_NE(result.err.find(meant), std::string::npos) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
  EXPECT_NE(sparsecast({}).err.find("`sparsecast doctor` says what to do first"), std::string::npos);
}

TEST(Terminal, HelpIsTheSameWhicheverWayItIsAskedFor) {
  const CommandResult help = sparsecast({"help", "cluster", "predict"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  EXPECT_EQ(help.out, sparsecast({"cluster", "predict", "--help"}).out);
  EXPECT_NE(help.out.find("--processes"), std::string::npos);
  EXPECT_NE(help.out.find("options of every command"), std::string::npos);
  const std::string all = sparsecast({"help"}).out;
  EXPECT_EQ(all, sparsecast({"--help"}).out);
  EXPECT_NE(all.find("exit status"), std::string::npos);
  EXPECT_EQ(all.find("manual"), std::string::npos) << "hidden";
}

TEST(Terminal, HelpOfEveryCommandFitsThePage) {
  const std::string root = sparsecast({"help"}).out;
  std::istringstream lines(root.substr(root.find("\ncommands:\n") + 11));
  int commands = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
    if (line[2] == ' ') continue;  // a summary goes on
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    for (const std::string columns : {"60", "80", "120"}) {
      const CommandResult help = sparsecast({"help", name}, {"COLUMNS=" + columns});
      EXPECT_EQ(help.exit_code, 0) << name;
      EXPECT_LE(widest(help.out), std::stoi(columns)) << help.out;
    }
    EXPECT_EQ(sparsecast({name, "--help"}).out, sparsecast({"help", name}).out) << "made without the others";
    ++commands;
  }
  EXPECT_GE(commands, 17);
}

TEST(Terminal, TablesFitThePageAndTheLocale) {
  const TemporaryFolder folder;
  const std::string matrix = (folder.path() / "p.mtx").string();
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "30", "-o", matrix}).exit_code, 0);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"devices"},
                                                {"devices", "--catalogue"},
                                                {"devices", "--describe", "nvidia-h100"},
                                                {"info", matrix}}) {
    const CommandResult plain = sparsecast(words, {"COLUMNS=80", "LC_ALL=C"});
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_TRUE(is_ascii(plain.out)) << words[0];
    EXPECT_LE(widest(plain.out), 80) << plain.out;
    EXPECT_EQ(plain.out.find('\x1b'), std::string::npos) << "no colour in a file";
    EXPECT_GT(sparsecast(words).out.size(), 100U);
  }
  EXPECT_NE(sparsecast({"info", matrix}).out.find("900 × 900"), std::string::npos);
  EXPECT_NE(sparsecast({"info", matrix}, {"LC_ALL=C"}).out.find("900 x 900"), std::string::npos);
  // What programs read is as it is.
  EXPECT_NE(sparsecast({"info", "björck.mtx", "--json"}, {"LC_ALL=C"}).err.find("bjorck.mtx"), std::string::npos);
}

TEST(Terminal, OneBadMatrixCostsTheOthersNothing) {
  const TemporaryFolder folder;
  const std::string matrix = (folder.path() / "good.mtx").string(), bad = folder.write("bad.mtx", "no matrix").string();
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "20", "-o", matrix}).exit_code, 0);
  const std::vector<std::string> words{"compare", matrix, bad, "/no/such.mtx", "--devices", "nvidia-h100"};
  const CommandResult result = sparsecast(words);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.out.find("good: 400"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("bad.mtx"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("/no/such.mtx"), std::string::npos) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 2) << result.err;
  const CommandResult predicted = sparsecast({"predict", matrix, bad, "--device", "nvidia-h100", "--json"});
  EXPECT_EQ(predicted.exit_code, 3);
  EXPECT_TRUE(fits_its_schema(predicted.out));
  EXPECT_EQ(nlohmann::json::parse(predicted.out)["predictions"].size(), 1U);
}

// What bash offers behind these words.
std::string offered(const TemporaryFolder& folder, const std::string& script, const std::vector<std::string>& words) {
  std::string text = "source '" + script + "'\nCOMP_WORDS=(";
  for (const std::string& word : words) text += "'" + word + "' ";
  text += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) + "\n_sparsecast\necho \"${COMPREPLY[@]}\"\n";
  const CommandResult result = run_program("bash", {folder.write("complete.sh", text).string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return " " + result.out.substr(0, result.out.size() - 1) + " ";
}

TEST(Completion, BashCompletesCommandsOptionsAndNames) {
  const TemporaryFolder folder;
  const std::string script = folder.write("sparsecast.bash", sparsecast({"completion", "bash"}).out).string();
  const auto complete = [&](const std::vector<std::string>& words) { return offered(folder, script, words); };
  EXPECT_EQ(complete({"sparsecast", "pre"}), " predict ");
  EXPECT_EQ(complete({"sparsecast", "cluster", "pre"}), " predict ");
  EXPECT_EQ(complete({"sparsecast", "predict", "--iter"}), " --iterations ");
  EXPECT_EQ(complete({"sparsecast", "predict", "--device", "nvidia-h100"}), " nvidia-h100 ");
  EXPECT_EQ(complete({"sparsecast", "measure", "a.mtx", "--kernels", "csr-me"}), " csr-merge ");
  EXPECT_EQ(complete({"sparsecast", "predict", "--precision", "s"}), " single ");
  EXPECT_NE(complete({"sparsecast", "info", folder.path().string() + "/"}).find("sparsecast.bash"), std::string::npos);
}

TEST(Completion, HasAScriptForEachShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const CommandResult result = sparsecast({"completion", shell});
    EXPECT_EQ(result.exit_code, 0);
    for (const char* word : {"plan", "iterations", "nvidia-h100", "csr-merge"})
      EXPECT_NE(result.out.find(word), std::string::npos) << shell;
  }
  EXPECT_EQ(sparsecast({"completion", "tcsh"}).exit_code, 2);
}

TEST(Manual, HasAPageForEveryCommand) {
  const TemporaryFolder folder;
  ASSERT_EQ(sparsecast({"manual", folder.path().string()}).exit_code, 0);
  for (const char* name : {"sparsecast", "sparsecast-predict", "sparsecast-cluster-measure", "sparsecast-get"}) {
    const std::string page = read_text(folder.path() / (std::string(name) + ".1"));
    EXPECT_TRUE(page.starts_with(".TH SPARSECAST")) << name;
    EXPECT_NE(page.find("\n.SH NAME\n"), std::string::npos);
  }
  const std::string page = read_text(folder.path() / "sparsecast-predict.1");
  EXPECT_NE(page.find("\\-\\-iterations"), std::string::npos) << page;
}

}  // namespace
}  // namespace sparsecast::test
