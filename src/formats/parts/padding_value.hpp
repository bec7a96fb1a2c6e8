#pragma once
// Padding of the forms whose slots have no column of their own (DIA, BSR): −0, which adds nothing as long as x is
// finite. Where a sum is not a number, it is added up once more without the padded slots, so that 0·∞ of an entry that
// is not there never shows. An entry that is −0 itself is stored as +0.

#include <cmath>

namespace sparsecast::formats {

template <class Value>
inline constexpr Value padding_value = Value{-0.0};

template <class Value>
bool is_padding(Value slot) noexcept {
  return slot == 0 && std::signbit(slot);
}

/// An entry as such a form stores it.
template <class Value, class Entry>
Value stored(Entry entry) noexcept {
  return static_cast<Value>(entry) + Value{0};  // −0 + 0 = 0
}

}  // namespace sparsecast::formats
