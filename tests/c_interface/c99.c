/* A program of C99 that uses all of sparsecast.h as its callers do; `c99 FOLDER`, to write to. The host of
 * $SPARSECAST_HOME is measured. */
#include <complex.h>
#include <math.h>
#include <sparsecast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
#define CHECK(truth)                                                             \
  do {                                                                           \
    if (!(truth)) {                                                              \
      printf("line %d: not so: %s (%s)\n", __LINE__, #truth, sparsecast_error_text()); \
      ++failures;                                                                \
    }                                                                            \
  } while (0)
#define OK(call) CHECK((call) == SPARSECAST_OK)
#define REFUSED(status, call) CHECK((call) == (status) && sparsecast_error_text()[0] != 0)

/* [4 0 1; 0 5 0; 2 3 0; 0 0 0] */
enum { rows = 4, cols = 3, nonzeros = 5 };
static const int32_t pointers32[] = {0, 2, 3, 5, 5}, columns32[] = {0, 2, 1, 0, 1};
static const int64_t pointers64[] = {0, 2, 3, 5, 5}, columns64[] = {0, 2, 1, 0, 1};
static const double values[] = {4, 1, 5, 2, 3};
static const float single_values[] = {4, 1, 5, 2, 3};
static const double x[] = {1, 10, 100}, u[] = {1, 10, 100, 1000};
static const sparsecast_plan_options csr_kernel = {.struct_size = sizeof csr_kernel, .kernel = "csr", .threads = 2};

static sparsecast_csr described(void) {
  const sparsecast_csr csr = {.struct_size = sizeof csr, .rows = rows, .cols = cols, .nonzeros = nonzeros,
                              .row_pointers = pointers32, .column_indices = columns32, .values = values,
                              .row_pointer_type = SPARSECAST_INT32, .column_index_type = SPARSECAST_INT32,
                              .value_type = SPARSECAST_DOUBLE};
  return csr;
}

static sparsecast_plan *plan_of(const sparsecast_csr *csr) {
  sparsecast_matrix *matrix = NULL;
  sparsecast_plan *plan = NULL;
  OK(sparsecast_matrix_borrow(csr, &matrix));
  OK(sparsecast_plan_create(matrix, &csr_kernel, &plan));
  OK(sparsecast_matrix_free(matrix));
  return plan;
}

static void products_of_every_type(void) {
  for (int wide = 0; wide < 3; ++wide) {
    for (int single = 0; single < 2; ++single) {
      sparsecast_csr csr = described();
      if (wide > 0) csr.row_pointers = pointers64, csr.row_pointer_type = SPARSECAST_INT64;
      if (wide > 1) csr.column_indices = columns64, csr.column_index_type = SPARSECAST_INT64;
      if (single) csr.values = single_values, csr.value_type = SPARSECAST_FLOAT;
      sparsecast_plan *plan = plan_of(&csr);
      sparsecast_strategy info = {.struct_size = sizeof info};
      OK(sparsecast_plan_info(plan, &info));
      CHECK(info.copied_bytes == 0 && info.rows == rows && info.blocks == 1);
      CHECK(strcmp(info.precision, single ? "single" : "double") == 0);
      if (single) {
        const float in[] = {1, 10, 100};
        float out[] = {NAN, NAN, NAN, NAN};
        OK(sparsecast_apply_float(plan, SPARSECAST_NORMAL, 1, in, cols, 0, out, rows));
        CHECK(out[0] == 104 && out[1] == 50 && out[2] == 32 && out[3] == 0);
        double wrong[rows];
        REFUSED(SPARSECAST_USAGE, sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, cols, 0, wrong, rows));
      } else {
        double y[] = {NAN, NAN, NAN, NAN}, z[] = {1, 1, 1};
        OK(sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, cols, 0, y, rows));
        CHECK(y[0] == 104 && y[1] == 50 && y[2] == 32 && y[3] == 0);
        OK(sparsecast_apply(plan, SPARSECAST_TRANSPOSED, 2, u, rows, 1, z, cols));
        CHECK(z[0] == 2 * 204 + 1 && z[1] == 2 * 350 + 1 && z[2] == 2 * 1 + 1);
      }
      OK(sparsecast_plan_free(plan));
    }
  }
}

static void blocks_of_vectors(void) {
  const sparsecast_csr csr = described();
  sparsecast_plan *plan = plan_of(&csr);
  const double by_rows[] = {1, 2, 10, 20, 100, 200};
  double y[rows * 2], z[rows * 3];
  OK(sparsecast_apply_block(plan, SPARSECAST_NORMAL, SPARSECAST_ROW_MAJOR, 2, 1, by_rows, 6, 0, 0, y, 8, 0));
  CHECK(y[0] == 104 && y[1] == 208 && y[4] == 32 && y[5] == 64);
  const double by_columns[] = {1, 10, 100, 2, 20, 200};
  OK(sparsecast_apply_block(plan, SPARSECAST_NORMAL, SPARSECAST_COLUMN_MAJOR, 2, 1, by_columns, 6, 0, 0, z, 12, 6));
  CHECK(z[0] == 104 && z[6] == 208 && z[8] == 64);
  REFUSED(SPARSECAST_USAGE,
          sparsecast_apply_block(plan, SPARSECAST_NORMAL, SPARSECAST_ROW_MAJOR, 3, 1, by_rows, 6, 0, 0, z, 12, 0));
  REFUSED(SPARSECAST_USAGE, sparsecast_apply_block(plan, SPARSECAST_NORMAL, 7, 2, 1, by_rows, 6, 0, 0, y, 8, 0));
  OK(sparsecast_plan_free(plan));
}

static void complex_products(void) {
  const double complex matrix_values[] = {4 + 1 * I, 1, 5 * I, 2, 3 - 2 * I}, in[] = {1, I, 2 - I};
  const double complex alpha = 2 + I, beta = -I;
  double complex y[] = {1, 2, 3, 4}, z[cols];
  sparsecast_csr csr = described();
  csr.values = matrix_values, csr.value_type = SPARSECAST_COMPLEX_DOUBLE;
  sparsecast_plan *plan = plan_of(&csr);
  const double complex wanted[] = {(4 + I) + (2 - I), 5 * I * I, 2 + (3 - 2 * I) * I, 0};
  OK(sparsecast_apply_complex(plan, SPARSECAST_NORMAL, &alpha, in, cols, &beta, y, rows));
  for (int r = 0; r < rows; ++r) CHECK(cabs(y[r] - (alpha * wanted[r] + beta * (r + 1))) < 1e-12);
  const double complex from[] = {1, I, 2, 5};
  OK(sparsecast_apply_complex(plan, SPARSECAST_ADJOINT, NULL, from, rows, NULL, z, cols));
  CHECK(cabs(z[0] - ((4 - I) + 4)) < 1e-12 && cabs(z[1] - (-5 * I * I + 2 * (3 + 2 * I))) < 1e-12);
  double real[rows];
  REFUSED(SPARSECAST_USAGE, sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, cols, 0, real, rows));
  REFUSED(SPARSECAST_USAGE, sparsecast_apply_complex(plan, SPARSECAST_NORMAL, NULL, in, cols, NULL, y, rows - 1));

  sparsecast_matrix *matrix = NULL, *transposed = NULL;
  sparsecast_plan *other = NULL;
  double complex w[cols];
  OK(sparsecast_matrix_borrow(&csr, &matrix));
  OK(sparsecast_matrix_transpose(matrix, &transposed));
  OK(sparsecast_plan_create(transposed, &csr_kernel, &other));
  OK(sparsecast_plan_update_values(other, NULL, 0)); /* its values are its own: nothing is new */
  OK(sparsecast_apply_complex(plan, SPARSECAST_TRANSPOSED, NULL, from, rows, NULL, z, cols));
  OK(sparsecast_apply_complex(other, SPARSECAST_NORMAL, NULL, from, rows, NULL, w, cols));
  for (int c = 0; c < cols; ++c) CHECK(cabs(z[c] - w[c]) < 1e-12);
  OK(sparsecast_plan_free(other));
  OK(sparsecast_plan_free(plan));
  OK(sparsecast_matrix_free(transposed));
  OK(sparsecast_matrix_free(matrix));
}

/* Row 0 of [a 0 b; …] times (1, i, 2 - i). */
static double complex first_entry(const sparsecast_plan *plan) {
  const double complex in[] = {1, I, 2 - I};
  double complex y[rows];
  OK(sparsecast_apply_complex(plan, SPARSECAST_NORMAL, NULL, in, cols, NULL, y, rows));
  return y[0];
}

/* Pairs are read where they lie, and new ones are taken as pairs, whether the matrix was lent or read. */
static void complex_values(const char *folder) {
  double complex mine[] = {4 + 1 * I, 1, 5 * I, 2, 3 - 2 * I}, other[] = {1, 2 * I, 3, 4, 5};
  char file[1024];
  snprintf(file, sizeof file, "%s/c99.complex.mtx", folder);
  FILE *written = fopen(file, "w");
  CHECK(written != NULL);
  if (written == NULL) return;
  fputs("%%MatrixMarket matrix coordinate complex general\n4 3 5\n", written);
  fputs("1 1 4 1\n1 3 1 0\n2 2 0 5\n3 1 2 0\n3 2 3 -2\n", written);
  fclose(written);
  sparsecast_csr csr = described();
  csr.values = mine, csr.value_type = SPARSECAST_COMPLEX_DOUBLE;
  for (int is_read = 0; is_read < 2; ++is_read) {
    sparsecast_matrix *matrix = NULL, *turned = NULL;
    sparsecast_plan *plan = NULL;
    OK(is_read ? sparsecast_matrix_read(file, &matrix) : sparsecast_matrix_borrow(&csr, &matrix));
    sparsecast_matrix_size size = {.struct_size = sizeof size};
    sparsecast_csr seen = {.struct_size = sizeof seen};
    OK(sparsecast_matrix_info(matrix, &size));
    OK(sparsecast_matrix_csr(matrix, &seen));
    CHECK(seen.value_type == SPARSECAST_COMPLEX_DOUBLE && ((const double complex *)seen.values)[2] == 5 * I);
    CHECK(is_read || (size.copied_bytes == 0 && seen.values == mine));
    OK(sparsecast_matrix_transpose(matrix, &turned));
    OK(sparsecast_matrix_csr(turned, &seen));
    CHECK(seen.rows == cols && ((const double complex *)seen.values)[3] == 3 - 2 * I);
    OK(sparsecast_plan_create(matrix, &csr_kernel, &plan));
    sparsecast_strategy info = {.struct_size = sizeof info};
    OK(sparsecast_plan_info(plan, &info));
    CHECK(strcmp(info.precision, "complex-double") == 0 && info.vectors == 1 && info.copied_bytes == 0);
    CHECK(first_entry(plan) == (4 + I) + (2 - I));
    OK(sparsecast_plan_update_values(plan, other, nonzeros));
    CHECK(first_entry(plan) == 1 + 2 * I * (2 - I));
    other[0] = I;
    OK(sparsecast_plan_update_values(plan, NULL, 0));
    CHECK(first_entry(plan) == I + 2 * I * (2 - I));
    other[0] = 1;
    sparsecast_prediction *prediction = NULL;
    sparsecast_prediction_summary all = {.struct_size = sizeof all};
    OK(sparsecast_predict(matrix, NULL, &prediction));
    OK(sparsecast_prediction_info(prediction, &all));
    CHECK(strcmp(all.precision, "complex-double") == 0 && all.vectors == 1);
    OK(sparsecast_prediction_free(prediction));
    OK(sparsecast_plan_free(plan));
    OK(sparsecast_matrix_free(turned));
    OK(sparsecast_matrix_free(matrix));
  }
}

/* Without rows, whatever the values are. */
static void nothing(int value_type) {
  const int32_t none = 0;
  sparsecast_csr csr = {.struct_size = sizeof csr, .row_pointers = &none, .row_pointer_type = SPARSECAST_INT32,
                        .column_index_type = SPARSECAST_INT32, .value_type = value_type};
  sparsecast_matrix *matrix = NULL;
  sparsecast_plan *plan = NULL;
  OK(sparsecast_matrix_borrow(&csr, &matrix));
  OK(sparsecast_plan_create(matrix, NULL, &plan));
  if (value_type == SPARSECAST_COMPLEX_DOUBLE || value_type == SPARSECAST_DOUBLE)
    OK(sparsecast_apply_complex(plan, SPARSECAST_ADJOINT, NULL, NULL, 0, NULL, NULL, 0));
  OK(sparsecast_plan_free(plan));
  OK(sparsecast_matrix_free(matrix));
}

static void new_values(void) {
  double mine[nonzeros], other[nonzeros] = {1, 1, 1, 1, 1}, y[rows];
  memcpy(mine, values, sizeof mine);
  sparsecast_csr csr = described();
  csr.values = mine;
  sparsecast_plan *plan = plan_of(&csr);
  for (int kernel = 0; kernel < 2; ++kernel) {
    OK(sparsecast_plan_update_values(plan, other, nonzeros));
    OK(sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, cols, 0, y, rows));
    CHECK(y[0] == 101 && y[1] == 10 && y[2] == 11);
    other[0] = 2;
    OK(sparsecast_plan_update_values(plan, NULL, 0));
    OK(sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, cols, 0, y, rows));
    CHECK(y[0] == 102);
    REFUSED(SPARSECAST_USAGE, sparsecast_plan_update_values(plan, other, nonzeros - 1));
    OK(sparsecast_plan_free(plan));
    other[0] = 1;
    /* A format with arrays of its own. */
    const sparsecast_plan_options ell = {.struct_size = sizeof ell, .kernel = "ell"};
    sparsecast_matrix *matrix = NULL;
    OK(sparsecast_matrix_borrow(&csr, &matrix));
    OK(sparsecast_plan_create(matrix, &ell, &plan));
    sparsecast_strategy info = {.struct_size = sizeof info};
    OK(sparsecast_plan_info(plan, &info));
    CHECK(info.copied_bytes == info.bytes && info.bytes > 0);
    OK(sparsecast_matrix_free(matrix));
  }
  OK(sparsecast_plan_free(plan));
}

static void indices_from_one_and_columns_first(void) {
  const int64_t starts[] = {1, 3, 4, 6, 6};
  const int32_t at[] = {1, 3, 2, 1, 2};
  sparsecast_csr csr = described();
  csr.row_pointers = starts, csr.row_pointer_type = SPARSECAST_INT64, csr.column_indices = at, csr.index_base = 1;
  sparsecast_matrix *matrix = NULL, *transposed = NULL;
  OK(sparsecast_matrix_borrow(&csr, &matrix));
  sparsecast_matrix_size size = {.struct_size = sizeof size};
  OK(sparsecast_matrix_info(matrix, &size));
  CHECK(size.rows == rows && size.nonzeros == nonzeros && size.copied_bytes == 5 * 8 + 5 * 4);
  OK(sparsecast_matrix_transpose(matrix, &transposed));
  sparsecast_csr seen = {.struct_size = sizeof seen};
  OK(sparsecast_matrix_csr(transposed, &seen));
  CHECK(seen.rows == cols && seen.cols == rows && ((const double *)seen.values)[1] == 2);
  sparsecast_plan *plan = NULL;
  double z[cols];
  OK(sparsecast_plan_create(transposed, &csr_kernel, &plan));
  OK(sparsecast_apply(plan, SPARSECAST_NORMAL, 1, u, rows, 0, z, cols));
  CHECK(z[0] == 204 && z[1] == 350 && z[2] == 1);
  OK(sparsecast_plan_free(plan));
  OK(sparsecast_matrix_free(transposed));
  OK(sparsecast_matrix_free(matrix));
}

static void forecasts(void) {
  sparsecast_matrix *matrix = NULL;
  sparsecast_prediction *prediction = NULL;
  OK(sparsecast_matrix_generate("poisson2d", "{\"size\": 60}", 0, &matrix));
  const sparsecast_predict_options options = {.struct_size = sizeof options, .iterations = 1000};
  OK(sparsecast_predict(matrix, &options, &prediction));
  sparsecast_prediction_summary all = {.struct_size = sizeof all};
  OK(sparsecast_prediction_info(prediction, &all));
  CHECK(all.forecasts >= 3 && strcmp(all.device, "host") == 0 && all.vectors == 1 && all.drift == -1);
  sparsecast_forecast first = {.struct_size = sizeof first}, next = {.struct_size = sizeof next};
  OK(sparsecast_prediction_forecast(prediction, 0, &first));
  OK(sparsecast_prediction_forecast(prediction, 1, &next));
  CHECK(first.low_s <= first.seconds && first.seconds <= first.high_s && !(first.total_s > next.total_s));
  double sum = 0;
  for (int64_t part = 0; part < first.parts; ++part) {
    sparsecast_forecast_part term = {.struct_size = sizeof term};
    OK(sparsecast_prediction_part(prediction, 0, part, &term));
    sum += term.seconds;
  }
  CHECK(first.parts == 0 || fabs(sum - first.seconds) < 1e-9 * first.seconds);
  sparsecast_recommendation use = {.struct_size = sizeof use};
  OK(sparsecast_prediction_recommendation(prediction, &use));
  CHECK(use.seconds > 0 && use.reason[0] != 0 && strcmp(use.kernel, all.recommended) == 0);
  REFUSED(SPARSECAST_USAGE, sparsecast_prediction_forecast(prediction, all.forecasts, &first));
  OK(sparsecast_prediction_free(prediction));
  REFUSED(SPARSECAST_BAD_HANDLE, sparsecast_prediction_info(prediction, &all));
  OK(sparsecast_matrix_free(matrix));
}

static void planned_and_kept(const char *home) {
  char file[1024];
  snprintf(file, sizeof file, "%s/c99.plan.json", home);
  sparsecast_matrix *matrix = NULL, *none = NULL;
  sparsecast_plan *plan = NULL, *again = NULL;
  OK(sparsecast_matrix_generate("longrow", "{\"rows\": 4000, \"row_mean\": 5}", 1, &matrix));
  OK(sparsecast_plan_create(matrix, NULL, &plan));
  sparsecast_strategy info = {.struct_size = sizeof info};
  OK(sparsecast_plan_info(plan, &info));
  CHECK(info.blocks >= 1 && info.predicted_s > 0 && info.reason[0] != 0 && strcmp(info.device, "host") == 0);
  int64_t next = 0;
  for (int64_t b = 0; b < info.blocks; ++b) {
    sparsecast_planned_block block = {.struct_size = sizeof block};
    OK(sparsecast_plan_block(plan, b, &block));
    CHECK(block.first_row == next && block.kernel[0] != 0);
    next = block.last_row + 1;
  }
  CHECK(next == info.rows);
  OK(sparsecast_plan_save(plan, file));
  OK(sparsecast_plan_load(file, matrix, &again));
  REFUSED(SPARSECAST_BAD_INPUT, sparsecast_matrix_read(file, &none));
  CHECK(none == NULL);
  OK(sparsecast_plan_free(again));
  OK(sparsecast_plan_free(plan));
  OK(sparsecast_matrix_free(matrix));
}

static void bad_calls(void) {
  sparsecast_csr csr = described();
  sparsecast_matrix *matrix = NULL;
  sparsecast_plan *plan = plan_of(&csr);
  double y[rows];
  REFUSED(SPARSECAST_BAD_HANDLE, sparsecast_apply(NULL, SPARSECAST_NORMAL, 1, x, cols, 0, y, rows));
  REFUSED(SPARSECAST_BAD_HANDLE, sparsecast_matrix_free((sparsecast_matrix *)plan));
  REFUSED(SPARSECAST_USAGE, sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, cols - 1, 0, y, rows));
  REFUSED(SPARSECAST_USAGE, sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, cols, 0, y, -1));
  REFUSED(SPARSECAST_USAGE, sparsecast_apply(plan, SPARSECAST_NORMAL, 1, NULL, cols, 0, y, rows));
  REFUSED(SPARSECAST_USAGE, sparsecast_apply(plan, 9, 1, x, cols, 0, y, rows));
  REFUSED(SPARSECAST_USAGE, sparsecast_apply(plan, SPARSECAST_NORMAL, 1, y, cols, 0, y, rows)); /* overlap */
  OK(sparsecast_plan_free(plan));
  REFUSED(SPARSECAST_BAD_HANDLE, sparsecast_plan_free(plan));
  REFUSED(SPARSECAST_BAD_HANDLE, sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, cols, 0, y, rows));
  REFUSED(SPARSECAST_USAGE, sparsecast_matrix_borrow(NULL, &matrix));
  REFUSED(SPARSECAST_USAGE, sparsecast_matrix_borrow(&csr, NULL));
  const int32_t disorder[] = {2, 0, 1, 0, 1};
  csr.column_indices = disorder;
  REFUSED(SPARSECAST_BAD_INPUT, sparsecast_matrix_borrow(&csr, &matrix));
  CHECK(strstr(sparsecast_error_text(), "row 0 has column 0 after column 2") != NULL);
  csr = described();
  csr.nonzeros = 4;
  REFUSED(SPARSECAST_BAD_INPUT, sparsecast_matrix_borrow(&csr, &matrix));
  csr = described();
  csr.value_type = 0;
  REFUSED(SPARSECAST_USAGE, sparsecast_matrix_borrow(&csr, &matrix));
  csr = described();
  csr.reserved = 1;
  REFUSED(SPARSECAST_USAGE, sparsecast_matrix_borrow(&csr, &matrix));
  csr = described();
  csr.struct_size = 0;
  REFUSED(SPARSECAST_USAGE, sparsecast_matrix_borrow(&csr, &matrix));
  REFUSED(SPARSECAST_BAD_INPUT, sparsecast_matrix_read("/no/such/file", &matrix));
  REFUSED(SPARSECAST_USAGE, sparsecast_matrix_generate("no such kind", NULL, 0, &matrix));
  OK(sparsecast_matrix_generate("poisson2d", "{\"size\": 2}", 0, &matrix));
  OK(sparsecast_plan_create(matrix, &csr_kernel, &plan));
  double z[4];
  REFUSED(SPARSECAST_USAGE, sparsecast_apply_power(plan, INT64_MAX, u, 4, z, 4));
  REFUSED(SPARSECAST_USAGE, sparsecast_apply_power(plan, 1048577, u, 4, z, 4));
  OK(sparsecast_plan_free(plan));
  OK(sparsecast_matrix_free(matrix));
  sparsecast_calibrate_options backwards = {.struct_size = sizeof backwards, .minutes = -1};
  REFUSED(SPARSECAST_USAGE, sparsecast_calibrate(&backwards));
  CHECK(strcmp(sparsecast_status_text(99), "a status that this library does not know") == 0);
}

static void structs_of_other_versions(void) {
  /* One with a member more, which is set: this library does not know what is meant. Not set: it is the default. */
  struct {
    sparsecast_plan_options known;
    int64_t later;
  } options = {csr_kernel, 1};
  options.known.struct_size = sizeof options;
  const sparsecast_csr csr = described();
  sparsecast_matrix *matrix = NULL;
  sparsecast_plan *plan = NULL;
  OK(sparsecast_matrix_borrow(&csr, &matrix));
  REFUSED(SPARSECAST_USAGE, sparsecast_plan_create(matrix, &options.known, &plan));
  options.later = 0;
  OK(sparsecast_plan_create(matrix, &options.known, &plan));
  /* No version's: those of a pointer, within a pointer, and of no struct at all. */
  const size_t odd[] = {0, sizeof(size_t), sizeof(size_t) + 4, offsetof(sparsecast_plan_options, kernel) + 4, (size_t)-8};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
    sparsecast_plan_options wrong = csr_kernel;
    sparsecast_plan *none = NULL;
    sparsecast_strategy told = {.struct_size = odd[i]};
    wrong.struct_size = odd[i];
    REFUSED(SPARSECAST_USAGE, sparsecast_plan_create(matrix, &wrong, &none));
    REFUSED(SPARSECAST_USAGE, sparsecast_plan_info(plan, &told));
  }
  /* One that ends after three members: what lies behind it is not touched. */
  sparsecast_strategy info;
  memset(&info, 7, sizeof info);
  info.struct_size = offsetof(sparsecast_strategy, nonzeros);
  OK(sparsecast_plan_info(plan, &info));
  CHECK(info.rows == rows && info.cols == cols && ((unsigned char *)&info.nonzeros)[0] == 7);
  OK(sparsecast_plan_free(plan));
  OK(sparsecast_matrix_free(matrix));
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  CHECK(sparsecast_version() >= SPARSECAST_VERSION && sparsecast_version_text()[0] != 0);
  CHECK(strcmp(sparsecast_error_text(), "") == 0 && sparsecast_status_text(SPARSECAST_BUSY)[0] != 0);
  OK(sparsecast_set_default_threads(2));
  CHECK(sparsecast_default_threads() == 2);
  products_of_every_type();
  blocks_of_vectors();
  complex_products();
  complex_values(argv[1]);
  for (int type = SPARSECAST_FLOAT; type <= SPARSECAST_COMPLEX_DOUBLE; ++type) nothing(type);
  new_values();
  indices_from_one_and_columns_first();
  forecasts();
  planned_and_kept(argv[1]);
  bad_calls();
  structs_of_other_versions();
  if (failures == 0) printf("sparsecast %s from C99: all as the header says\n", sparsecast_version_text());
  return failures != 0;
}
