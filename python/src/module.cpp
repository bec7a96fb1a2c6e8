// The extension module sparsecast._core: what Python calls of the library.

#define SPARSECAST_IMPORTS_NUMPY
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <omp.h>

#include <sparsecast/answers.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast/version.hpp>

#include "ask.hpp"
#include "fields/answers.hpp"
#include "live_formats.hpp"
#include "multiplier.hpp"
#include "vocabulary.hpp"

namespace sparsecast::app {
void teach_command_line();  // the words of the command, of src/app
}
int sparsecast_command(int argc, char** argv);  // the main() of src/app/program.cpp

namespace {

namespace nb = nanobind;
using namespace nb::literals;
using namespace sparsecast;
using python::LentCsr;
using python::Multiplier;
using python::SourceWatch;

// sparsecast._errors.make() gives the exception of each code.
void raise_error(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const Place& place = error.place();
    const nb::object made = nb::module_::import_("sparsecast._errors")
                                .attr("make")(static_cast<int>(error.code()), error.message(Voice::python),
                                              error.reason_text().in(Voice::python), place.file, place.line,
                                              place.column, error.remedy_text().in(Voice::python));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  }
}

// A fit to a thorough calibration takes a minute the first time. A warning that is made an error does not end it.
void warn_of_fit(std::string_view line) {
  const nb::gil_scoped_acquire lock;
  if (PyErr_WarnEx(PyExc_UserWarning, ("sparsecast: " + std::string(line)).c_str(), 1) < 0) PyErr_Clear();
}

// What Python's keywords say of a plan; names and types as the table of PlanRequest has them.
PlanRequest request_of(const nb::kwargs& fields) {
  PlanRequest request;
  python::take_fields(request, fields);
  request.listener = {.remark = warn_of_fit, .voice = Voice::python};
  return request;
}

std::unique_ptr<Multiplier> make_plan(const LentCsr& matrix, std::shared_ptr<SourceWatch> source,
                                      const nb::kwargs& fields) {
  PlanRequest request = request_of(fields);
  request.matrix = matrix.matrix();
  Plan made = [&] {
    const nb::gil_scoped_release others_may_run;
    return plan(request);
  }();
  request.matrix = {};
  request.trials = "none";
  return std::make_unique<Multiplier>(matrix, std::move(made), std::move(request), std::move(source));
}

// Vectors in a device's memory as Python tells them: the numbers of DeviceVectors in their order.
using ToldVectors = std::array<std::int64_t, 6>;
DeviceVectors told(const ToldVectors& numbers) {
  const auto [memory, first, rows, vectors, row_stride, vector_stride] = numbers;
  return {reinterpret_cast<void*>(memory), first, rows, vectors, row_stride, vector_stride};  // NOLINT: a handle
}
void apply_there(const Multiplier& self, const ToldVectors& x, const ToldVectors& y, double alpha, double beta,
                 bool transposed, std::uintptr_t context, std::uintptr_t queue) {
  self.apply_there(told(x), told(y), alpha, beta, transposed, reinterpret_cast<void*>(context),  // NOLINT: handles
                   reinterpret_cast<void*>(queue));                                              // NOLINT
}

void bind_classes(nb::module_& m) {
  nb::class_<LentCsr>(m, "Csr", "A matrix in three arrays of NumPy, which are borrowed.")
      .def(nb::init<std::int64_t, std::int64_t, nb::object, nb::object, nb::object, std::string>(), "rows"_a, "cols"_a,
           "indptr"_a, "indices"_a, "data"_a, "name"_a)
      .def_static("live", &LentCsr::live, "rows"_a, "cols"_a, "indptr"_a, "indices"_a, "data"_a, "kept"_a)
      .def_prop_ro("single", &LentCsr::is_single)
      .def("changed", [](const LentCsr& self) { return self.change() != python::Change::none; });

  nb::class_<SourceWatch>(m, "SourceWatch", "Tells when a matrix is another than the one that was planned.")
      .def(nb::init<const nb::object&, const std::vector<python::WatchedArray>&, nb::object, nb::object>(),
           "source"_a.none(), "arrays"_a, "probe"_a.none(), "compare"_a)
      .def("look", &SourceWatch::look)
      .def("compare", &SourceWatch::compare)
      .def_prop_ro("source", &SourceWatch::source, nb::sig("def source(self) -> typing.Any"));

  nb::class_<Multiplier>(m, "Multiplier", "A plan, for arrays in its precision.")
      .def("multiply", &Multiplier::multiply, "x"_a.none())
      .def("multiply_transposed", &Multiplier::multiply_transposed, "x"_a.none())
      .def("multiply_arrays", &Multiplier::multiply_arrays, "indptr"_a, "indices"_a, "data"_a, "x"_a, "transposed"_a)
      .def("apply", &Multiplier::apply, "x"_a, "out"_a, "alpha"_a, "beta"_a, "transposed"_a)
      .def("apply_there", &apply_there, "x"_a, "out"_a, "alpha"_a, "beta"_a, "transposed"_a, "context"_a, "queue"_a)
      .def("gram", &Multiplier::gram, "x"_a, "out"_a)
      .def("apply_powers", &Multiplier::apply_powers, "x"_a, "out"_a, "power"_a)
      .def("apply_polynomial", &Multiplier::apply_polynomial, "c"_a, "x"_a, "out"_a)
      .def("apply_chebyshev", &Multiplier::apply_chebyshev, "c"_a, "a"_a, "b"_a, "x"_a, "out"_a)
      .def("result", &Multiplier::result, "vectors"_a, "transposed"_a, "by_columns"_a,
           nb::sig("def result(self, vectors: int, transposed: bool, by_columns: bool) -> typing.Any"))
      .def("update_values", &Multiplier::update_values, "values"_a, "source"_a.none())
      .def("verify", &Multiplier::verify)
      .def("check", &Multiplier::check)
      .def("seconds_alone", &Multiplier::seconds_alone, "products"_a)
      .def_prop_ro("strategy",
                   [](const Multiplier& self) {
                     return nb::cast<nb::dict>(python::to_python(fields::written(self.strategy())));
                   })
      .def_prop_ro("kernels", &Multiplier::kernels)
      .def_prop_ro(
          "trials",
          [](const Multiplier& self) -> nb::object {
            const std::optional<TrialReport> report = self.trials();
            return report ? python::to_python(fields::written(*report)) : nb::none();
          },
          nb::sig("def trials(self) -> dict[str, typing.Any] | None"))
      .def("health", [](const Multiplier& self) { return self.health().line; })
      .def_prop_ro("bytes", &Multiplier::bytes)
      .def_prop_ro("conversion_s", &Multiplier::conversion_seconds)
      .def_prop_ro("device", [](const Multiplier& self) { return self.device(); })
      .def_prop_ro(
          "own_queue",
          [](const Multiplier& self) {
            const DeviceHandles handles = self.handles();
            // CUDA's memory knows no contexts.
            return std::pair(handles.api == "CUDA" ? 0 : reinterpret_cast<std::uintptr_t>(handles.context),
                             reinterpret_cast<std::uintptr_t>(handles.queue));
          },
          "The numbers of the context and the queue of a plan on a device.")
      .def("wait", &Multiplier::wait)
      .def_prop_ro("threads", [](const Multiplier& self) { return self.strategy().threads; })
      .def_prop_ro("break_even", [](const Multiplier& self) { return self.strategy().break_even; })
      .def_prop_ro("predicted_s", [](const Multiplier& self) { return self.strategy().predicted_s; });
}

// Every question of <sparsecast/answers.hpp>.
void define_questions(nb::module_& m) {
  using python::define_question;
  define_question(m, "calibrate", &calibrate);
  define_question(m, "catalogue", &catalogue);
  define_question(m, "cluster_predict", &cluster_predict, "cluster-predict");
  define_question(m, "compare", &compare);
  define_question(m, "devices", &devices);
  define_question(m, "doctor", &doctor);
  define_question(m, "evaluate", &evaluate);
  define_question(m, "info", &info);
  define_question(m, "kernel", &kernel);
  define_question(m, "kernel_space", &kernel_space, "kernel");
  define_question(m, "measure", &measure);
  define_question(m, "plan_report", &plan_report, "optimize");
  define_question(m, "predict", &predict);
  define_question(m, "profiles", &profiles);
  define_question(m, "solve", &solve);
  define_question(m, "traffic", &traffic);
}

void bind_functions(nb::module_& m) {
  m.def(
      "command",
      [](std::vector<std::string> words) {
        std::vector<char*> at;
        for (std::string& word : words) at.push_back(word.data());
        at.push_back(nullptr);
        const nb::gil_scoped_release others_may_run;
        return sparsecast_command(static_cast<int>(words.size()), at.data());
      },
      "words"_a);
  m.def("plan", &make_plan, "matrix"_a, "source"_a.none(), "fields"_a);
  m.def("multiply_coo", &python::multiply_coo, "rows"_a, "row"_a, "column"_a, "values"_a, "x"_a);
  m.def("multiply_bsr", &python::multiply_bsr, "indptr"_a, "indices"_a, "values"_a, "x"_a);
  m.def("most_threads", &most_threads, "asked"_a);
  m.def("use_one_thread", [] { omp_set_num_threads(1); });  // for a child of fork(): the threads did not come along
  m.def("version", [] { return std::string(library_version()); });
  m.def(
      "functions",
      [] {
        std::map<std::string, std::vector<std::string>> all;
        for (const python::Function& one : python::functions()) all[one.name] = one.fields;
        for (const python::Renamed& field : python::renamed_fields())
          for (const python::Function& one : python::functions())
            if (one.question == field.question && !field.name.empty()) all[one.name].push_back(field.name);
        return all;
      },
      "The functions that texts of the library name, with their arguments.");
}

}  // namespace

NB_MODULE(_core, m) {
  if (_import_array() < 0) throw nb::python_error();
  nb::register_exception_translator(&raise_error);
  python::teach_python();
  app::teach_command_line();  // for what Python has no function for
  bind_classes(m);
  bind_functions(m);
  define_questions(m);
}
