// The extension module sparsecast._core: what Python calls of the library.

#define SPARSECAST_IMPORTS_NUMPY
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <memory>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast/version.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "commands.hpp"
#include "multiplier.hpp"
#include "planning.hpp"

namespace {

namespace nb = nanobind;
using namespace nb::literals;
using namespace sparsecast;
using python::LentCsr;
using python::Multiplier;

// sparsecast._errors.make() gives the exception of each code.
void raise_error(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const Place& place = error.place();
    const nb::object made = nb::module_::import_("sparsecast._errors")
                                .attr("make")(static_cast<int>(error.code()), error.what(), error.reason(), place.file,
                                              place.line, place.column, error.remedy());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  }
}

python::Wishes wishes(const std::string& device, const std::string& profile, bool single, int threads,
                      std::int64_t iterations, std::int64_t vectors, bool transposed) {
  python::Wishes wishes{.device = device,
                        .profile = profile,
                        .precision = single ? Precision::single_ : Precision::double_,
                        .threads = threads,
                        .strategy = {}};
  wishes.strategy.iterations = iterations;
  wishes.strategy.vectors = vectors;
  wishes.strategy.transposed = transposed;
  return wishes;
}

std::unique_ptr<Multiplier> make_plan(const LentCsr& matrix, const python::Wishes& wishes) {
  Strategy strategy;
  {
    const nb::gil_scoped_release others_may_run;
    strategy = python::best_strategy(matrix.matrix(), wishes);
  }
  return std::make_unique<Multiplier>(matrix, std::move(strategy));
}

std::unique_ptr<Multiplier> make_one_kernel(const LentCsr& matrix, const std::string& kernel, bool single,
                                            int threads) {
  return std::make_unique<Multiplier>(
      matrix, one_kernel(matrix.matrix(), kernel, single ? Precision::single_ : Precision::double_,
                         python::most_threads(threads)));
}

nb::list kernels_of(const Multiplier& multiplier) {
  nb::list kernels;
  for (const PlannedBlock& block : multiplier.strategy().blocks) kernels.append(block.kernel);
  return kernels;
}

void bind_classes(nb::module_& m) {
  nb::class_<LentCsr>(m, "Csr", "A matrix in three arrays of NumPy, which are borrowed.")
      .def(nb::init<std::int64_t, std::int64_t, nb::object, nb::object, nb::object, std::string>(), "rows"_a, "cols"_a,
           "indptr"_a, "indices"_a, "data"_a, "name"_a)
      .def_prop_ro("single", &LentCsr::is_single)
      .def("changed", &LentCsr::changed);

  nb::class_<app::LentMatrix>(m, "LentMatrix", "A name under which run() finds a matrix while this object lives.")
      .def("__init__", [](app::LentMatrix* at, const LentCsr& csr) { new (at) app::LentMatrix(csr.matrix()); })
      .def_prop_ro("path", &app::LentMatrix::path);

  nb::class_<python::Wishes>(m, "Wishes", "What a plan is made for.")
      .def(
          "__init__",
          [](python::Wishes* at, const std::string& device, const std::string& profile, bool single, int threads,
             std::int64_t iterations, std::int64_t vectors, bool transposed) {
            new (at) python::Wishes(wishes(device, profile, single, threads, iterations, vectors, transposed));
          },
          "device"_a, "profile"_a, "single"_a, "threads"_a, "iterations"_a, "vectors"_a, "transposed"_a);

  nb::class_<Multiplier>(m, "Multiplier", "A plan, for arrays in its precision.")
      .def("multiply", &Multiplier::multiply, "x"_a.none())
      .def("multiply_transposed", &Multiplier::multiply_transposed, "x"_a.none())
      .def("apply", &Multiplier::apply, "x"_a, "out"_a, "alpha"_a, "beta"_a, "transposed"_a)
      .def("result", &Multiplier::result, "vectors"_a, "transposed"_a, "by_columns"_a)
      .def("update_values", &Multiplier::update_values, "values"_a)
      .def("verify", &Multiplier::verify)
      .def("seconds_alone", &Multiplier::seconds_alone, "products"_a)
      .def_prop_ro("strategy_json", &Multiplier::strategy_json)
      .def_prop_ro("kernels", &kernels_of)
      .def_prop_ro("bytes", &Multiplier::bytes)
      .def_prop_ro("conversion_s", &Multiplier::conversion_seconds)
      .def_prop_ro("threads", [](const Multiplier& self) { return self.strategy().threads; })
      .def_prop_ro("break_even", [](const Multiplier& self) { return self.strategy().break_even; })
      .def_prop_ro("predicted_s", [](const Multiplier& self) { return self.strategy().predicted_s; });
}

void bind_functions(nb::module_& m) {
  m.def("plan", &make_plan, "matrix"_a, "wishes"_a);
  m.def("one_kernel", &make_one_kernel, "matrix"_a, "kernel"_a, "single"_a, "threads"_a);
  m.def("missing_calibrations", &python::missing_calibrations, "wishes"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def("most_threads", &python::most_threads, "asked"_a);
  m.def("use_one_thread", &python::use_one_thread);
  m.def("run", &python::run_command, "arguments"_a, "remark"_a.none() = nb::none(), "progress"_a.none() = nb::none());
  m.def("version_text", &app::version_text);
  m.def("version", [] { return std::string(library_version()); });
}

}  // namespace

NB_MODULE(_core, m) {
  if (_import_array() < 0) throw nb::python_error();
  nb::register_exception_translator(&raise_error);
  bind_classes(m);
  bind_functions(m);
}
