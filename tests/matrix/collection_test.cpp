// Matrices by name: the index, what a name means, and what is fetched from servers that are busy, broken or hostile.
// The server is on the loopback.

#include "matrix/collection/collection.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <sparsecast/error.hpp>

#include "matrix/collection/collection_query.hpp"
#include "support/command.hpp"
#include "support/gzip.hpp"
#include "support/loopback_server.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

using matrix::Collection;

const std::string index_text =
    "4\n01-Jan-2026 00:00:00\n"
    "HB,tiny,4,4,6,1,0,0,1,1,1,structural problem,6\n"
    "HB,twice,4,4,6,1,0,0,1,0.5,0.25,directed graph, weighted,6\n"
    "Other,twice,4,4,6,0,0,1,0,1,1,2D/3D problem,6\n"
    "Other,wide,2,100000,7,1,1,0,0,0,0,linear programming problem,\n";
const std::string tiny =
    "%%MatrixMarket matrix coordinate real general\n4 4 6\n1 1 1\n2 2 2\n3 3 3\n4 4 4\n1 2 5\n3 1 6\n";

matrix::CollectionIndex parsed() { return matrix::parse_collection_index(index_text, "index"); }

// What a call throws; failed "nothing" where it does not.
template <class Call>
Error thrown(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorCode::failed, "nothing"};
}

TEST(CollectionIndex, HasALineForEachMatrix) {
  const matrix::CollectionIndex index = parsed();
  ASSERT_EQ(index.entries.size(), 4U);
  EXPECT_EQ(index.date, "01-Jan-2026 00:00:00");
  const matrix::CollectionEntry& second = index.entries[1];
  EXPECT_EQ(second.id, 2);
  EXPECT_EQ(second.full_name(), "HB/twice");
  EXPECT_EQ(second.kind, "directed graph, weighted") << "kinds have commas of their own";
  EXPECT_EQ(second.value_symmetry, 0.25);
  EXPECT_EQ(second.entries, 6);
  EXPECT_EQ(index.entries[3].cols, 100000);
  EXPECT_EQ(index.entries[3].entries, 0) << "not told";
}

TEST(CollectionIndex, IsRefusedWhereItIsCutOrLies) {
  for (const char* wrong :
       {"", "four\n", "2\ndate\nHB,tiny,4,4,6,1,0,0,1,1,1,kind,6\n", "1\ndate\nHB,tiny,4\n",
        "0\ndate\nHB,tiny,4,4,6,1,0,0,1,1,1,kind,6\n", "99999999\n", "1\ndate\nHB,tiny,-4,4,6,1,0,0,1,1,1,kind,6\n",
        "1\ndate\nHB,../../etc,4,4,6,1,0,0,1,1,1,kind,6\n", "1\ndate\n.ssh,tiny,4,4,6,1,0,0,1,1,1,kind,6\n",
        "1\ndate\n/etc,tiny,4,4,6,1,0,0,1,1,1,kind,6\n"})
    EXPECT_EQ(thrown([&] { (void)matrix::parse_collection_index(wrong, "index"); }).code(), ErrorCode::bad_input)
        << wrong;
}

TEST(CollectionIndex, ANameMeansOneMatrixOrIsToldAll) {
  const matrix::CollectionIndex index = parsed();
  EXPECT_EQ(find_matrix(index, "tiny").id, 1);
  EXPECT_EQ(find_matrix(index, "other/TWICE").id, 3);
  EXPECT_EQ(find_matrix(index, "4").name, "wide");
  const Error several = thrown([&] { (void)find_matrix(index, "twice"); });
  EXPECT_EQ(several.code(), ErrorCode::usage);
  EXPECT_NE(std::string(several.what()).find("HB/twice, Other/twice"), std::string::npos) << several.what();
  const Error none = thrown([&] { (void)find_matrix(index, "tinny"); });
  EXPECT_EQ(none.code(), ErrorCode::usage);
  EXPECT_NE(std::string(none.what()).find("did you mean tiny?"), std::string::npos) << none.what();
  EXPECT_EQ(thrown([&] { (void)find_matrix(index, "5"); }).code(), ErrorCode::usage);
}

TEST(CollectionQuery, FindsWhereAllConditionsHold) {
  const matrix::CollectionIndex index = parsed();
  const auto found = [&](const char* query) {
    std::string ids;
    for (const auto& entry : matrix::search(index, query)) ids += std::to_string(entry.id);
    return ids;
  };
  EXPECT_EQ(found(""), "1234");
  EXPECT_EQ(found("cols>1e4"), "4");
  EXPECT_EQ(found("rows>=4 spd"), "12");
  EXPECT_EQ(found("spd kind~STRUCTURAL"), "1");
  EXPECT_EQ(found("!real"), "3");
  EXPECT_EQ(found("group=hb value-symmetry<1"), "2");
  EXPECT_EQ(found("symmetric"), "13");
  EXPECT_EQ(found("nnz=7 !square"), "4");
  for (const char* wrong : {"row>1", "rows~4", "rows>many", "spdd", "kind>graph", "rows>>4", "rows", ">4", "kind~"}) {
    if (std::string(wrong) == "kind~") continue;  // every kind contains nothing
    EXPECT_EQ(thrown([&] { (void)matrix::search(index, wrong); }).code(), ErrorCode::usage) << wrong;
  }
  EXPECT_NE(std::string(thrown([&] { (void)matrix::search(index, "row>1"); }).what()).find("did you mean rows?"),
            std::string::npos);
  for (const char* const half : {"rows>", "rows=>4", "rows>1k"})
    EXPECT_EQ(std::string(thrown([&] { (void)matrix::search(index, half); }).what()).find("did you mean"),
              std::string::npos)
        << half;
}

// A store of its own, and a server that serves the index and, for archives, what a test says.
class CollectionServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!matrix::can_download()) SKIP_OR_FAIL(parts::curl);
    if (const char* const home = std::getenv("SPARSECAST_HOME")) home_ = home;
    setenv("SPARSECAST_HOME", (folder_.path() / "home").c_str(), 1);
    setenv("no_proxy", "127.0.0.1", 1);
  }
  void TearDown() override { home_ ? setenv("SPARSECAST_HOME", home_->c_str(), 1) : unsetenv("SPARSECAST_HOME"); }

  using Archive = std::function<HttpAnswer(const HttpRequest&, int time)>;
  LoopbackServer& serve(Archive archive) {
    times_ = 0;
    return server_.emplace([this, archive = std::move(archive)](const HttpRequest& request) {
      if (request.path == "/files/ssstats.csv") return HttpAnswer{200, index_text, {}};
      return archive(request, times_++);
    });
  }
  [[nodiscard]] Collection collection() const {
    matrix::CollectionOptions options;
    options.url = server_->url();
    options.download.first_pause_s = 0.01;
    options.download.longest_pause_s = 0.02;
    return Collection(options);
  }
  // Every file in the store but those that belong there.
  [[nodiscard]] std::string left_over() const {
    std::string names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && name != "ssstats.csv" && name != "lock") names += name + " ";
    }
    return names;
  }
  // What comes of one archive.
  std::string fetched(const std::string& archive, const char* name = "HB/tiny") {
    serve([archive](const HttpRequest& request, int) { return in_parts(request, archive); });
    return read_text(collection().matrix(name));
  }
  Error refused(const std::string& archive) {
    serve([archive](const HttpRequest& request, int) { return in_parts(request, archive); });
    Error error = thrown([&] { (void)collection().matrix("HB/tiny"); });
    EXPECT_EQ(left_over(), "") << error.what();
    EXPECT_FALSE(std::filesystem::exists(folder_.path().parent_path() / "escaped.mtx"));
    return error;
  }

  TemporaryFolder folder_;
  std::optional<std::string> home_;
  std::atomic<int> times_{0};
  std::optional<LoopbackServer> server_;
};

const std::string whole = gzipped(tar({{"tiny/tiny_b.mtx", "a right-hand side"}, {"tiny/tiny.mtx", tiny}}));

TEST_F(CollectionServer, BringsOneFileOnce) {
  EXPECT_EQ(fetched(whole), tiny);
  EXPECT_EQ(left_over(), "tiny.mtx ");
  EXPECT_EQ(read_text(collection().matrix("tiny")), tiny);
  EXPECT_EQ(read_text(collection().matrix("1")), tiny);
  EXPECT_EQ(server_->asked().size(), 2U) << "the index and the archive, once";
  EXPECT_EQ(server_->asked()[1].path, "/MM/HB/tiny.tar.gz");
}

TEST_F(CollectionServer, NeedsNoServerForWhatIsHere) {
  (void)fetched(whole);
  Collection later = collection();
  server_.reset();
  EXPECT_EQ(read_text(later.matrix("HB/tiny")), tiny);
}

TEST_F(CollectionServer, WaitsForABusyServer) {
  for (const int status : {403, 429, 503}) {
    serve([status](const HttpRequest& request, int time) {
      return time < 2 ? HttpAnswer{status, "later", {"Retry-After: 0"}} : in_parts(request, whole);
    });
    EXPECT_EQ(read_text(collection().matrix("HB/tiny")), tiny) << status;
    EXPECT_EQ(times_, 3);
  }
}

TEST_F(CollectionServer, GivesUpAfterSomeTries) {
  serve([](const HttpRequest&, int) { return HttpAnswer{429, "never", {}}; });
  const Error error = thrown([&] { (void)collection().matrix("HB/tiny"); });
  EXPECT_EQ(error.code(), ErrorCode::failed);
  EXPECT_NE(std::string(error.what()).find("status 429"), std::string::npos) << error.what();
  EXPECT_EQ(times_, 6);
}

TEST_F(CollectionServer, DoesNotWaitForAnHour) {
  serve([](const HttpRequest&, int) { return HttpAnswer{503, "", {"Retry-After: 3600"}}; });
  const Error error = thrown([&] { (void)collection().matrix("HB/tiny"); });
  EXPECT_NE(std::string(error.what()).find("3600 s"), std::string::npos) << error.what();
  EXPECT_EQ(times_, 1);
}

TEST_F(CollectionServer, GoesOnWhereAConnectionWasCut) {
  serve([](const HttpRequest& request, int time) {
    HttpAnswer answer = in_parts(request, whole);
    answer.claimed = static_cast<long long>(answer.body.size());
    if (time < 3) answer.body.resize(answer.body.size() / 2);
    return answer;
  });
  EXPECT_EQ(read_text(collection().matrix("HB/tiny")), tiny);
  const std::vector<HttpRequest> asked = server_->asked();
  ASSERT_EQ(asked.size(), 5U);
  EXPECT_EQ(asked[1].from, 0);
  EXPECT_EQ(asked[2].from, static_cast<long long>(whole.size() / 2));
  EXPECT_GT(asked[4].from, asked[3].from);
}

TEST_F(CollectionServer, GoesOnInAnotherRunAndWhereTheServerKnowsNoRanges) {
  serve([](const HttpRequest&, int) {  // every connection breaks at the same place
    return HttpAnswer{200, whole.substr(0, 100), {}, static_cast<long long>(whole.size())};
  });
  (void)thrown([&] { (void)collection().matrix("HB/tiny"); });
  EXPECT_EQ(left_over(), "tiny.tar.gz.part ");
  const auto part = collection().file_of(find_matrix(parsed(), "tiny")).replace_extension(".tar.gz.part");
  EXPECT_EQ(std::filesystem::file_size(part), 100U);
  const std::string begun = read_text(part);
  serve([](const HttpRequest&, int) { return HttpAnswer{200, whole, {}}; });
  std::filesystem::create_directories(collection().file_of(find_matrix(parsed(), "tiny")).parent_path());
  std::ofstream(collection().file_of(find_matrix(parsed(), "tiny")).replace_extension(".tar.gz.part")) << begun;
  EXPECT_EQ(read_text(collection().matrix("HB/tiny")), tiny);
}

TEST_F(CollectionServer, APartOfAnotherVersionIsFetchedAnew) {
  serve([](const HttpRequest& request, int) { return in_parts(request, whole); });
  const auto file = collection().file_of(find_matrix(parsed(), "tiny"));
  std::filesystem::create_directories(file.parent_path());
  for (const std::size_t length : {std::size_t{50}, whole.size() + 50}) {
    std::ofstream(std::filesystem::path(file).replace_extension(".tar.gz.part")) << std::string(length, 'x');
    EXPECT_EQ(read_text(collection().matrix("HB/tiny")), tiny) << length;
    std::filesystem::remove(file);
  }
}

TEST_F(CollectionServer, TellsOfWhatIsNotThere) {
  serve([](const HttpRequest&, int) { return HttpAnswer{404, "", {}}; });
  EXPECT_NE(std::string(thrown([&] { (void)collection().matrix("HB/tiny"); }).what()).find("404"), std::string::npos);
  matrix::CollectionOptions options;
  options.url = "http://127.0.0.1:1";
  EXPECT_EQ(thrown([&] { (void)Collection(options).matrix("HB/tiny"); }).code(), ErrorCode::failed);
  options.url = "file:///etc";
  EXPECT_EQ(thrown([&] { Collection{options}; }).code(), ErrorCode::usage);
}

TEST_F(CollectionServer, RefusesArchivesThatClimbOut) {
  for (const char* path : {"../../escaped.mtx", "/tmp/escaped.mtx", "tiny/../../escaped.mtx", "..", "a\\escaped.mtx"}) {
    const Error error = refused(gzipped(tar({{path, tiny}, {"tiny/tiny.mtx", tiny}})));
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << path;
  }
}

TEST_F(CollectionServer, RefusesLinksAndDevices) {
  for (const char type : {'1', '2', '3', '4', '6'}) {
    EXPECT_EQ(refused(gzipped(tar({{"tiny/tiny.mtx", "", type, "/etc/passwd"}}))).code(), ErrorCode::bad_input) << type;
    EXPECT_EQ(refused(gzipped(tar({{"tiny/a", "", type, "../.."}, {"tiny/tiny.mtx", tiny}}))).code(),
              ErrorCode::bad_input)
        << type;
  }
}

TEST_F(CollectionServer, RefusesBombs) {
  // By the index the file has 6 entries, so not two megabytes.
  const std::string blanks = tiny + std::string(2 << 20, ' ');
  EXPECT_EQ(refused(gzipped(tar({{"tiny/tiny.mtx", blanks}}))).code(), ErrorCode::bad_input);
  const Error lying = refused(gzipped(tar({{"tiny/tiny.mtx", tiny, '0', "", 8'000'000'000}})));
  EXPECT_NE(std::string(lying.what()).find("8.00 GB"), std::string::npos) << lying.what();
  // What stands before the matrix may not be endless either.
  const Error before = refused(gzipped(tar({{"tiny/a", "", '0', "", 8'000'000'000}, {"tiny/tiny.mtx", tiny}})));
  EXPECT_EQ(before.code(), ErrorCode::bad_input) << before.what();
}

TEST_F(CollectionServer, RefusesAnotherMatrix) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string& other :
       {banner + "5 4 6\n" + std::string(60, '\n'), banner + "4 4 5\n1 1 1\n1 2 1\n1 3 1\n1 4 1\n2 1 1\n",
        banner + "4 4 7\n1 1 1\n1 2 1\n1 3 1\n1 4 1\n2 1 1\n2 2 1\n2 3 1\n", banner + "4 4 6\n1 1 1\n", banner,
        std::string("no matrix"), std::string(), std::string(100000, 'x')}) {
    const Error error = refused(gzipped(tar({{"tiny/tiny.mtx", other}})));
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << other.substr(0, 60);
  }
  // One triangle of a symmetric one.
  const std::string symmetric =
      "%%MatrixMarket matrix coordinate real symmetric\n% of six\n4 4 4\n1 1 1\n2 1 1\n3 2 1\n4 4 1\n";
  EXPECT_EQ(fetched(gzipped(tar({{"tiny/tiny.mtx", symmetric}}))), symmetric);
}

TEST_F(CollectionServer, RefusesWhatIsNoArchiveOrCutOff) {
  for (const std::string& wrong : {std::string("<html>sorry</html>"), std::string(), whole.substr(0, whole.size() / 2),
                                   gzipped(tar({{"other/other.mtx", tiny}})), gzipped("no tar")})
    EXPECT_EQ(refused(wrong).code(), ErrorCode::bad_input) << wrong.size();
}

TEST_F(CollectionServer, AnIndexThatIsNoneIsNotKept) {
  server_.emplace([](const HttpRequest&) { return HttpAnswer{200, "<html>sorry</html>", {}}; });
  EXPECT_EQ(thrown([&] { (void)collection().index(); }).code(), ErrorCode::bad_input);
  EXPECT_EQ(left_over(), "");
  serve([](const HttpRequest&, int) { return HttpAnswer{404, "", {}}; });
  EXPECT_EQ(collection().index().entries.size(), 4U);
}

}  // namespace
}  // namespace sparsecast::test
