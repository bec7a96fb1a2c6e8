// The MATLAB front end: what it understands survives printing, and what it refuses has a place.

#include "memory_traffic/language/parser.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

#include "octave.hpp"
#include "support/matlab_printer.hpp"

namespace sparsecast::memory_traffic {
namespace {

using test::TemporaryFolder;

std::string printed(const std::string& text) { return print(parse(SourceText("test.m", text))); }

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> found;
  for (const char* folder : {"/tests/memory_traffic/programs", "/examples/traffic"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(SPARSECAST_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".m") found.push_back(entry.path());
  return found;
}

TEST(Parser, ReadsItsOwnPrintAgain) {
  for (const auto& program : programs()) {
    const std::string once = printed(test::read_text(program));
    EXPECT_EQ(printed(once), once) << program;
  }
}

TEST(Parser, PrintedProgramLeavesTheSameVariables) {
  NEEDS_OCTAVE();
  const TemporaryFolder folder;
  for (const char* name : {"language.m", "numerics.m"}) {
    const std::filesystem::path program =
        std::filesystem::path(SPARSECAST_SOURCE_DIR) / "tests/memory_traffic/programs" / name;
    const auto copy = folder.write(std::string("printed_") + name, printed(test::read_text(program)));
    EXPECT_TRUE(test::leave_the_same(program, copy, folder.path().string()));
  }
}

TEST(Parser, BlanksSeparateElementsOnlyInsideBrackets) {
  EXPECT_EQ(printed("a = [1 -2];"), "a = [1, -2];\n");
  EXPECT_EQ(printed("a = [1 - 2];"), "a = [1 - 2];\n");
  EXPECT_EQ(printed("a = [b' c'];"), "a = [b', c'];\n");
  EXPECT_EQ(printed("a = [b 'c'];"), "a = [b, 'c'];\n");
  EXPECT_EQ(printed("a = [f(1, 2) (3)];"), "a = [f(1, 2), (3)];\n");
  EXPECT_EQ(printed("a = {@(x) x +1, 2};"), "a = {@(x) x + 1, 2};\n");
  EXPECT_EQ(printed("a = [1 2\n3 4];"), "a = [1, 2; 3, 4];\n");
}

TEST(Parser, OperatorsBindAsInOctave) {
  const auto top = [](const std::string& text) {
    const Program program = parse(SourceText("test.m", text));
    return program.body.statements[0].nodes[0];
  };
  EXPECT_EQ(top("-2^2").kind, NodeKind::prefix);
  EXPECT_EQ(top("a^b'").kind, NodeKind::postfix);
  EXPECT_EQ(top("!x == y").text, "==");
  EXPECT_EQ(top("a:b+1").kind, NodeKind::range);
  EXPECT_EQ(top("a | b & c").text, "|");
}

TEST(Parser, AWordAndAnArgumentAreACommandUnlessTheWordIsAVariable) {
  EXPECT_EQ(parse(SourceText("t.m", "hold on")).body.statements[0].kind, StatementKind::command);
  EXPECT_EQ(parse(SourceText("t.m", "a -1")).body.statements[0].kind, StatementKind::command);
  EXPECT_EQ(parse(SourceText("t.m", "a = 2; a -1")).body.statements[1].kind, StatementKind::expression);
  EXPECT_EQ(parse(SourceText("t.m", "a - 1")).body.statements[0].kind, StatementKind::expression);
}

struct Refusal {
  const char* text;
  std::int64_t line, column;
};

TEST(Parser, RefusesWithThePlace) {
  const Refusal refusals[] = {{"x = [1 2\n", 1, 5},      {"x = (1+;\n", 1, 5},   {"y = 'abc\n", 1, 5},
                              {"if x\n y = 1;\n", 1, 1}, {"x = 1 2\n", 1, 7},    {"for k = 1:3\nendwhile\n", 2, 1},
                              {"a = b +\n", 1, 8},       {"x = 3 $ 4;\n", 1, 7}, {"%{\nnever\n", 1, 1},
                              {"1 = x;\n", 1, 1},        {"end\n", 1, 1},        {"classdef c\nend\n", 1, 1}};
  for (const Refusal& refusal : refusals) {
    try {
      parse(SourceText("bad.m", refusal.text));
      ADD_FAILURE() << "accepted: " << refusal.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(error.place().line, refusal.line) << refusal.text << error.what();
      EXPECT_EQ(error.place().column, refusal.column) << refusal.text << error.what();
    }
  }
}

TEST(Parser, RefusesWhatIsNestedTooDeeply) {
  EXPECT_THROW(printed("x = " + std::string(100000, '(') + "1" + std::string(100000, ')')), Error);
  std::string sum = "x = 1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  EXPECT_THROW(printed(sum), Error);
}

TEST(Parser, TakesTimeInProportionToAChain) {
  const auto repeated = [](const std::string& what, std::size_t times) {
    std::string text;
    for (std::size_t k = 0; k < times; ++k) text += what;
    return text;
  };
  // A parser that takes quadratic time does not get to the end of this within the test's limit.
  constexpr std::size_t links = 200000;
  struct Chain {
    const char *head, *link, *tail;
  };
  const Chain read[] = {{"x = a", "(1)", ";"}, {"x = a", "{1}", ";"},   {"x = a", ".b", ";"}, {"x = [", "'s' ", "];"},
                        {"x = [", "1;", "];"}, {"x = f(", "1,", "2);"}, {"", "a;", ""},       {"x = '", "''", "';"}};
  for (const Chain& chain : read)
    EXPECT_NO_THROW(parse(SourceText("chain.m", chain.head + repeated(chain.link, links) + chain.tail + "\n")))
        << chain.link;
  // Deeper trees than any program needs are refused, and that at once.
  const Chain refused[] = {
      {"x = 1", "+1", ";"}, {"", "a=", "1;"}, {"x = ", "-", "1;"}, {"x = 1", "'", ";"}, {"x = ", "[", ";"}};
  for (const Chain& chain : refused)
    EXPECT_THROW(parse(SourceText("chain.m", chain.head + repeated(chain.link, links) + chain.tail + "\n")), Error)
        << chain.link;
}

TEST(Parser, ReadsAllFunctionsOfOctave) {
  NEEDS_OCTAVE();
  std::string home = test::octave("disp(fileparts(fileparts(which('pcg'))))").out;
  home = home.substr(0, home.find('\n'));
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home)) {
    if (entry.path().extension() != ".m") continue;
    const std::string text = test::read_text(entry.path());
    if (text.find("\nclassdef") != std::string::npos) continue;
    try {
      const std::string once = printed(text);
      EXPECT_EQ(printed(once), once) << entry.path();
      ++read;
    } catch (const Error& error) {
      ADD_FAILURE() << entry.path() << ": " << error.what();
    }
  }
  EXPECT_GT(read, 500u);
}

}  // namespace
}  // namespace sparsecast::memory_traffic
