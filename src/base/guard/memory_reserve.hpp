#pragma once
// Memory for those who may not fail. Destructors of nlohmann's json (3.11) ask for some, and end the process where they
// get none: of a request that runs out of memory while it copies a document, nothing would be left to say so.

namespace sparsecast::base {
/// Puts address space aside, where none is yet, which the first allocation that fails gives back: in two halves, the
/// first to serve that allocation if it is small, a destructor's, the second for what follows its bad_alloc, since what
/// served it is then taken. A program's own std::set_new_handler() stays.
void put_memory_aside() noexcept;
}  // namespace sparsecast::base
