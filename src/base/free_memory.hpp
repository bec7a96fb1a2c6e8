#pragma once
// What a program freed and the allocator still holds.

#include <cstddef>

namespace sparsecast::base {

/// Gives it back to the system, so that who allocates next touches every page for the first time, as in a program that
/// has freed nothing yet. Without effect where the allocator cannot.
void return_free_memory() noexcept;

/// Touches so many bytes and gives them back to the system, which then has them at hand for the next to ask. What a
/// hypervisor takes to find memory that the machine has not used for some seconds is over then: on some it is twenty
/// times what the machine's own system takes, and is paid by whoever happens to come first.
void bring_memory_to_hand(std::size_t bytes) noexcept;

}  // namespace sparsecast::base
