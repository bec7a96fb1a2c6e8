// Strips of the papers' GPUs and of the shipped device descriptions.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/device.hpp>
#include <sparsecast/error.hpp>

#include "hardware/description.hpp"

namespace sparsecast {
namespace {

TEST(Strip, TeslaC2050OfGuo2014) {
  const DeviceProperties device = describe_device("tesla-c2050");
  EXPECT_EQ(device.strip("csr-vector"), 672);
  EXPECT_EQ(device.strip("ell"), 21504);
  EXPECT_EQ(device.strip("coo"), 21504);
  EXPECT_EQ(device.strip("hyb"), 21504);
}

TEST(Strip, Gtx540mOfWang2017) {
  const DeviceProperties device = describe_device("gtx-540m");
  EXPECT_EQ(device.strip("csr-half"), 192);
  EXPECT_EQ(device.strip("csr-scalar"), 3072);
  EXPECT_EQ(device.strip("ell"), 3072);
  EXPECT_EQ(device.strip("jad"), 3072);
}

TEST(Strip, WarpPerRowOnLaterDevices) {
  EXPECT_EQ(describe_device("tesla-k80").strip("csr-vector"), 13 * 64);
  EXPECT_EQ(describe_device("nvidia-v100").strip("csr-vector"), 80 * 64);
  EXPECT_EQ(describe_device("nvidia-rtx-2080-ti").strip("csr-vector"), 68 * 32);
  EXPECT_EQ(describe_device("nvidia-rtx-3090").strip("csr-vector"), 82 * 48);
  EXPECT_EQ(describe_device("nvidia-a100").strip("csr-vector"), 108 * 64);
  EXPECT_EQ(describe_device("nvidia-h200").strip("csr-vector"), 132 * 64);
  EXPECT_EQ(describe_device("amd-mi250").strip("csr-vector"), 104 * 32);
  EXPECT_EQ(describe_device("amd-mi250").strip("ell"), 104 * 2048);
}

TEST(Strip, OfTheHostIsThreadsTimesRowsPerChunk) {
  DeviceProperties host;
  host.compute_units = 8;
  host.rows_per_chunk = 512;
  EXPECT_EQ(host.strip("csr"), 4096);
  EXPECT_EQ(host.strip("ell"), 4096);
  EXPECT_EQ(host.strip("csr-vector"), 0) << "no warps on a host";
  EXPECT_EQ(host.strips().count("csr-half"), 0U);
}

TEST(Strip, OfAnUnknownKernelIsZero) { EXPECT_EQ(describe_device("nvidia-a100").strip("csr5"), 0); }

TEST(DeviceDescriptions, EveryNamedDeviceShips) {
  const std::vector<std::string> names{
      "amd-mi250",        "gtx-540m",         "nvidia-a100",        "nvidia-a100-pcie-40gb",
      "nvidia-h100",      "nvidia-h200",      "nvidia-rtx-2080-ti", "nvidia-rtx-3090",
      "nvidia-rtx-a4000", "nvidia-rtx-a6000", "nvidia-titan-rtx",   "nvidia-v100",
      "tesla-c2050",      "tesla-k80",        "tesla-p100"};
  const std::vector<std::string> shipped = described_devices();
  for (const std::string& name : names) EXPECT_NE(std::ranges::find(shipped, name), shipped.end()) << name;
}

TEST(DeviceDescriptions, AreCompleteAndConsistent) {
  ASSERT_GE(described_devices().size(), 15U);
  for (const std::string& name : described_devices()) {
    const DeviceProperties device = describe_device(name);
    EXPECT_EQ(device.name, name);
    EXPECT_NO_THROW(hardware::require_description(device, name));
    EXPECT_GT(device.launch_s, 0) << name;
    EXPECT_GT(device.power_w, 0) << name;
    EXPECT_GT(device.source.size(), 20U) << name;
    if (device.kind == DeviceKind::host) {
      EXPECT_GE(device.caches.size(), 2U) << name;
      EXPECT_EQ(device.vector_bits % 64, 0) << name;
      EXPECT_GT(device.vector_bits, 0) << name;
      EXPECT_GT(device.memory_channels, 0) << name;
      EXPECT_GT(device.numa_domains, 0) << name;
      EXPECT_GT(device.sockets, 0) << name;
      EXPECT_LE(device.base_clock_hz, device.clock_hz) << name;
      EXPECT_GT(device.channel_bandwidth, 0) << name;
      EXPECT_LE(device.memory_bandwidth, device.memory_channels * device.channel_bandwidth) << name;
      EXPECT_LT(device.clock_hz, 7e9) << name;
      EXPECT_EQ(device.compute_units % device.sockets, 0) << name;
      // A core's share of a level is no smaller than of the level before, but for victims of Arm and Qualcomm.
      EXPECT_GE(device.caches[1].size_bytes / device.caches[1].shared_by, device.caches[0].size_bytes) << name;
      continue;
    }
    EXPECT_EQ(device.threads_per_unit, device.warps_per_unit * device.warp_size) << name;
    EXPECT_GT(device.memory_bytes, 0) << name;
    EXPECT_GT(device.memory_bandwidth, 1e10) << name;
    EXPECT_GT(device.clock_hz, 1e8) << name;
    ASSERT_GE(device.caches.size(), 2U) << name;
    EXPECT_EQ(device.caches.back().shared_by, device.compute_units) << name;
    EXPECT_EQ(device.strips().count("csr-merge"), 1U) << name;
  }
}

TEST(DeviceDescriptions, HoldTheProcessorsThatPeopleAskFor) {
  int processors = 0;
  std::set<std::string> aliases;
  for (const std::string& name : described_devices()) {
    const DeviceProperties device = describe_device(name);
    processors += device.kind == DeviceKind::host ? 1 : 0;
    EXPECT_EQ(device.sources.contains("aliases"), !device.aliases.empty()) << name << ": source and date";
    for (const std::string& alias : device.aliases) {
      EXPECT_TRUE(aliases.insert(alias).second) << alias << " is two machines";
      EXPECT_EQ(describe_device(alias).name, alias);
      EXPECT_EQ(describe_device(alias).model, device.model);
    }
  }
  EXPECT_GE(processors, 60);
  for (const char* alias : {"aws:c7g.16xlarge", "azure:HB176rs_v4", "gcp:c3d-standard-360"})
    EXPECT_TRUE(aliases.contains(alias)) << alias;
  EXPECT_THROW((void)describe_device("AMD"), Error) << "a word of a description is no name of it";
}

TEST(DeviceDescriptions, UnknownNameIsAUsageErrorThatListsTheNearest) {
  try {
    (void)describe_device("tesla-c205O");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.remedy().find("tesla-c2050"), std::string::npos);
  }
}

TEST(DeviceDescriptions, TheHostsReadsBack) {
  const DeviceProperties host = hardware::describe_host();
  EXPECT_GT(host.memory_bandwidth, 1e8) << "slower than any memory of this century";
  nlohmann::ordered_json document{{"properties", hardware::properties_to_json(host)}};
  const DeviceProperties again = hardware::described_device(document, "mine.json");
  EXPECT_EQ(hardware::properties_to_json(again), document["properties"]);
}

TEST(DeviceDescriptions, AUsersOwnIsRefusedByField) {
  const nlohmann::ordered_json sound = hardware::properties_to_json(describe_device("amd-epyc-7402"));
  EXPECT_EQ(hardware::described_device(sound, "mine.json").compute_units, 24);
  const auto refused = [&](const char* field, const nlohmann::ordered_json& value, const std::string& named) {
    nlohmann::ordered_json changed = sound;
    value.is_null() ? static_cast<void>(changed.erase(field)) : static_cast<void>(changed[field] = value);
    try {
      (void)hardware::described_device(changed, "mine.json");
      ADD_FAILURE() << field << " " << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(error.reason().find(named), std::string::npos) << error.what();
    }
  };
  refused("memory_bandwidth", nullptr, "memory_bandwidth");
  refused("memory_bandwidth", -1, "memory_bandwidth");
  refused("compute_units", nullptr, "compute_units");
  refused("clock_hz", 0, "clock_hz");
  refused("caches", nullptr, "caches");
  refused("base_clock_hz", 9e9, "base_clock_hz");
  refused("compute_units", 2, "caches.shared_by");
  refused("sockets", 99, "sockets");
  refused("kind", nullptr, "kind");
  refused("numa_domains", 99, "numa_domains");
  refused("clock_hz", 2.8, "clock_hz");  // GHz
  refused("memory_bandwidth", 204.8, "memory_bandwidth");
  refused("launch_s", 5, "launch_s");
  refused("launch_s", 0.005, "launch_s");  // ms
  refused("clock_hz", 2.8e12, "clock_hz");
  refused("memory_bandwidth", 2e17, "memory_bandwidth");
  refused("launch_us", 5, "\"launch_us\"");  // names that would be passed over
  refused("numa_domain", 4, "numa_domain");
  refused("compute_capability", 8, "compute_capability");
  refused("limits", {{"compute_capabilty", 8}}, "compute_capabilty");
  const auto cache = [](int level, int shared_by) {
    return nlohmann::ordered_json{
        {"level", level}, {"size_bytes", 65536}, {"line_bytes", 64}, {"shared_by", shared_by}};
  };
  nlohmann::ordered_json untold = cache(1, 1);
  untold.erase("shared_by");
  refused("caches", nlohmann::ordered_json::array({untold}), "caches.shared_by");
  refused("caches", {cache(1, 1), cache(1, 1)}, "caches.level");
  refused("caches", {cache(1, 8), cache(2, 1)}, "caches.shared_by");
  const auto sized = [&](int level, std::int64_t bytes) {
    nlohmann::ordered_json one = cache(level, 1);
    one["size_bytes"] = bytes;
    return one;
  };
  refused("caches", {sized(1, 32), sized(2, 1 << 20)}, "caches.size_bytes");  // KiB
  refused("caches", {sized(1, 32768), sized(2, 32)}, "caches.size_bytes");    // MiB
  refused("caches", {sized(1, 32768), sized(2, 1 << 20), sized(3, 32768)}, "caches.size_bytes");
  refused("vector_bits", 64, "vector_bits");  // bytes
  refused("vector_bits", 100'000, "vector_bits");
  refused("vector_bits", 200, "vector_bits");
  refused("limits", {{"compute_capability", 90}}, "limits.compute_capability");
  refused("limits", {{"shared_bytes_per_unit", 228}}, "limits.shared_bytes_per_unit");  // KiB

  nlohmann::ordered_json own = sound;
  own["notes"] = "of the author's";
  own["memory_type"] = "DDR4";
  EXPECT_EQ(hardware::described_device(own, "mine.json").compute_units, 24);
  own["kind"] = nullptr;  // left away: not a processor
  EXPECT_THROW((void)hardware::described_device(own, "mine.json"), Error);
}

TEST(DeviceDescriptions, OfTheCatalogueAreThoseOfAUser) {
  for (const std::string& name : described_devices()) {
    const nlohmann::ordered_json document = hardware::properties_to_json(describe_device(name));
    EXPECT_EQ(hardware::properties_to_json(hardware::described_device(document, name)), document);
  }
}

TEST(PropertiesJson, SurvivesTheRoundTrip) {
  DeviceProperties device = describe_device("nvidia-h200");
  device.driver = "580.1";
  const auto json = hardware::properties_to_json(device);
  EXPECT_EQ(hardware::properties_to_json(hardware::properties_from_json(json, "file")), json);
}

TEST(PropertiesJson, RefusesWhatIsNotADevice) {
  const auto refused = [](const char* text, const std::string& member) {
    try {
      hardware::properties_from_json(nlohmann::ordered_json::parse(text), "my.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(error.place().file, "my.json");
      EXPECT_NE(error.reason().find(member), std::string::npos) << error.what();
    }
  };
  refused("[]", "document");
  refused(R"({"kind": "fpga"})", "kind");
  refused(R"({"compute_units": "many"})", "compute_units");
  refused(R"({"compute_units": -1})", "compute_units");
  refused(R"({"compute_units": 1.5})", "compute_units");
  refused(R"({"memory_bytes": 1e300})", "memory_bytes");
  refused(R"({"warp_size": 0})", "warp_size");
  refused(R"({"caches": {}})", "caches");
  refused(R"({"caches": [1]})", "caches");
  refused(R"({"limits": {"registers": "few"}})", "limits.registers");
}

}  // namespace
}  // namespace sparsecast
