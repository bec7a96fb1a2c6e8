#include "cluster/described/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <string>

#include "support/command.hpp"
#include "support/parts.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {
TEST(Networks, ThatShipAreWholeAndFitTheirSchema) {
  const auto names = described_networks();
  EXPECT_GE(names.size(), 10u);
  for (const char* const known : {"hdr200", "hdr100", "edr", "fdr", "ndr400", "slingshot11", "omnipath100", "100gbe"})
    EXPECT_NE(std::ranges::find(names, known), names.end()) << known;
  for (const std::string& name : names) {
    const Network network = network_of(name);
    EXPECT_EQ(network.name, name);
    EXPECT_FALSE(network.source.empty()) << name;
    EXPECT_LT(network.message_s, network.latency_s) << name;
    if (!test::can_validate()) SKIP_OR_FAIL(test::parts::schemas);
    EXPECT_TRUE(test::fits_its_schema(
        test::read_text(std::string(SPARSECAST_SOURCE_DIR) + "/profiles/networks/" + name + ".json")));
  }
}

TEST(Networks, BadOnesAreRefusedWithTheField) {
  const test::TemporaryFolder folder;
  const auto reason = [&](const std::string& text) {
    try {
      (void)network_of(folder.write("n.json", text).string());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      return error.reason();
    }
    return std::string("accepted");
  };
  EXPECT_NE(reason(R"({"name":"n","latency_s":1e-6,"message_s":0})").find("bandwidth"), std::string::npos);
  EXPECT_NE(reason(R"({"name":"n","bandwidth":-1,"latency_s":1e-6,"message_s":0})").find("bandwidth is -1"),
            std::string::npos);
  EXPECT_NE(reason(R"({"name":"n","bandwidth":1e9,"rail":2,"latency_s":1e-6,"message_s":0})")
                .find("\"rail\" is not known: did you mean rails?"),
            std::string::npos);
  EXPECT_NE(reason(R"({"name":"n","bandwidth":1e9,"adapters":2,"latency_s":1e-6,"message_s":0})").find("\"adapters\""),
            std::string::npos);
  EXPECT_EQ(reason(R"({"name":"n","note":"of the site","bandwidth":1e9,"latency_s":1e-6,"message_s":0})"), "accepted");
  EXPECT_NE(reason("{").find("not a network description"), std::string::npos);
  // Never the words of the parser below ours, and the place.
  for (const std::string& number : {std::string("1e999"), std::string(400, '9'), std::string("\xff")})
    EXPECT_EQ(reason("{\"name\": \"n\",\n\"bandwidth\": " + number + "}").find("json.exception"), std::string::npos);
  EXPECT_NE(reason(std::string(100'000, '[')), "accepted");
  try {
    (void)network_from_text("{\"name\": \"n\",\n\"bandwidth\": 1e999}", "n.json");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.place().line, 2);
  }
  try {
    (void)network_of("hdr20");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.remedy().find("hdr200"), std::string::npos);
  }
}
}  // namespace
}  // namespace sparsecast::cluster
