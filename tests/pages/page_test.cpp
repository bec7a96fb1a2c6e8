// Pages from documents: well-formed whatever the documents hold, with the documents inside and their exact numbers in
// the tables.

#include "pages/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "pages/example_page.hpp"
#include "pages/scale.hpp"

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

// Every element ends, in order, and every attribute is quoted. Empty where that holds, else what does not.
std::string fault_of(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at)) {
    if (html.compare(at, 2, "<!") == 0) {
      at = html.find('>', at);
      continue;
    }
    const bool closing = html[at + 1] == '/';
    std::size_t end = at + (closing ? 2 : 1);
    const std::size_t name_from = end;
    while (end < html.size() && (std::isalnum(static_cast<unsigned char>(html[end])) != 0)) ++end;
    const std::string name = html.substr(name_from, end - name_from);
    bool quoted = false;
    while (end < html.size() && (quoted || html[end] != '>')) {
      if (html[end] == '"') quoted = !quoted;
      if (html[end] == '<') return "'<' inside of " + html.substr(at, 80);
      ++end;
    }
    if (name.empty() || end == html.size()) return "no element at " + html.substr(at, 80);
    const bool itself = html[end - 1] == '/';
    if (closing) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> ends " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (!itself && name != "meta" && name != "img" && name != "br") {
      open.push_back(name);
      if (name == "script" || name == "style") end = html.find("</" + name + ">", end) - 1;
    }
    at = end;
  }
  return open.empty() ? "" : "<" + open.back() + "> does not end";
}

// The exact value in a row of a table, by the row's first cell and the column's name.
std::string exact_value(const std::string& html, const std::string& table, const std::string& row,
                        const std::string& column) {
  const std::string inside = between(html, "<table id=\"" + table + "\">", "</table>");
  const std::string head = between(inside, "<thead>", "</thead>");
  std::size_t wanted = 0, cells = 0;
  for (std::size_t at = head.find("<th "); at != std::string::npos; at = head.find("<th ", at + 1), ++cells)
    if (head.substr(at, head.find('>', at) - at).find("data-name=\"" + column + "\"") != std::string::npos)
      wanted = cells;
  const std::size_t begin = inside.find(">" + row + "</td>");
  if (begin == std::string::npos) return "no row " + row;
  std::string line = "<td" + inside.substr(begin, inside.find("</tr>", begin) - begin);
  std::size_t at = 0;
  for (std::size_t i = 0; i < wanted; ++i) at = line.find("<td", at + 1);
  return between(line.substr(at, line.find("</td>", at) - at), "data-v=\"", "\"");
}

TEST(Page, CarriesItsDataAndNothingOfItBecomesMarkup) {
  const Json page = example_page();
  const std::string html = pages::page_html(page, {{{hostile, "\x89PNG"}}, {{"a <drawing>", "<svg></svg>"}}});
  EXPECT_EQ(fault_of(html), "");
  EXPECT_EQ(occurrences(html, "<script"), 2U) << "the data and our own";
  EXPECT_EQ(occurrences(html, "<b>document"), 0U);
  const std::string inside = between(html, data_element, "</script>");
  EXPECT_EQ(inside.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(inside), page);
}

TEST(Page, HasASectionForEverythingThatItsDocumentsTell) {
  const std::string html = pages::page_html(example_page());
  for (const char* title :
       {"Kernels", "Plan", "Matrix", "Break-even", "Roofline", "Time", "Errors and intervals", "Choices", "Cases",
        "Machines", "Cluster", "Cluster, measured", "Memory movement", "Time of a GPU kernel", "Configurations"})
    EXPECT_TRUE(html.find(std::string(">") + title + "</h3>") != std::string::npos ||
                html.find(std::string(">") + title + "</h2>") != std::string::npos)
        << title;
}

TEST(Page, AsksForNothingOutside) {
  const std::string html = pages::page_html(example_page(), {{{hostile, "\x89PNG"}}, {}});
  for (const char* way : {"http://", "https://", "@import", "url(", "<link", "src=\"/"})
    EXPECT_EQ(html.find(way), std::string::npos) << way;
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find("src=\"data:image/png;base64,iVBORw==\""), std::string::npos);
}

TEST(Page, TablesHoldTheNumbersOfTheDocuments) {
  const std::string html = pages::page_html(example_page());
  EXPECT_EQ(exact_value(html, "m1-kernels", "swift", "seconds"), "0.001");
  EXPECT_EQ(exact_value(html, "m1-kernels", "swift", "high_s"), "0.00125");
  EXPECT_EQ(exact_value(html, "m1-kernels", "plain", "measured_s"), "0.003");
  EXPECT_EQ(exact_value(html, "m1-kernels", "plain", "bytes"), "64000");
  EXPECT_EQ(exact_value(html, "m1-singles", "the plan", "seconds"), "0.0008");
  EXPECT_EQ(exact_value(html, "m1-time", "swift", "share"), "0.7");
  EXPECT_EQ(exact_value(html, "d6-ranking0", "big", "total_s"), "0.002");
}

TEST(Page, SaysTheAnswerFirst) {
  const std::string html = pages::page_html(example_page());
  const std::string answer = between(html, "<p class=\"answer\">", "</p>");
  EXPECT_EQ(
      answer,
      "Use <strong>swift</strong>: <strong>1.00 ms</strong> a product (800 µs to 1.25 ms with 90 %), 0.01 "
      "GFLOP/s; it is the fastest. Measured, <strong>swift</strong> is the fastest with <strong>1.10 ms</strong>. "
      "swift was forecast 9.1 % below what was measured. The plan cuts the rows into <strong>2 blocks</strong>, "
      "forecast to gain 20.0 %: it gains. ");
}

TEST(Page, KnowsWhoIsTheCheapestForHowManyProducts) {
  // plain: n · 2 ms; swift: 10 ms + n · 1 ms; the plan: 6 ms + n · 0.8 ms. plain for n < 5, and the plan beyond.
  const std::string html = pages::page_html(example_page());
  EXPECT_NE(html.find("Cheapest, conversion included: plain for 1 to 5 products; plan from 6 on."), std::string::npos);
  Json page = example_page();
  page["documents"].erase(3);  // without the plan
  EXPECT_NE(pages::page_html(page).find("plain for 1 to 10 products; swift from 11 on."), std::string::npos);
}

TEST(Page, PutsTwoDocumentsSideBySide) {
  Json page{{"schema", "sparsecast/page/1"}, {"title", "both"}};
  page["before"] = page["after"] = example_page()["documents"][2];
  Json& now = page["after"]["measurements"];
  now[0]["seconds"] = 0.00055;  // half, far from the noise
  now[0]["low_s"] = 0.00052;
  now[0]["high_s"] = 0.00058;
  now[1]["seconds"] = 0.00305;  // within the 5 % to 95 % of before
  const std::string html = pages::page_html(page);
  EXPECT_EQ(fault_of(html), "");
  EXPECT_EQ(exact_value(html, "changes0", "swift", "ratio"), "0.5");
  EXPECT_EQ(exact_value(html, "changes0", "plain", "before"), "0.003");
  const std::string table = between(html, "<table id=\"changes0\">", "</table>");
  EXPECT_EQ(occurrences(table, ">faster</td>"), 1U);
  EXPECT_EQ(occurrences(table, ">within the noise</td>"), 1U);
  page["after"] = example_page()["documents"][9];
  EXPECT_THROW(static_cast<void>(pages::page_html(page)), Error);
}

// Every member of the example, with what holds it.
void for_each_member(Json& value, const std::function<void(Json&)>& function) {
  if (!value.is_structured()) return;
  for (Json& inner : value) {
    function(inner);
    for_each_member(inner, function);
  }
}

TEST(Page, ADocumentOfAnotherMakeLeavesItWellFormed) {
  Json page = example_page();
  for (const Json& strange : {Json(), Json("text"), Json(-1e308), Json::array({1, "a"}), Json::object({{"a", 1}})}) {
    std::size_t members = 0;
    for_each_member(page["documents"], [&](Json& member) {
      if (++members % 7 != 0) return;  // each costs a page
      Json kept = std::exchange(member, strange);
      EXPECT_EQ(fault_of(pages::page_html(page)), "") << kept.dump();
      member = std::move(kept);
    });
    EXPECT_GT(members, 300U);
  }
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
  EXPECT_NE(html.find("500 of 20,002 rows; the data in this page holds all"), std::string::npos);
}

TEST(Scale, TicksAreRoundAndFew) {
  const auto labels = [](const pages::Scale& scale) {
    std::vector<std::string> out;
    for (const pages::Tick& tick : scale.ticks(6)) out.push_back(tick.label);
    return out;
  };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels(pages::Scale::logarithmic(std::vector{1e-6, 1e-3}, pages::Unit::seconds)),
            (Labels{"1 µs", "10 µs", "100 µs", "1 ms"}));
  EXPECT_EQ(labels(pages::Scale::logarithmic(std::vector{1e-3, 2e-3}, pages::Unit::seconds)),
            (Labels{"1 ms", "1.5 ms", "2 ms"}));
  EXPECT_EQ(labels(pages::Scale::from_zero(std::vector{10.0}, pages::Unit::count)),
            (Labels{"0", "2", "4", "6", "8", "10"}));
  const pages::Scale scale = pages::Scale::logarithmic(std::vector{1.0, 100.0}, pages::Unit::plain);
  EXPECT_NEAR(scale.at(10), 0.5, 1e-12);
  EXPECT_EQ(scale.at(0), 0);
  EXPECT_EQ(scale.at(1e9), 1);
}

}  // namespace
}  // namespace sparsecast::test
