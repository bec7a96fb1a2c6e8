#include "cluster/scheme/index_permutation.hpp"

#include <utility>

namespace sparsecast::cluster {
IndexPermutation::IndexPermutation(std::int64_t size, std::uint64_t seed)
    : size_(static_cast<std::uint64_t>(size)), half_bits_(1) {
  while (half_bits_ < 31 && (std::uint64_t{1} << (2 * half_bits_)) < size_) ++half_bits_;
  half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
  for (std::size_t round = 0; round < keys_.size(); ++round) keys_[round] = mix_bits(seed * 4 + round);
}

std::uint64_t IndexPermutation::forward(std::uint64_t value) const {
  std::uint64_t left = value >> half_bits_, right = value & half_mask_;
  for (const std::uint64_t key : keys_) left = std::exchange(right, left ^ (mix_bits(right ^ key) & half_mask_));
  return (left << half_bits_) | right;
}

std::uint64_t IndexPermutation::backward(std::uint64_t value) const {
  std::uint64_t left = value >> half_bits_, right = value & half_mask_;
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key)
    right = std::exchange(left, right ^ (mix_bits(left ^ *key) & half_mask_));
  return (left << half_bits_) | right;
}

std::int64_t IndexPermutation::operator()(std::int64_t index) const {
  auto value = static_cast<std::uint64_t>(index);
  do value = forward(value);
  while (value >= size_);
  return static_cast<std::int64_t>(value);
}

std::int64_t IndexPermutation::inverse(std::int64_t position) const {
  auto value = static_cast<std::uint64_t>(position);
  do value = backward(value);
  while (value >= size_);
  return static_cast<std::int64_t>(value);
}
}  // namespace sparsecast::cluster
