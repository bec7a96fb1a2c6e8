// What fields declare, as documents write and read it.

#include "fields/json.hpp"
#include "support/written_schema.hpp"

#include <gtest/gtest.h>
#include <sparsecast/error.hpp>

namespace sparsecast {
namespace {

struct Pair {
  int first = 0, second = 0;
};
struct Inner {
  int known = -1;
};
enum class Unnamed { one };
struct WithoutTable {
  int number = 0;
};
struct Outer {
  std::vector<Pair> pairs;
  Inner inner;
  int truth = -1, count = 7;
  bool fast = false;
};

}  // namespace

template <>
struct Fields<Pair> {
  static constexpr std::string_view about = "two numbers";
  static constexpr bool as_list = true;
  static constexpr auto table =
      std::tuple(field<&Pair::first>("", between(0, 9)), field<&Pair::second>("", between(0, 9)));
};
template <>
struct Fields<Inner> {
  static constexpr std::string_view about = "what may not be known";
  static constexpr auto table = std::tuple(field<&Inner::known>("", at_least(0)));
};
template <>
struct Fields<Outer> {
  static constexpr std::string_view about = "one of each";
  static constexpr auto table =
      std::tuple(field<&Outer::pairs>(""), field<&Outer::inner>("").where_known(),
                 field<&Outer::truth>("").as_truth().where_known(), field<&Outer::count>("", at_least(1)).or_default(),
                 field<&Outer::fast>("").as("speed").in_words("slow", "fast"));
};

namespace {

TEST(Fields, LeaveOutWhatTheStructBeginsWith) {
  EXPECT_EQ(fields::written(Outer{}).dump(), R"({"pairs":[],"count":7,"speed":"slow"})");
  const Outer all{{{1, 2}}, {0}, 1, 3, true};
  const fields::Json json = fields::written(all);
  EXPECT_EQ(json.dump(), R"({"pairs":[[1,2]],"inner":{"known":0},"truth":true,"count":3,"speed":"fast"})");
  EXPECT_EQ(fields::written(fields::read_struct<Outer>(json)), json);
}

TEST(Fields, ReadWhatOthersLeaveAwayAndNothingElse) {
  const auto read = [](const char* text) { return fields::read_struct<Outer>(fields::Json::parse(text)); };
  EXPECT_EQ(read(R"({"pairs":[],"speed":"fast","more":1})").count, 7);
  for (const char* wrong : {R"({"speed":"fast"})", R"({"pairs":[]})", R"({"pairs":[[1]],"speed":"fast"})",
                            R"({"pairs":[[1,10]],"speed":"fast"})", R"({"pairs":[],"speed":true})",
                            R"({"pairs":[],"speed":"fast","truth":1})", R"({"pairs":[],"speed":"fast","count":0})"})
    EXPECT_THROW((void)read(wrong), Error) << wrong;
}

// A row of a member whose type's table is not included must not compile, and never be told as a plain number or text.
// Cut off, 4294967297 would be 1.
TEST(Fields, NumbersThatTheirTypeCannotHoldAreRefused) {
  const auto count = [](const std::string& number) {
    const std::string text = R"({"pairs":[],"speed":"fast","count":)" + number + "}";
    return fields::read_struct<Outer>(fields::Json::parse(text)).count;
  };
  EXPECT_EQ(count("2147483647"), 2147483647);
  EXPECT_TRUE(fields::is_in_range<std::int64_t>(fields::Json::parse("9223372036854775807")));
  for (const char* wrong : {"1e300", "2147483648", "4294967297", "18446744073709551615"})
    EXPECT_THROW((void)count(wrong), Error) << wrong;
}

TEST(Fields, AreToldOfPlainTypesAndOfThoseWithATable) {
  using fields_detail::Told;
  static_assert(Told<int>::value && Told<std::optional<std::vector<std::string>>>::value);
  static_assert(Told<std::vector<Pair>>::value && Told<std::map<std::string, Inner>>::value);
  static_assert(!Told<Unnamed>::value && !Told<std::vector<Unnamed>>::value);
  static_assert(!Told<WithoutTable>::value && !Told<std::optional<WithoutTable>>::value);
  static_assert(!Told<std::variant<std::int64_t, WithoutTable>>::value);
}

TEST(Fields, SchemasOfWhatIsReadAskForLess) {
  const fields::Json written = fields::schema_of<Outer>(), read = fields::schema_of<Outer, true>();
  EXPECT_EQ(written["required"], fields::Json({"pairs", "count", "speed"}));
  EXPECT_EQ(read["required"], fields::Json({"pairs", "speed"}));
  EXPECT_EQ(written["additionalProperties"], false);
  EXPECT_EQ(read["additionalProperties"], true);
  EXPECT_EQ(written["properties"]["pairs"]["items"]["minItems"], 2);
  EXPECT_EQ(written["properties"]["truth"]["type"], "boolean");
}

}  // namespace
}  // namespace sparsecast
