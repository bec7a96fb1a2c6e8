#pragma once
// Answers: everything that the command, Python and C++ can ask. For each question there is a request, a plain struct,
// an answer, a plain struct too, and one function from the one to the other.
//
//   #include <cstdio>
//   #include <sparsecast/answers.hpp>
//   #include <sparsecast/generate.hpp>
//
//   int main() {
//     const sparsecast::Matrix a = sparsecast::generate({.kind = "poisson2d", .parameters = {.size = 100}});
//     const sparsecast::Prediction prediction = sparsecast::predict({.matrix = a});
//     std::printf("%s: %.3g s, %s\n", prediction.recommended.kernel.c_str(), prediction.recommended.seconds,
//                 prediction.recommended.reason.c_str());
//   }
//
// All of them are silent: what is worth knowing goes to the request's Listener, which also stops them.
// Thread safety: requests and answers are values; the functions say theirs.

#include <sparsecast/answers/calibrate.hpp>
#include <sparsecast/answers/cluster.hpp>
#include <sparsecast/answers/compare.hpp>
#include <sparsecast/answers/devices.hpp>
#include <sparsecast/answers/doctor.hpp>
#include <sparsecast/answers/evaluate.hpp>
#include <sparsecast/answers/generate.hpp>
#include <sparsecast/answers/info.hpp>
#include <sparsecast/answers/kernel.hpp>
#include <sparsecast/answers/measure.hpp>
#include <sparsecast/answers/plan_needs.hpp>
#include <sparsecast/answers/plan_report.hpp>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/answers/profiles.hpp>
#include <sparsecast/answers/solve.hpp>
#include <sparsecast/answers/traffic.hpp>
