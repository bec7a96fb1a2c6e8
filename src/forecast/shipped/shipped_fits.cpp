#include "forecast/shipped/shipped_fits.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

namespace sparsecast::forecast {
namespace {
using nlohmann::json;
constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr Eigen::Index most_numbers = 1 << 22;  // of one matrix of a text

std::string to_base64(const std::string& bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (held += 8; held >= 6; held -= 6) text += digits[bits >> (held - 6) & 63];
  }
  if (held > 0) text += digits[bits << (6 - held) & 63];
  return text;
}

std::vector<std::uint8_t> bytes_of(std::string_view text) {
  static const auto values = [] {
    std::array<std::int8_t, 256> of{};
    of.fill(-1);
    for (std::size_t i = 0; i < digits.size(); ++i)
      of[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
    return of;
  }();
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : text) {
    const std::int8_t value = values[static_cast<unsigned char>(digit)];
    if (value < 0) throw Error(ErrorCode::bad_input, "shipped fits are no base64");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) bytes.push_back(static_cast<std::uint8_t>(bits >> (held -= 8)));
  }
  return bytes;
}

json floats(const Eigen::MatrixXd& matrix) {
  const Eigen::MatrixXf single = matrix.cast<float>();
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(single.size()) * sizeof(float));
  if (!bytes.empty()) std::memcpy(bytes.data(), single.data(), bytes.size());
  return json::array({single.rows(), json::binary(std::move(bytes))});
}

Eigen::MatrixXd floats_from(const json& value) {
  const auto rows = value.at(0).get<Eigen::Index>();
  const auto& bytes = value.at(1).get_binary();
  const auto count = static_cast<Eigen::Index>(bytes.size() / sizeof(float));
  if (rows < 0 || count > most_numbers || (rows == 0) != (count == 0) || (rows > 0 && count % rows != 0) ||
      bytes.size() % sizeof(float) != 0)
    throw Error(ErrorCode::bad_input, "a shipped fit's matrix has another size than it says");
  Eigen::MatrixXf single(rows, rows > 0 ? count / rows : 0);
  if (count > 0) std::memcpy(single.data(), bytes.data(), bytes.size());
  if (!single.allFinite()) throw Error(ErrorCode::bad_input, "a shipped fit's matrix has no numbers");
  return single.cast<double>();
}

Eigen::VectorXd vector_from(const json& value, Eigen::Index size) {
  const Eigen::MatrixXd matrix = floats_from(value);
  if (matrix.size() != size || (size > 0 && matrix.cols() != 1))
    throw Error(ErrorCode::bad_input, "a shipped fit's vector has another length than its matrix");
  return matrix.reshaped();
}

json kernel_to_json(const ShippedKernel& kernel) {
  const KernelFit& fit = kernel.fit;
  json out{{"longest_row", fit.longest_row},
           {"parameters", floats(fit.parameters)},
           {"interval_factor", fit.interval_factor},
           {"fastest_rate", kernel.fastest_rate},
           {"slowest", kernel.slowest},
           {"processes", json::array()}};
  if (fit.processes.empty()) return out;
  out["features"] = floats(fit.features);
  out["centre"] = floats(fit.centre);
  out["offset"] = fit.offset;
  // A calibration's errors are told at its own benchmark matrices, in the same centre.
  out["errors"] = floats(fit.judged_errors);
  for (const ProcessWeights& process : fit.processes.processes())
    out["processes"].push_back({floats(process.covariance.to_logs()), floats(process.weights)});
  return out;
}

ShippedKernel kernel_from_json(const json& value) {
  ShippedKernel kernel;
  KernelFit& fit = kernel.fit;
  fit.longest_row = value.at("longest_row").get<bool>();
  fit.parameters = floats_from(value.at("parameters"));
  fit.interval_factor = value.at("interval_factor").get<double>();
  kernel.fastest_rate = value.at("fastest_rate").get<double>();
  kernel.slowest = value.at("slowest").get<double>();
  if (value.at("processes").empty()) return kernel;
  fit.features = floats_from(value.at("features"));
  fit.centre = vector_from(value.at("centre"), fit.features.cols());
  fit.offset = value.at("offset").get<double>();
  std::vector<ProcessWeights> processes;
  for (const json& process : value.at("processes")) {
    const Eigen::MatrixXd logs = floats_from(process.at(0));
    const Covariance covariance = Covariance::from_logs(logs.reshaped());
    if (covariance.lengths.size() != fit.features.cols())
      throw Error(ErrorCode::bad_input, "a shipped covariance is of other features");
    processes.push_back({covariance, vector_from(process.at(1), fit.features.rows())});
  }
  fit.processes = {fit.features, std::move(processes)};
  fit.set_judged(fit.features, vector_from(value.at("errors"), fit.features.rows()));
  return kernel;
}

Eigen::VectorXd costs_of_fit(const ConversionCosts& c) {
  Eigen::VectorXd costs(8);
  costs << c.constant, c.small_byte, c.large_byte, c.nonzero, c.row, c.padding, c.turn, c.far;
  return costs;
}

json conversion_to_json(const ConversionFit& fit) {
  Eigen::MatrixXd errors(static_cast<Eigen::Index>(fit.errors.size()), 2);
  for (std::size_t i = 0; i < fit.errors.size(); ++i)
    errors.row(static_cast<Eigen::Index>(i)) << fit.errors[i].first, fit.errors[i].second;
  return {floats(costs_of_fit(fit.costs)), floats(errors)};
}

ConversionFit conversion_from_json(const json& value) {
  const Eigen::VectorXd c = vector_from(value.at(0), 8);
  ConversionFit fit;
  fit.costs = {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
  const Eigen::MatrixXd errors = floats_from(value.at(1));
  if (errors.rows() > 0 && errors.cols() != 2) throw Error(ErrorCode::bad_input, "shipped errors come in pairs");
  for (Eigen::Index i = 0; i < errors.rows(); ++i) fit.errors.emplace_back(errors(i, 0), errors(i, 1));
  std::ranges::sort(fit.errors);
  return fit;
}
}  // namespace

std::string text_of(const ShippedFits& fits) {
  json out{{"kernels", json::object()}, {"conversions", json::object()}};
  for (const auto& [name, kernel] : fits.kernels) out["kernels"][name] = kernel_to_json(kernel);
  for (const auto& [name, conversion] : fits.conversions) out["conversions"][name] = conversion_to_json(conversion);
  std::string bytes;
  json::to_cbor(out, bytes);
  return to_base64(bytes);
}

ShippedFits shipped_fits_from(std::string_view text) try {
  const json document = json::from_cbor(bytes_of(text));
  ShippedFits fits;
  for (const auto& [name, kernel] : document.at("kernels").items()) fits.kernels[name] = kernel_from_json(kernel);
  for (const auto& [name, conversion] : document.at("conversions").items())
    fits.conversions[name] = conversion_from_json(conversion);
  return fits;
} catch (const json::exception&) {
  throw Error(ErrorCode::bad_input, "shipped fits are no CBOR of this program", {}, "scripts/refit host writes some");
}
}  // namespace sparsecast::forecast
