#pragma once
// A question put by Python: its words become a request, its answer a Python object, and meanwhile other threads of the
// interpreter run on, what the library remarks and its progress go to functions, and Ctrl-C ends it.

#include "fields.hpp"

namespace sparsecast::python {

/// Calls `work` on a thread of its own without the interpreter's lock. `remark(line)` and `progress(done, seconds_left,
/// what)` are called on this thread, or are None. What they throw, and what Ctrl-C does, stops the work at its next
/// safe place. Errors of the work pass through. Any number of threads may ask at once.
void run(const std::function<void(const Listener&)>& work, const nanobind::object& remark,
         const nanobind::object& progress);

/// Defines `name(remark, progress, **fields)` of the module, which asks `answer_to` a request with those fields.
/// `document`: the answer's, where it is not called like the question.
template <class Request, class Answer>
void define_question(nanobind::module_& m, const char* name, Answer (*answer_to)(const Request&),
                     const char* document = nullptr) {
  namespace nb = nanobind;
  using namespace nb::literals;
  bind_fields<Answer>(m, document != nullptr ? document : name);
  m.def(
      name,
      [answer_to](const nb::object& remark, const nb::object& progress, const nb::kwargs& fields) {
        Request request;
        take_fields(request, fields);
        std::optional<Answer> answer;
        run(
            [&](const Listener& listener) {
              if constexpr (requires { request.listener; })
                request.listener = listener;
              else if constexpr (requires { request.plan.listener; })
                request.plan.listener = listener;  // a report is a plan and more
              else
                request.kernel.listener = listener;  // a space is a kernel and more
              answer.emplace(answer_to(request));
            },
            remark, progress);
        return std::move(*answer);
      },
      "remark"_a.none(), "progress"_a.none(), "fields"_a);
}

}  // namespace sparsecast::python
