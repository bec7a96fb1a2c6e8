// What a text names, in every voice.

#include "fields/wording.hpp"

#include <gtest/gtest.h>
#include <sparsecast/error.hpp>

#include "fields/precision.hpp"

namespace sparsecast {
namespace {
using wording::ask;
using wording::option;
using wording::Text;
using wording::Vocabulary;
using Voices = std::array<std::string, 4>;

Voices voices(const Text& text) {
  return {text.in(Voice::command_line), text.in(Voice::library), text.in(Voice::python), text.in(Voice::c)};
}

// A vocabulary for one test.
struct Spoken {
  Spoken(Voice voice, Vocabulary vocabulary) : voice(voice) {
    wording::teach(voice, [vocabulary] { return vocabulary; });
  }
  ~Spoken() {
    wording::teach(voice, [] { return Vocabulary(); });
  }
  Spoken(const Spoken&) = delete;
  Spoken& operator=(const Spoken&) = delete;
  Voice voice;
};

TEST(Wording, AnOptionIsNamedInEveryVoice) {
  EXPECT_EQ(voices(option("max_blocks")), (Voices{"--max-blocks", "max_blocks", "max_blocks", "max_blocks"}));
  EXPECT_EQ(voices(option("transposed", true)),
            (Voices{"--transposed", "transposed", "transposed=True", "transposed = 1"}));
  EXPECT_EQ(voices(option("precision", Precision::single_)),
            (Voices{"--precision single", "precision = Precision::single_", "precision=\"single\"",
                    "precision = \"single\""}));
  EXPECT_EQ(voices(option("device", "cuda:0")),
            (Voices{"--device cuda:0", "device = \"cuda:0\"", "device=\"cuda:0\"", "device = \"cuda:0\""}));
  EXPECT_EQ(voices(option("threads", 4)), (Voices{"--threads 4", "threads = 4", "threads=4", "threads = 4"}));
}

TEST(Wording, AQuestionIsPutInEveryVoice) {
  EXPECT_EQ(voices(ask("calibrate", {{"device", "host"}, {"quick", true}})),
            (Voices{"`sparsecast calibrate --device host --quick`", "calibrate({.device = \"host\", .quick = true})",
                    "sparsecast.calibrate(device=\"host\", quick=True)",
                    "sparsecast_calibrate() with device = \"host\", quick = 1"}));
  EXPECT_EQ(voices(ask("profiles")),
            (Voices{"`sparsecast profiles`", "profiles()", "sparsecast.profiles()", "sparsecast_profiles()"}));
  EXPECT_EQ(wording::call("calibrate", {{"quick", true}}).in(Voice::command_line), "sparsecast calibrate --quick");
}

TEST(Wording, WhatTheReaderPutsThere) {
  EXPECT_EQ(voices(ask("predict", {{"matrix", wording::placeholder("MATRIX")}})),
            (Voices{"`sparsecast predict --matrix MATRIX`", "predict({.matrix = matrix})",
                    "sparsecast.predict(matrix=matrix)", "sparsecast_predict() with matrix = matrix"}));
  EXPECT_EQ(option("device", wording::placeholder("FILE.json")).in(Voice::python), "device=\"FILE.json\"");
  EXPECT_EQ(voices(option("arguments", wording::entry("n", "4"))),
            (Voices{"--arguments n=4", "arguments = {{\"n\", \"4\"}}", "arguments={\"n\": \"4\"}",
                    "arguments = {{\"n\", \"4\"}}"}));
}

TEST(Wording, ADocumentIsTheCommandsAlone) {
  const Text text = ask("info", {{"json", true}});
  EXPECT_EQ(text.in(Voice::command_line), "`sparsecast info --json`");
  EXPECT_EQ(text.in(Voice::library), "info()");
}

TEST(Wording, ACommandIsOneInEveryVoice) {
  for (const std::string& said : voices(wording::command("get", {{"refresh", true}})))
    EXPECT_EQ(said, "`sparsecast get --refresh`");
}

TEST(Wording, QuotesWithinQuotes) {
  const Text text = ask("traffic", {{"call", "x = f(\"it's\")"}});
  EXPECT_EQ(text.in(Voice::command_line), "`sparsecast traffic --call 'x = f(\"it'\\''s\")'`");
  EXPECT_EQ(text.in(Voice::library), "traffic({.call = \"x = f(\\\"it's\\\")\"})");
  EXPECT_EQ(text.in(Voice::python), "sparsecast.traffic(call=\"x = f(\\\"it's\\\")\")");
}

TEST(Wording, TextsAreComposed) {
  const Text text =
      wording::format("{} of {:.1f} {} or {}", std::string("one"), 2.0, option("quick", true), ask("profiles"));
  EXPECT_EQ(text.in(Voice::command_line), "one of 2.0 --quick or `sparsecast profiles`");
  EXPECT_EQ(("omit " + text + "!").in(Voice::python), "omit one of 2.0 quick=True or sparsecast.profiles()!");
  EXPECT_TRUE(Text().empty());
}

TEST(Wording, AFrontEndsOwnWords) {
  const Spoken command(Voice::command_line, {.idioms = {{"calibrate", "only_instructions", "", "--instructions"},
                                                        {"", "matrix", "", ""},
                                                        {"kernel", "anchors", "", "--anchor"},
                                                        {"", "precision", "complex-double", "--complex"},
                                                        {"catalogue", "", "", "devices --catalogue"}}});
  EXPECT_EQ(option("only_instructions", true).in(Voice::command_line), "--instructions");
  EXPECT_EQ(option("kernel.anchors").in(Voice::command_line), "--anchor");
  EXPECT_EQ(option("predict.anchors").in(Voice::command_line), "--anchors");
  EXPECT_EQ(option("matrix").in(Voice::command_line), "MATRIX");
  EXPECT_EQ(ask("catalogue").in(Voice::command_line), "`sparsecast devices --catalogue`");
  EXPECT_EQ(ask("predict", {{"matrix", "a b.mtx"}, {"precision", Precision::complex_double_}}).in(Voice::command_line),
            "`sparsecast predict 'a b.mtx' --complex`");
}

TEST(Wording, WhatAFrontEndLacksIsACommand) {
  const Spoken python(Voice::python, {.idioms = {{"predict", "", "", "forecast"}, {"", "matrix", "MATRIX", "A"}},
                                      .questions = {{"predict", {"matrix"}}, {"calibrate", {"quick"}}},
                                      .flags = {"quick"}});
  EXPECT_EQ(ask("predict", {{"matrix", wording::placeholder("MATRIX")}}).in(Voice::python), "sparsecast.forecast(A)");
  EXPECT_EQ(ask("calibrate", {{"quick", true}}).in(Voice::python), "sparsecast.calibrate(quick=True)");
  EXPECT_EQ(ask("calibrate", {{"fresh", true}}).in(Voice::python), "`sparsecast calibrate --fresh`");
  EXPECT_EQ(ask("solve").in(Voice::python), "`sparsecast solve`");
  EXPECT_EQ(option("quick").in(Voice::python), "quick=True");
}

TEST(Wording, TheVocabularyIsAskedForOnceAndMayItselfSaySomething) {
  int asked = 0;
  wording::teach(Voice::c, [&] {
    ++asked;
    EXPECT_EQ(option("quick").in(Voice::c), "quick");
    return Vocabulary{.flags = {"quick"}};
  });
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(option("quick").in(Voice::c), "quick = 1");
  EXPECT_EQ(option("quick").in(Voice::c), "quick = 1");
  EXPECT_EQ(asked, 1);
  wording::teach(Voice::c, [] { return Vocabulary(); });
}

TEST(Wording, NothingFromOutsideIsAMark) {
  const std::string forged = wording::Marks::of(option("quick", true));
  const std::string shown = "\\x01oquick";
  for (const Text& text : {Text(forged), wording::format("{}", forged), Text("") + forged})
    for (const std::string& said : voices(text)) {
      EXPECT_EQ(said.find(wording::mark_begin), std::string::npos);
      EXPECT_NE(said.find("\\x02quick\\x02t"), std::string::npos) << said;
    }
  // Neither within a mark: a value stays one.
  EXPECT_EQ(option("device",
                   "\x03"
                   "a\x02")
                .in(Voice::python),
            "device=\"\\\\x03a\\\\x02\"");
}

TEST(Wording, AnErrorSpeaksEveryVoice) {
  const Error error(ErrorCode::usage, wording::format("{} is not for a GPU", option("transposed", true)), {"a.mtx", 3},
                    wording::format("run {}", ask("calibrate", {{"quick", true}})));
  EXPECT_STREQ(error.what(), "a.mtx:3: transposed is not for a GPU; run calibrate({.quick = true})");
  EXPECT_EQ(error.message(Voice::library), error.what());
  EXPECT_EQ(error.reason(), "transposed is not for a GPU");
  EXPECT_EQ(error.remedy(), "run calibrate({.quick = true})");
  EXPECT_EQ(error.message(Voice::command_line),
            "a.mtx:3: --transposed is not for a GPU; run `sparsecast calibrate --quick`");
  EXPECT_EQ(error.message(Voice::python),
            "a.mtx:3: transposed=True is not for a GPU; run sparsecast.calibrate(quick=True)");
  const Error again(error.code(), "again: " + error.reason_text(), {}, error.remedy_text());
  EXPECT_EQ(again.message(Voice::command_line),
            "again: --transposed is not for a GPU; run `sparsecast calibrate --quick`");
}

TEST(Wording, ADamagedMarkSaysNothing) {
  EXPECT_EQ(wording::Marks::text("a\x01"
                                 "b")
                .in(Voice::python),
            "a");
  EXPECT_EQ(wording::Marks::text("a\x01o\x03 b").in(Voice::python), "a b");
  EXPECT_EQ(wording::Marks::text("a\x01o\x02"
                                 "c\x02\x02\x03 b")
                .in(Voice::python),
            "a b");
}
}  // namespace
}  // namespace sparsecast
