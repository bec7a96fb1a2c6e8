#include "base/page/text_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"

namespace sparsecast {
namespace {

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const std::string_view line : base::split(text, '\n')) most = std::max(most, base::columns(line));
  return most;
}

TEST(TextTable, AlignsByWhatTheEyeSees) {
  base::TextTable table({"kernel", "time"});
  table.add({"csr", "1.0 µs"});
  table.add({"csr-merge", "10.0 ms"});
  EXPECT_EQ(table.text(), "kernel        time\ncsr         1.0 µs\ncsr-merge  10.0 ms\n");
}

TEST(TextTable, BreaksItsHeadingsFirst) {
  base::TextTable table({"kernel", "conversion and products", "time"});
  table.add({"csr", "1 s", "2 s"});
  EXPECT_EQ(table.text({28, false}),
            "        conversion and\nkernel        products  time\ncsr                1 s   2 s\n");
}

TEST(TextTable, GoesOnBelowWithItsFirstColumn) {
  base::TextTable table({"region", "first", "second", "third"});
  table.add({"main", "11111111", "22222222", "33333333"});
  EXPECT_EQ(table.text({28, false}),
            "region     first    second\nmain    11111111  22222222\n\nregion     third\nmain    33333333\n");
}

TEST(TextTable, FoldsACellOfWords) {
  base::TextTable table({"file", "reason"});
  table.words_last();
  table.add({"a.mtx", "is cut off before its size line"});
  EXPECT_EQ(table.text({30, false}), "file   reason\na.mtx  is cut off before its\n       size line\n");
}

TEST(TextTable, LongSentencesStandBelowUnderANumber) {
  base::TextTable table({"kernel", "time"});
  table.add({"csr", "1 s"});
  table.add_with_note({"ell"}, "not measured: it would take 12 GB");
  table.add_with_note({"dia"}, "not measured: it would take 12 GB");
  EXPECT_EQ(table.text(),
            "kernel  time\ncsr      1 s\nell      [1]\ndia      [1]\n[1] not measured: it would take 12 GB\n");
}

TEST(TextTable, IsNeverWiderThanItsPage) {
  for (const int width : {20, 33, 40, 61, 80}) {
    base::TextTable table({"a name", "one heading of words", "second", "third column", "4", "what is to be said"});
    table.words_last();
    table.add(
        {"something with a long name", "123,456,789", "12.3 µs – 45.6 µs", "1", "2", "several words of a sentence"});
    table.add({"short"});
    table.add_with_note({"noted", "1"}, "a note that is longer than the page is wide, at least where it is narrow");
    EXPECT_LE(widest(table.text({width, false})), static_cast<std::size_t>(width));
  }
}

}  // namespace
}  // namespace sparsecast
