// The command's words for what the library names: they are commands and options that there are.

#include "fields/wording.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "app/commands.hpp"
#include "fields/precision.hpp"
#include "fields/question_commands.hpp"
#include "support/command.hpp"

namespace sparsecast::app {
namespace {
using wording::ask;
using wording::option;

std::string said(const wording::Text& text) {
  teach_command_line();
  return text.in(Voice::command_line);
}

TEST(CommandWords, OptionsAreCalledAsTheyAreRegistered) {
  EXPECT_EQ(said(option("only_instructions", true)), "--instructions");
  EXPECT_EQ(said(option("measure.every", true)), "--all");
  EXPECT_EQ(said(option("kernel.anchors")), "--anchor");
  EXPECT_EQ(said(option("evaluate.anchors")), "--anchors");
  EXPECT_EQ(said(option("schemes")), "--way");
  EXPECT_EQ(said(option("cluster_predict.profile")), "--cluster");
  EXPECT_EQ(said(option("time_limit_s", wording::placeholder("SECONDS"))), "--time-limit SECONDS");
  EXPECT_EQ(said(option("max_blocks")), "--max-blocks");
  EXPECT_EQ(said(option("choose_threads", true)), "--threads auto");
}

TEST(CommandWords, QuestionsAreCommands) {
  EXPECT_EQ(said(ask("calibrate", {{"device", "host"}, {"quick", false}, {"precision", Precision::complex_single_}})),
            "`sparsecast calibrate --device host --precision single --complex`");
  EXPECT_EQ(said(ask("info", {{"matrix", wording::placeholder("MATRIX")}, {"json", true}})),
            "`sparsecast info MATRIX --json`");
  EXPECT_EQ(said(ask("cluster_calibrate", {{"resume", true}, {"output", "a b.json"}})),
            "`sparsecast cluster calibrate --resume -o 'a b.json'`");
  EXPECT_EQ(said(wording::call("plan", {{"matrix", wording::placeholder("MATRIX")}, {"trials", "auto"}})),
            "sparsecast plan MATRIX --trials auto");
}

TEST(CommandWords, EveryCommandOfTheTableIsThere) {
  int commands = 0;
  for (const wording::Idiom& one : question_commands()) {
    if (!one.field.empty()) continue;
    std::vector<std::string> words{"help"};
    std::istringstream list(one.words);
    std::string flag;
    for (std::string word; list >> word;) (word.starts_with("--") ? flag = word : words.emplace_back(word));
    const test::CommandResult help = test::sparsecast(words);
    EXPECT_EQ(help.exit_code, 0) << one.words << ": " << help.err;
    EXPECT_NE(help.out.find(flag), std::string::npos) << one.words;
    ++commands;
  }
  EXPECT_GT(commands, 15);
}

TEST(CommandWords, AWrongCallIsToldInThem) {
  const test::CommandResult refused =
      test::sparsecast({"evaluate", "a.mtx", "--leave-out", "matrix"}, {"SPARSECAST_HOME=/nowhere"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--profile, --anchors and --leave-out are for --records"), std::string::npos)
      << refused.err;
}
}  // namespace
}  // namespace sparsecast::app
