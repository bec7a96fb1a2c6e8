/* Conjugate gradients with a planned product: cg MATRIX solves A x = 1 for a symmetric positive definite matrix. */
#include <math.h>
#include <sparsecast.h>
#include <stdio.h>
#include <stdlib.h>

static void need(int status) {
  if (status == SPARSECAST_OK) return;
  fprintf(stderr, "cg: %s\n", sparsecast_error_text());
  exit(1);
}

static double dot(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

int main(int argc, char **argv) {
  sparsecast_matrix *matrix;
  sparsecast_plan *plan;
  const sparsecast_plan_options options = {.struct_size = sizeof options, .iterations = 500};
  sparsecast_strategy info = {.struct_size = sizeof info};
  if (argc != 2) return fprintf(stderr, "usage: cg MATRIX\n"), 2;
  need(sparsecast_matrix_read(argv[1], &matrix));
  need(sparsecast_plan_create(matrix, &options, &plan));
  need(sparsecast_plan_info(plan, &info));

  const int64_t n = info.rows;
  double *x = calloc((size_t)n, sizeof *x), *r = malloc((size_t)n * sizeof *r);
  double *p = malloc((size_t)n * sizeof *p), *q = malloc((size_t)n * sizeof *q);
  if (!x || !r || !p || !q) return fprintf(stderr, "cg: no memory for vectors\n"), 1;
  for (int64_t i = 0; i < n; ++i) r[i] = p[i] = 1;

  int iterations = 0;
  const double enough = 1e-20 * dot(r, r, n);
  double rr = dot(r, r, n);
  for (; rr > enough && iterations < 10000; ++iterations) {
    need(sparsecast_apply(plan, SPARSECAST_NORMAL, 1, p, n, 0, q, n)); /* q = A p */
    const double alpha = rr / dot(p, q, n), before = rr;
    for (int64_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    rr = dot(r, r, n);
    for (int64_t i = 0; i < n; ++i) p[i] = r[i] + rr / before * p[i];
  }
  printf("%s: %d iterations, residual %.2e, |x| = %.12g\n", info.reason, iterations, sqrt(rr / (double)n),
         sqrt(dot(x, x, n)));
  free(x), free(r), free(p), free(q);
  need(sparsecast_plan_free(plan));
  need(sparsecast_matrix_free(matrix));
  return rr <= enough ? 0 : 1;
}
