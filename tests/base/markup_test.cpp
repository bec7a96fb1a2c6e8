
#include <gtest/gtest.h>

#include "base/markup.hpp"

namespace sparsecast {
namespace {

TEST(Markup, ReservedCharactersBecomeEntitiesAndControlCharactersGo) {
  EXPECT_EQ(base::markup_escaped("a<b & \"c\">d"), "a&lt;b &amp; &quot;c&quot;&gt;d");
  EXPECT_EQ(base::markup_escaped(std::string("one\ttwo\nthree\x01\x1b", 15)), "one\ttwo\nthree");
  EXPECT_EQ(base::markup_escaped("Größe"), "Größe");
}

}  // namespace
}  // namespace sparsecast
