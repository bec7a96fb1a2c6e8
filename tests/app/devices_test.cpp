// `sparsecast devices` as a user types it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sparsecast/device.hpp>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

using nlohmann::json;

json document(const std::vector<std::string>& arguments) {
  const CommandResult result = sparsecast(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fits_its_schema(result.out));
  return json::parse(result.out);
}

TEST(DevicesCommand, ListsTheHostWithItsStrips) {
  const json devices = document({"devices", "--json"});
  ASSERT_FALSE(devices["devices"].empty());
  EXPECT_EQ(devices["devices"][0]["device"], "host");
  EXPECT_GT(devices["devices"][0]["strips"]["csr"], 0);
  // Whatever kind is not here is named with its remedy.
  bool cuda = false;
  for (const json& device : devices["devices"]) cuda = cuda || device["kind"] == "cuda";
  bool told = false;
  for (const json& line : devices["missing"]) told = told || line.get<std::string>().starts_with("cuda: ");
  EXPECT_NE(cuda, told);
}

// The calling thread's own processors are one place of several then.
TEST(DevicesCommand, CountsAllCoresWhereTheUserBindsThreads) {
  const auto units = [](const char* binding) {
    const CommandResult asked = run_program(
        "env", {binding, "OMP_PLACES=cores", SPARSECAST_COMMAND, "devices", "--describe", "host", "--json"});
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    return json::parse(asked.out).at("properties").at("compute_units").get<int>();
  };
  EXPECT_EQ(units("OMP_PROC_BIND=true"), units("OMP_PROC_BIND=false"));
}

TEST(DevicesCommand, DescribesEveryShippedDevice) {
  ASSERT_GE(described_devices().size(), 15U);
  for (const std::string& name : described_devices()) {
    const json device = document({"devices", "--describe", name, "--json"});
    EXPECT_EQ(device["name"], name);
    EXPECT_EQ(device["properties"]["name"], name);
    // A warp has a row on a GPU; a processor's cores have chunks of rows.
    EXPECT_GT(device["strips"][device["properties"]["kind"] == "host" ? "csr" : "csr-vector"], 0);
  }
  const json device = document({"devices", "--describe", "tesla-c2050", "--json"});
  EXPECT_EQ(device["strips"]["csr-vector"], 672);
  EXPECT_EQ(device["strips"]["ell"], 21504);
}

TEST(DevicesCommand, TablesNameWhatMatters) {
  const CommandResult described = sparsecast({"devices", "--describe", "nvidia-h200"});
  EXPECT_EQ(described.exit_code, 0);
  // Where a line ends depends on what other kernels there are.
  EXPECT_TRUE(std::regex_search(described.out, std::regex("csr-vector\\s+8,448"))) << described.out;
  const CommandResult listed = sparsecast({"devices"});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_NE(listed.out.find("tesla-c2050"), std::string::npos);
}

TEST(DevicesCommand, ListsTheCatalogue) {
  const json catalogue = document({"devices", "--catalogue", "--json"});
  EXPECT_EQ(catalogue["devices"].size(), described_devices().size());
  EXPECT_GE(catalogue["devices"].size(), 25U);
}

TEST(DevicesCommand, TheHostsDescriptionReadsBack) {
  const TemporaryFolder folder;
  const CommandResult host = sparsecast({"devices", "--describe", "host", "--json"});
  ASSERT_EQ(host.exit_code, 0) << host.err;
  EXPECT_TRUE(fits_its_schema(host.out));
  const std::string file = folder.write("mine.json", host.out).string();
  EXPECT_EQ(sparsecast({"devices", "--describe", file, "--json"}).out, host.out);
}

TEST(DevicesCommand, WrongUsageAndAbsentDevices) {
  EXPECT_EQ(sparsecast({"devices", "--describe", "voodoo-2"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"devices", "--check"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"devices", "--check", "--device", "fpga:0"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"devices", "--check", "--device", "cuda:"}).exit_code, 2);
  const CommandResult absent = sparsecast({"devices", "--check", "--device", "cuda:63"});
  EXPECT_EQ(absent.exit_code, 4);
  EXPECT_NE(absent.err.find("cuda:63 is not present"), std::string::npos) << absent.err;
  const CommandResult far = sparsecast({"devices", "--check", "--device", "opencl:999"});
  EXPECT_EQ(far.exit_code, 4);
}

TEST(DevicesCommand, VersionTellsWhatWasBuiltIn) {
  const CommandResult version = sparsecast({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_NE(version.out.find("built in: host"), std::string::npos) << version.out;
  EXPECT_NE(version.out.find("CUDA"), std::string::npos) << version.out;
}

TEST(DevicesCommand, ChecksTheKernelsNamed) {
  const json checked = document({"devices", "--check", "--device", "host", "--kernels", "ell", "--json", "--quiet"});
  EXPECT_FALSE(checked["checks"].empty());
  for (const json& check : checked["checks"]) EXPECT_EQ(check["kernel"], "ell");
  EXPECT_EQ(sparsecast({"devices", "--check", "--device", "host", "--kernels", "csr9", "--quiet"}).exit_code, 2);
}

TEST(DevicesCommand, ChecksTheHostsKernels) {
  const json checked = document({"devices", "--check", "--device", "host", "--json", "--quiet"});
  EXPECT_EQ(checked["wrong"], 0);
  EXPECT_GT(checked["checks"].size(), 100U);
}

}  // namespace
}  // namespace sparsecast::test
