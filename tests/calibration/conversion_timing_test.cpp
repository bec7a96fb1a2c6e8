// How long a conversion took, of readings that other programs disturbed.
#include "calibration/conversion/conversion_timing.hpp"

#include <gtest/gtest.h>

namespace sparsecast::calibration {
namespace {
// A product of which nothing is known but how long its conversion took.
class ConvertedProduct final : public hardware::Product {
 public:
  explicit ConvertedProduct(double seconds) : seconds_(seconds) {}
  double run(int) override { return 0; }
  std::vector<double> multiply(std::span<const double>) override { return {}; }
  [[nodiscard]] double preprocess_seconds() const override { return seconds_; }
  [[nodiscard]] std::int64_t bytes() const override { return 0; }

 private:
  double seconds_;
};

// Its conversions take the times of a list, one after the other, and the last again and again.
class PlayedDevice final : public hardware::Device {
 public:
  explicit PlayedDevice(std::vector<double> times) : times_(std::move(times)) {}
  std::size_t conversions = 0;

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  [[nodiscard]] int threads() const override { return 1; }
  [[nodiscard]] std::vector<std::string> kernels() const override { return {"ell"}; }
  [[nodiscard]] std::int64_t format_bytes(const Structure&, const std::string&, Precision) const override { return 8; }
  std::unique_ptr<hardware::Product> prepare(const Matrix&, const Structure&, const std::string&, Precision,
                                             const ProductKind&) override {
    return std::make_unique<ConvertedProduct>(times_[std::min(conversions++, times_.size() - 1)]);
  }
  void measure_curves(std::vector<Curve>&, bool, const base::ProgressFunction&) override {}

 private:
  std::vector<double> times_;
  DeviceProperties properties_;
};

double told(PlayedDevice& device, Readings wanted = Readings::several) {
  MemoryAtHand memory;
  return convert_fresh(device, {}, {}, "ell", Precision::double_, memory, {}, wanted).seconds;
}

TEST(ConversionTiming, AFirstReadingThatWasInterruptedIsNotBelieved) {
  PlayedDevice device({0.024, 25e-6, 27e-6, 26e-6, 28e-6});
  EXPECT_EQ(told(device), 26e-6);
  EXPECT_EQ(device.conversions, 5U);
}

TEST(ConversionTiming, ThreeOfFiveMayBeInterrupted) {
  PlayedDevice device({0.008, 26e-6, 0.008, 0.016, 25e-6});
  EXPECT_EQ(told(device), 26e-6);
}

TEST(ConversionTiming, TheShortestMayBeLuck) {
  PlayedDevice device({25e-6, 26e-6, 5e-6, 27e-6, 26e-6});
  EXPECT_EQ(told(device), 25e-6);
}

TEST(ConversionTiming, OfTensOfMillisecondsThreeReadingsAreEnough) {
  PlayedDevice device({0.060, 0.052, 0.050, 0.051});
  EXPECT_EQ(told(device), 0.052);
  EXPECT_EQ(device.conversions, 3U);
}

TEST(ConversionTiming, ALongOneIsBelievedAlone) {
  PlayedDevice device({0.4, 0.3});
  EXPECT_EQ(told(device), 0.4);
  EXPECT_EQ(device.conversions, 1U);
}

TEST(ConversionTiming, WhatNeedsNoneIsNotRepeated) {
  PlayedDevice device({0, 1});
  EXPECT_EQ(told(device), 0);
  EXPECT_EQ(device.conversions, 1U);
}

TEST(ConversionTiming, OneReadingIsOneWhereOneIsAskedFor) {
  PlayedDevice device({0.024, 25e-6});
  EXPECT_EQ(told(device, Readings::one), 0.024);
}
}  // namespace
}  // namespace sparsecast::calibration
