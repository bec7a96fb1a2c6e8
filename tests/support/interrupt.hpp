#pragma once
// A Ctrl-C for the rest of a scope.

#include "base/interrupt.hpp"

namespace sparsecast::test {

class Interrupt {
 public:
  Interrupt() { base::request_interrupt(); }
  ~Interrupt() { base::forget_interrupt(); }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
};

}  // namespace sparsecast::test
