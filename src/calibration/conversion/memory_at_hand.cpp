#include "calibration/conversion/memory_at_hand.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <sparsecast/array.hpp>

namespace sparsecast::calibration {
namespace {
// Linux tells a hypervisor of free memory once in two seconds (mm/page_reporting.c), a sixteenth of it at a time.
constexpr double at_hand_s = 1;

void touch_once(std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  prefer_huge_pages(memory, bytes);
  auto* touched = static_cast<volatile char*>(memory);
  for (std::size_t at = 0; at < bytes; at += page) touched[at] = 1;
  static_cast<void>(munmap(memory, bytes));
}
}  // namespace

std::size_t MemoryAtHand::want(std::size_t bytes, double now_s) noexcept {
  if (now_s - since_s_ > at_hand_s) bytes_ = 0;
  const bool here = bytes <= bytes_;
  bytes_ -= std::min(bytes, bytes_);
  wanted_ += bytes;
  if (here) return 0;
  touch_once(bytes);
  return bytes;
}

void MemoryAtHand::give_back(double now_s) noexcept {
  bytes_ = (now_s - since_s_ > at_hand_s ? 0 : bytes_) + wanted_;
  wanted_ = 0;
  since_s_ = now_s;
}
}  // namespace sparsecast::calibration
