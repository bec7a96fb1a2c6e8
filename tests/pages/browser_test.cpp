// A page in a real browser: it loads without an error and without a request, shows what its data says, sorts, tells and
// enlarges, and fits a telephone.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pages/answer_page.hpp"
#include "pages/example_page.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

using Json = nlohmann::ordered_json;

// A picture of two by two cells, for one that the browser can read.
const std::string pixels(
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\0\0\0\x0aIDAT\x78\x9c\x63\x60\0\0\0"
    "\x02"
    "\0\x01\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82",
    67);

bool has_chromium() { return run_program("chromium", {"--version"}).exit_code == 0; }

std::string put_in(std::string text, const std::string& before, const std::string& what) {
  const std::size_t at = text.rfind(before);
  EXPECT_NE(at, std::string::npos) << before;
  return text.insert(at, what);
}

std::string without_entities(std::string text) {
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", "\u00a0"}, {"&amp;", "&"}})
    for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1))
      text.replace(at, std::string_view(entity).size(), character);
  return text;
}

// What the driver wrote, after a browser `width` pixels wide has shown the page and, unless strange is 0, other data:
// of documents with a value of another kind one of so many.
Json shown_in_browser(const std::string& html, int width, int strange = 0) {
  const TemporaryFolder folder;
  const std::string driver = read_text(std::string(SPARSECAST_SOURCE_DIR) + "/tests/pages/driver.js");
  const std::string listener =
      "<script>window.strange=" + std::to_string(strange) +
      ";window.faults=[];for(const what of['error','securitypolicyviolation'])addEventListener(what,event=>"
      "faults.push(event.message||event.violatedDirective));</script>";
  std::string driven = put_in(html, "</body>", "<script>" + driver + "</script>");
  driven.insert(driven.find("<style>"), listener);
  const auto file = folder.write("page.html", driven);
  const CommandResult browser =
      run_program("chromium",
                  {"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--user-data-dir=" + (folder.path() / "browser").string(), "--host-resolver-rules=MAP * ~NOTFOUND",
                   "--enable-logging=stderr", "--window-size=" + std::to_string(width) + ",900",
                   "--virtual-time-budget=20000", "--dump-dom", "file://" + file.string()},
                  {"HOME=" + folder.path().string()});
  EXPECT_EQ(browser.exit_code, 0) << browser.err;
  EXPECT_EQ(browser.err.find("CONSOLE"), std::string::npos) << browser.err;
  const std::string start = "<pre id=\"told\">";
  const std::size_t from = browser.out.find(start);
  EXPECT_NE(from, std::string::npos) << browser.out.substr(0, 500) << browser.err;
  if (from == std::string::npos) return {};
  const std::size_t end = browser.out.find("</pre>", from);
  return Json::parse(without_entities(browser.out.substr(from + start.size(), end - from - start.size())));
}

TEST(Browser, AReaderSortsReadsEnlargesAndSaves) {
  if (!has_chromium()) SKIP_OR_FAIL(parts::chromium);
  const Json page = example_page();
  const Json told = shown_in_browser(pages::page_html(page, {{{0, pixels}}, {}}), 1400);
  ASSERT_TRUE(told.is_object());
  EXPECT_EQ(told["faults"], Json::array());
  EXPECT_EQ(told["requests"], 0);
  EXPECT_EQ(told["as_written"], Json({"swift", "plain"})) << "fastest forecast first";
  EXPECT_EQ(told["ascending"], Json({"swift", "plain"})) << "1.1 ms before 3 ms";
  EXPECT_EQ(told["descending"], Json({"plain", "swift"}));
  EXPECT_EQ(told["order_is_told"], "descending");
  EXPECT_EQ(told["tip_at_first"], false);
  // The row that stands first after sorting.
  EXPECT_EQ(told["tip"],
            "plain, sparsecast\nforecast 2.00 ms (90 %: 1.60 ms – 2.50 ms)\nmeasured 3.00 ms (5 % – 95 %: 2.90 ms – "
            "3.10 ms)\nerror -33.3 %");
  EXPECT_EQ(told["tip_afterwards"], false);
  EXPECT_NE(told["tip_by_key"], "");
  EXPECT_NEAR(told["zoom"].get<double>(), 1.5, 0.01);
  EXPECT_EQ(told["saved"], page) << "the button saves what drew the page";
  EXPECT_EQ(
      told["csv"].get<std::string>().substr(0, 100),
      std::string("kernel,seconds,low_s,high_s,measured_s,measured_low_s,measured_high_s,error,in_interval,gflops,"
                  "bytes,pre")
          .substr(0, 100));
  EXPECT_NE(told["csv"].get<std::string>().find("\nswift,0.001,0.0008,0.00125,0.0011,"), std::string::npos);
  EXPECT_EQ(told["unlabelled"], 0);
}

TEST(Browser, ShowsWhatTheDocumentsTell) {
  if (!has_chromium()) SKIP_OR_FAIL(parts::chromium);
  const Json told = shown_in_browser(pages::page_html(example_page(), {{{0, pixels}}, {}}), 1400, 97);
  ASSERT_TRUE(told.is_object());
  EXPECT_EQ(told["title"], "Example") << "the matrix's name is a script that would change it";
  EXPECT_EQ(told["matrix"], hostile);
  for (const char* title :
       {"Kernels", "Plan", "Matrix", "Break-even", "Roofline", "Time", "Errors and intervals", "Choices", "Cases",
        "Machines", "Cluster", "Cluster, measured", "Memory movement", "Time of a GPU kernel", "Configurations"})
    EXPECT_TRUE(std::ranges::find(told["headings"], Json(title)) != told["headings"].end()) << title;
  EXPECT_EQ(told["exact"], Json({"0.001", "0.00125", "0.003", "64000", "0.0008", "0.7", "0.002"}));
  EXPECT_EQ(told["answer"],
            "Use swift: 1.00 ms a product (800 µs to 1.25 ms with 90 %), 0.01 GFLOP/s; it is the fastest. Measured, "
            "swift is the fastest with 1.10 ms. swift was forecast 9.1 % below what was measured. The plan cuts the "
            "rows into 2 blocks, forecast to gain 20.0 %: it gains. ");
  // plain: n · 2 ms; swift: 10 ms + n · 1 ms; the plan: 6 ms + n · 0.8 ms.
  EXPECT_EQ(told["cheapest"], "Cheapest, conversion included: plain for 1 to 5 products; plan from 6 on.");
  EXPECT_EQ(told["cheapest_without_plan"],
            "Cheapest, conversion included: plain for 1 to 10 products; swift from 11 on.");
  // Twice as fast, far from the noise; and within the 5 % to 95 % of before.
  EXPECT_EQ(told["changes"], Json({{"swift", "0.5", "faster"}, {"plain", "1.0166666666666666", "within the noise"}}));
  ASSERT_EQ(told["ranked"].size(), 4U);
  const auto column = [&](std::size_t page, const char* name) {
    return std::ranges::count_if(told["ranked"][page],
                                 [&](const Json& one) { return one.get<std::string>().starts_with(name); });
  };
  EXPECT_EQ(told["ranked"][0][0],
            "For 10 products with N (1,000 × 1,000, 5,000 non-zeros) big finishes first: 2.00 ms with swift.");
  EXPECT_EQ(column(0, "one product") + column(0, "time of one product"), 2);
  EXPECT_EQ(column(0, "cost"), 0);
  EXPECT_EQ(told["ranked"][1][0],
            "For 10 iterations of cg with N (1,000 × 1,000, 5,000 non-zeros) big finishes first: 2.00 ms with swift.");
  EXPECT_EQ(column(1, "one iteration") + column(1, "time of one iteration"), 2);
  EXPECT_EQ(column(1, "one product"), 0);
  EXPECT_EQ(told["ranked"][2][0],
            "For 10 products with N (1,000 × 1,000, 5,000 non-zeros) big costs least: 0.25 in 2.00 ms with swift.");
  EXPECT_EQ(column(2, "cost"), 1);
  EXPECT_EQ(column(0, "of its bandwidth"), 1);
  EXPECT_EQ(column(3, "of its bandwidth"), 0) << "0 is not known";
  const std::string unlike = "Not under the same conditions, so that a ratio is no gain or loss. ";
  EXPECT_EQ(told["unlike"],
            Json({Json::array(), Json::array({unlike + "vectors: 1 before, 8 after"}),
                  Json::array({unlike + "rows: 1,000 before, 1,001 after; precision: double before, single after"}),
                  Json::array({unlike + "device: host before, other after; transposed: no before, yes after"}),
                  Json::array({unlike + "solver: none before, cg after"}),
                  Json::array({unlike + "device: gpu before, board after; kernel: spmv before, gemm after; "
                                        "instances: 256 before, 512 after"})}));
  EXPECT_EQ(told["undefined_time"],
            Json({"How long spmv on gpu takes is not known by the model overlapped: times of its graph are not given.",
                  "10.0 µs", "not known"}));
  EXPECT_EQ(told["undefined_configuration"],
            "Of 2 configurations of tuned the one in row 2 is forecast to be the fastest: 10.0 µs.");
  const auto rests = [&](std::size_t place, const char* words) {
    return told["rests"][place].is_string() && told["rests"][place].get<std::string>().find(words) != std::string::npos;
  };
  EXPECT_TRUE(rests(0, "GFLOP/s, extrapolated beyond what was measured; it is")) << told["rests"];
  EXPECT_EQ(told["rests"][1],
            "Forecasts rest on shipped models; this device was not calibrated. The machine does not run as it did when "
            "it was calibrated: products take 1.50 × their time.");
  EXPECT_TRUE(rests(2, "on host with 1 thread in double precision")) << told["rests"];
  EXPECT_TRUE(rests(3, "2 threads, not calibrated")) << told["rests"];
  EXPECT_EQ(told["unknown_conversions"],
            Json({"1 of 2 totals are without a conversion: what it takes there is not known.",
                  "not told apart, extrapolated"}));
  const std::string png = "data:image/png;base64,";
  ASSERT_EQ(told["namesakes"].size(), 3U);
  EXPECT_EQ(told["namesakes"][1], Json({hostile, png + "AAAA", false}));
  EXPECT_EQ(told["namesakes"][2], Json({hostile + " (2)", png + "BBBB", true})) << "the plan is of the second";
  EXPECT_EQ(told["of_many"], "500 of 20,002 rows; the data in this page holds all");
  EXPECT_EQ(told["ticks"], Json({{"1 µs", "10 µs", "100 µs", "1 ms"}, {"1 ms", "1.5 ms", "2 ms"}}));
  EXPECT_GT(told["strange_pages"].get<int>(), 300) << "documents of another make";
  EXPECT_EQ(told["strange_failures"], Json::array());
}

TEST(SlowBrowser, ShowsDocumentsOfAnotherMake) {
  if (!has_chromium()) SKIP_OR_FAIL(parts::chromium);
  const Json told = shown_in_browser(pages::page_html(example_page(), {{{0, pixels}}, {}}), 1400, 7);
  ASSERT_TRUE(told.is_object());
  EXPECT_GT(told["strange_pages"].get<int>(), 300);
  EXPECT_EQ(told["strange_failures"], Json::array());
}

// A telephone, half a screen, a screen.
TEST(Browser, APageFitsEveryWidth) {
  if (!has_chromium()) SKIP_OR_FAIL(parts::chromium);
  for (const int width : {360, 800, 1600}) {
    SCOPED_TRACE(width);
    const Json told = shown_in_browser(pages::page_html(example_page(), {{{0, pixels}}, {}}), width);
    ASSERT_TRUE(told.is_object());
    EXPECT_EQ(told["faults"], Json::array());
    EXPECT_EQ(told["too_wide"], false) << "what is wider scrolls in a frame of its own";
    EXPECT_EQ(told["touching"], Json::array()) << "labels of axes";
    EXPECT_EQ(told["scales"], 100) << "each with a label";
    EXPECT_EQ(told["row_heights"], 1) << "rows of compare";
  }
}

}  // namespace
}  // namespace sparsecast::test
