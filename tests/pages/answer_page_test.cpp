// Pages as files: the documents inside, nothing of them as markup, nothing from outside. What a browser draws of them
// is browser_test.cpp's.

#include "pages/answer_page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "pages/example_page.hpp"

namespace sparsecast::test {
namespace {

using Json = nlohmann::ordered_json;

// What stands between two texts, from the first place on.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from);
  if (start == std::string::npos) return {};
  const std::size_t end = text.find(to, start + from.size());
  return text.substr(start + from.size(), end == std::string::npos ? end : end - start - from.size());
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

const std::string data_element = "<script type=\"application/json\" id=\"data\">";

TEST(Page, CarriesItsDataAndNothingOfItBecomesMarkup) {
  const Json page = example_page();
  const std::string html = pages::page_html(page, {{{0, "\x89PNG"}}, {{"a <drawing>", "<svg></svg>"}}});
  EXPECT_EQ(occurrences(html, "<script"), 7U) << "data, pictures, the library and our own";
  EXPECT_NE(html.find("<noscript>"), std::string::npos);
  EXPECT_EQ(occurrences(html, "<b>document"), 0U);
  const std::string inside = between(html, data_element, "</script>");
  EXPECT_EQ(inside.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(inside), page);
}

TEST(Page, AsksForNothingOutside) {
  const std::string html = pages::page_html(example_page(), {{{0, "\x89PNG"}}, {}});
  for (const char* way : {"@import", "url(", "<link", "src=\"/"}) EXPECT_EQ(html.find(way), std::string::npos) << way;
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find("\"iVBORw==\""), std::string::npos);
}

TEST(Page, TwoDocumentsMustHaveTimesInCommon) {
  Json page{{"schema", "sparsecast/page/1"}, {"title", "both"}};
  page["before"] = page["after"] = example_page()["documents"][2];
  EXPECT_EQ(Json::parse(between(pages::page_html(page), data_element, "</script>")), page);
  page["after"] = example_page()["documents"][9];
  EXPECT_THROW(static_cast<void>(pages::page_html(page)), Error);
  page["before"] = page["after"] = example_page()["documents"][0];
  EXPECT_THROW(static_cast<void>(pages::page_html(page)), Error) << "a structure has no times";
}

TEST(Page, StaysBelowAMegabyteBesideItsData) {
  Json page = example_page();
  Json& cases = page["documents"][4]["cases"];
  Json& rows = page["documents"][10]["configurations"];
  for (int i = 0; i < 20'000; ++i) {
    cases.push_back(cases[0]);
    rows.push_back(rows[0]);
  }
  const std::string html = pages::page_html(page);
  EXPECT_LT(html.size() - pages::script_json(page).size(), 1'000'000U);
}

}  // namespace
}  // namespace sparsecast::test
