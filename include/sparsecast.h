#ifndef SPARSECAST_H
#define SPARSECAST_H
/* Sparsecast from C, and from every language that calls C: matrices, plans that multiply them, forecasts.
 *
 *   #include <sparsecast.h>
 *   #include <stdio.h>
 *
 *   int main(void) {
 *     const int32_t rows[] = {0, 2, 3}, columns[] = {0, 2, 1};            // [4 0 1; 0 5 0]
 *     const double values[] = {4, 1, 5}, x[] = {1, 1, 1};
 *     double y[2];
 *     const sparsecast_csr csr = {.struct_size = sizeof csr, .rows = 2, .cols = 3, .nonzeros = 3,
 *                                 .row_pointers = rows, .column_indices = columns, .values = values,
 *                                 .row_pointer_type = SPARSECAST_INT32, .column_index_type = SPARSECAST_INT32,
 *                                 .value_type = SPARSECAST_DOUBLE};
 *     const sparsecast_plan_options options = {.struct_size = sizeof options, .kernel = "csr"};
 *     sparsecast_matrix *matrix = NULL;
 *     sparsecast_plan *plan = NULL;
 *     if (sparsecast_matrix_borrow(&csr, &matrix) || sparsecast_plan_create(matrix, &options, &plan) ||
 *         sparsecast_apply(plan, SPARSECAST_NORMAL, 1, x, 3, 0, y, 2)) {  // y = 1 A x + 0 y
 *       fprintf(stderr, "%s\n", sparsecast_error_text());
 *       return 1;
 *     }
 *     printf("%g %g\n", y[0], y[1]);
 *     sparsecast_plan_free(plan);
 *     sparsecast_matrix_free(matrix);
 *     return 0;
 *   }
 *
 * What is promised of this header
 *
 * - Compatibility: a program compiled against this header runs with every later library of the same soname
 *   (libsparsecast_c.so.0). Functions and constants are never removed and never change their meaning; structs grow only
 *   at their end. The library exports the symbols declared here, with the version SPARSECAST_0, and no others.
 * - Structs begin with struct_size, which the caller sets to sizeof the struct. The library reads and writes no byte
 *   beyond it. In structs that the caller fills in, zero (NULL, 0) means the default, so initialize members by name. A
 *   nonzero member that this library does not know is refused with SPARSECAST_USAGE.
 * - Errors: functions return a sparsecast_status unless they say otherwise: SPARSECAST_OK, which is 0, or the kind of
 *   error. sparsecast_error_text() gives the reason. A call that fails changes nothing but y; handles and pointers that
 *   it would have returned are NULL. No C++ exception leaves the library. It prints nothing and never ends the program.
 * - Handles are opaque: they are looked up, not dereferenced. NULL, a freed handle, a handle of another kind and any
 *   other bit pattern give SPARSECAST_BAD_HANDLE, in every build. (A freed handle is recognized until its slot has been
 *   used 2^32 times.)
 * - Threads: any thread may call any function at any time with the same handles. Only
 *   sparsecast_plan_update_values() and the functions that free a handle need it for themselves: while another thread
 *   uses the handle they do nothing and return SPARSECAST_BUSY, and calls that meet them return SPARSECAST_BUSY. No
 *   call waits and none crashes. Each thread has its own error text.
 * - Texts are UTF-8 and end with a zero byte. A returned text belongs to the handle that was asked and lives as long as
 *   that handle; a text that no handle was asked for lives as long as the program.
 * - The caller guarantees what the library cannot check: that pointers point to as many entries as stated, and that
 *   arrays lent to a matrix stay in place, unchanged, as long as that matrix or a plan that reads them exists. */

#include <stddef.h>
#include <stdint.h>

/* The version of this header. sparsecast_version() gives the library's. */
#define SPARSECAST_VERSION 200 /* 0.2.0: major * 10000 + minor * 100 + patch */

#if defined(__GNUC__)
#define SPARSECAST_API __attribute__((visibility("default")))
#else
#define SPARSECAST_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sparsecast_matrix sparsecast_matrix;
typedef struct sparsecast_plan sparsecast_plan;
typedef struct sparsecast_prediction sparsecast_prediction;

/* ---- What went wrong --------------------------------------------------------------------------------------------- */

typedef enum sparsecast_status {
  SPARSECAST_OK = 0,
  SPARSECAST_FAILED = 1,      /* a valid call that could not be carried out: no calibration yet, disk full */
  SPARSECAST_USAGE = 2,       /* an invalid call: a size that does not fit, an unknown name, a NULL pointer */
  SPARSECAST_BAD_INPUT = 3,   /* a malformed matrix or file, such as rows out of order */
  SPARSECAST_UNAVAILABLE = 4, /* the device or optional part is not available */
  SPARSECAST_TOO_LARGE = 5,   /* it needs more memory, or wider integers, than there are */
  SPARSECAST_BAD_HANDLE = 6,  /* NULL, freed, of another kind, or not a handle at all */
  SPARSECAST_BUSY = 7,        /* another thread is using the handle */
  SPARSECAST_INTERNAL = 8,    /* a bug in the library: please report it */
  SPARSECAST_INTERRUPTED = 130 /* a progress function asked to stop; what was measured so far is kept */
} sparsecast_status;

/* Why the last failed call of this thread failed, in one line: "file:line:column: reason; remedy"; "" if none has.
 * Valid until the next call of this thread that fails. */
SPARSECAST_API const char *sparsecast_error_text(void);
/* A status in a few words; "a status that this library does not know" for other numbers. */
SPARSECAST_API const char *sparsecast_status_text(int status);

/* The library's version as a number (SPARSECAST_VERSION of its own header, never 0) and as a text, "0.2.0". */
SPARSECAST_API int sparsecast_version(void);
SPARSECAST_API const char *sparsecast_version_text(void);

/* ---- This machine ------------------------------------------------------------------------------------------------ */

/* The number of threads that `threads = 0` stands for: the number set last, or the number of cores that the process may
 * run on. Returns that number, not a status. */
SPARSECAST_API int sparsecast_default_threads(void);
/* Sets it for the whole process. 0 or less: the number of cores again; more than 1024: 1024. */
SPARSECAST_API int sparsecast_set_default_threads(int threads);

/* Called between two steps with the share of the work that is done (0 … 1), the seconds left (negative: not known) and
 * what is being done. Return 0 to go on, anything else to stop; the call then returns SPARSECAST_INTERRUPTED. */
typedef int (*sparsecast_progress)(double done, double seconds_left, const char *what, void *user);

typedef struct sparsecast_calibrate_options {
  size_t struct_size;
  const char *device;        /* NULL: "host"; "opencl:N", "cuda:N" */
  int32_t quick;             /* 1: a quick calibration, within a minute */
  int32_t fresh;             /* 1: forget what was measured on that device before */
  int32_t only_instructions; /* 1: on a CUDA device, measure only instructions and memory */
  int32_t precision;         /* SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION; 0: double */
  int32_t threads;           /* of the host; 0: all cores, then one, then the powers of two between */
  int32_t papers;            /* 1: only the papers' training grids, whole */
  double minutes;            /* start no new matrix after so many minutes; 0: no limit */
  const struct sparsecast_matrix *const *matrices; /* matrix_count matrices of your own to measure, too; NULL: none */
  int64_t matrix_count;
  sparsecast_progress progress; /* may be NULL */
  void *user;                   /* passed to progress */
} sparsecast_calibrate_options;

/* Measures a device once, for all later forecasts and plans. What has been measured is not measured again. It does the
 * same as `sparsecast calibrate`, and uses the same store ($SPARSECAST_HOME). options: NULL for all defaults. */
SPARSECAST_API int sparsecast_calibrate(const sparsecast_calibrate_options *options);

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

enum { SPARSECAST_INT32 = 1, SPARSECAST_INT64 = 2 }; /* of indices */
enum { /* of values; complex: real, imaginary, … */
  SPARSECAST_FLOAT = 1, SPARSECAST_DOUBLE = 2, SPARSECAST_COMPLEX_FLOAT = 3, SPARSECAST_COMPLEX_DOUBLE = 4
};
enum { SPARSECAST_SINGLE = 1, SPARSECAST_DOUBLE_PRECISION = 2 }; /* that a plan computes in */

/* Compressed sparse rows: entries row_pointers[r] - index_base … row_pointers[r + 1] - index_base - 1 are row r's. */
typedef struct sparsecast_csr {
  size_t struct_size;
  int64_t rows, cols, nonzeros;
  const void *row_pointers;   /* rows + 1, ascending, the first is index_base, the last index_base + nonzeros */
  const void *column_indices; /* nonzeros, from index_base on, strictly ascending within a row */
  const void *values;         /* nonzeros; explicit zeros count as non-zeros */
  int32_t row_pointer_type;   /* SPARSECAST_INT32 or _INT64 */
  int32_t column_index_type;  /* SPARSECAST_INT32 or, where row_pointer_type is _INT64 too, _INT64 */
  int32_t value_type;         /* SPARSECAST_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE */
  int32_t index_base;         /* 0 or 1 */
  int32_t unchecked;          /* 1: trust the order and range of the indices. 0: check them in one pass */
  int32_t reserved;
} sparsecast_csr;

/* A matrix that reads the caller's arrays. They must exist as long as the matrix and every plan made from it. Nothing
 * is copied, except indices that begin at 1 and complex values (sparsecast_matrix_info tells). SPARSECAST_BAD_INPUT,
 * with the first wrong row, if the arrays are not such a matrix: unsorted and duplicate columns are refused. */
SPARSECAST_API int sparsecast_matrix_borrow(const sparsecast_csr *csr, sparsecast_matrix **matrix);
/* Reads a file (Matrix Market, Rutherford-Boeing, npz; compressed too), or "ss:GROUP/NAME" of the SuiteSparse
 * collection. */
SPARSECAST_API int sparsecast_matrix_read(const char *file, sparsecast_matrix **matrix);
/* Generates a matrix: a kind of `sparsecast generate`, its parameters as JSON ({"size": 100}; NULL: none), a seed. */
SPARSECAST_API int sparsecast_matrix_generate(const char *kind, const char *parameters, uint64_t seed,
                                              sparsecast_matrix **matrix);
/* The transpose, as a new matrix with its own arrays; float values become double. Compressed sparse columns are the
 * compressed rows of the transpose: borrow them with rows and cols exchanged, and transpose. */
SPARSECAST_API int sparsecast_matrix_transpose(const sparsecast_matrix *matrix, sparsecast_matrix **transposed);

typedef struct sparsecast_matrix_size {
  size_t struct_size;
  const char *name;
  int64_t rows, cols, nonzeros;
  int64_t bytes;        /* of all its arrays, lent ones included */
  int64_t copied_bytes; /* of those, bytes in the library's own copies; 0: everything is read in place */
} sparsecast_matrix_size;

SPARSECAST_API int sparsecast_matrix_info(const sparsecast_matrix *matrix, sparsecast_matrix_size *info);
/* The arrays that the matrix reads. They belong to the matrix or to the caller who lent them; index_base is 0.
 * SPARSECAST_USAGE for a complex matrix, whose real and imaginary parts the library stores separately. */
SPARSECAST_API int sparsecast_matrix_csr(const sparsecast_matrix *matrix, sparsecast_csr *csr);
/* Frees the handle. Plans made from the matrix keep what they need. */
SPARSECAST_API int sparsecast_matrix_free(sparsecast_matrix *matrix);

/* ---- Plans: the fastest product found for a matrix on a device --------------------------------------------------- */

typedef struct sparsecast_plan_options {
  size_t struct_size;
  const char *device;  /* NULL: "host"; "opencl:N", "cuda:N" */
  const char *profile; /* a profile to forecast from instead of the device's calibration */
  const char *kernel;  /* use this kernel for the whole matrix, on the host; no forecast, no calibration needed */
  const char *trials;  /* candidates to measure first, as `sparsecast plan --trials`; NULL: "none" */
  int32_t precision;   /* SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION; 0: that of the values */
  int32_t threads;     /* on the host, at most; 0: sparsecast_default_threads() */
  int64_t iterations;  /* minimise the time of the conversion and so many products; 0: of one product */
  int64_t strip_rows;  /* rows of a strip; 0: as many as the device works on at once, or a multiple */
  int64_t vectors;     /* multiplied at once; 0: 1 */
  int32_t max_blocks;  /* 0: any number */
  int32_t always_cut;  /* 1: take the best cut even if its gain is within the forecast's uncertainty */
  int32_t transposed;  /* 1: plan for A' x; every plan multiplies both ways */
  int32_t no_store;    /* 1: ignore earlier measurements of this matrix, and store none */
  const char *model;   /* that forecasts the blocks; NULL: "best", the library's own */
  const char *kernels; /* choose among these kernels only, separated by commas; NULL: all */
  const char *products; /* products in turns: "A=1,A.T=1" plans for both; NULL: see transposed */
  int64_t powers;      /* of a square matrix, for sparsecast_apply_powers(); 0: none are planned */
} sparsecast_plan_options;

/* Plans, and converts the matrix. options: NULL for all defaults. SPARSECAST_FAILED, with the command to run, if the
 * device was never calibrated and no kernel is named. The matrix's handle may be freed afterwards. */
SPARSECAST_API int sparsecast_plan_create(const sparsecast_matrix *matrix, const sparsecast_plan_options *options,
                                          sparsecast_plan **plan);
/* Writes a plan to a file, and reads it for the same matrix, which is checked. Not for complex matrices. */
SPARSECAST_API int sparsecast_plan_save(const sparsecast_plan *plan, const char *file);
SPARSECAST_API int sparsecast_plan_load(const char *file, const sparsecast_matrix *matrix, sparsecast_plan **plan);
/* Replaces the values; the pattern stays. entries is the matrix's number of non-zeros, values are of its value_type and
 * lent as the old ones were. values NULL and entries 0: the lent array has new contents. Nothing is planned again. */
SPARSECAST_API int sparsecast_plan_update_values(sparsecast_plan *plan, const void *values, int64_t entries);
SPARSECAST_API int sparsecast_plan_free(sparsecast_plan *plan);

/* What was planned: the fields of docs/schemas/optimize.schema.json and plan.hpp. A list is given by its length, a
 * nested struct by its first field. What is not known is -1 or not a number; a text, NULL. */
typedef struct sparsecast_strategy {
  size_t struct_size;
  int64_t rows, cols, nonzeros;
  const char *device;
  const char *precision;      /* "single", "double" */
  int64_t bytes;              /* of the formats, lent arrays included */
  int64_t copied_bytes;       /* of those, bytes in the plan's own copies; 0: it reads the matrix's arrays */
  double conversion_took_s;   /* measured */
  int64_t blocks;             /* blocks of rows, each with one kernel: sparsecast_plan_block() */
  double predicted_s;         /* of one product; 0 if a kernel was named */
  double conversion_s;        /* predicted */
  const char *best_single;    /* the best kernel for the whole matrix */
  int64_t singles;            /* kernels that were forecast */
  int64_t best_cut;           /* blocks of the best cut, taken or not */
  double gain, gain_low, gain_high; /* share of the best single kernel's time that the cut saves; 90 % interval */
  int32_t cut;                /* 1: the plan uses that cut */
  int32_t threads;            /* on the host; 0 on other devices */
  const char *reason;         /* why the cut is used, or not */
  int64_t strips, strip_rows;
  int64_t iterations;         /* products that were asked for; 0: one product's time alone */
  int64_t break_even;         /* products after which the conversion has paid for itself; 0: at once, -1: never */
  double planning_s;
  int64_t vectors;            /* vectors of the product that the times are for */
  int64_t trials;             /* candidates that were tried; -1: none were to be */
  int32_t transposed;         /* 1: the plan is for the transpose */
  int32_t reserved;
  const char *transpose;      /* in a plan for A and A' in turns, what multiplies by A': "symmetric",
                                 "shared", "second-form" or "transpose"; NULL in other plans */
  int64_t powers;             /* powers planned; -1: none were asked for */
} sparsecast_strategy;
SPARSECAST_API int sparsecast_plan_info(const sparsecast_plan *plan, sparsecast_strategy *info);

/* How powers of the matrix times a vector are computed, and how long that is forecast to take. */
typedef struct sparsecast_powers {
  size_t struct_size;
  int64_t k;
  double seconds, low_s, high_s; /* for the last power alone; 90 % interval; 0: not known */
  double all_s;                  /* if all powers are kept */
  double products_s;             /* of k products of the fastest kernel */
  int32_t pays;                  /* 0: the plan multiplies k times */
  int32_t all_pays;              /* 0: if all powers are kept, they are computed product by product */
  const char *reason;            /* why it pays, or does not */
  const char *order;             /* of the rows while they are computed: "as given" or "levels" */
  const char *kernel;            /* of every block of rows; empty if it does not pay */
  int64_t depth;                 /* how many powers read a block once */
  int64_t block_rows, blocks, resident_bytes;
} sparsecast_powers;
/* SPARSECAST_USAGE if the plan was not made for powers. */
SPARSECAST_API int sparsecast_plan_powers(const sparsecast_plan *plan, sparsecast_powers *powers);

typedef struct sparsecast_planned_block {
  size_t struct_size;
  int64_t first_strip, last_strip; /* from 1 */
  int64_t first_row, last_row;     /* from 0, inclusive */
  const char *kernel;
  double seconds, conversion_s;    /* predicted */
  int32_t reordered;               /* 1: rows sorted by length within windows */
  int32_t reserved;
} sparsecast_planned_block;
/* Block 0 … blocks - 1, in order of rows. */
SPARSECAST_API int sparsecast_plan_block(const sparsecast_plan *plan, int64_t index, sparsecast_planned_block *block);

/* ---- Products ---------------------------------------------------------------------------------------------------- */

/* op(A): the matrix, its transpose, or its adjoint (conjugate transpose); for a real matrix the latter two agree. */
enum { SPARSECAST_NORMAL = 0, SPARSECAST_TRANSPOSED = 1, SPARSECAST_ADJOINT = 2 };

/* y = alpha op(A) x + beta y. x_entries and y_entries are the lengths of the vectors, the columns and rows of op(A);
 * SPARSECAST_USAGE if they differ, or if x and y overlap. If beta is 0, y is not read. The plan must have the vectors'
 * precision. The product runs on as many threads as the plan has and OpenMP allows at that time. A plan on a GPU has no
 * transposed product (SPARSECAST_UNAVAILABLE). */
SPARSECAST_API int sparsecast_apply(const sparsecast_plan *plan, int op, double alpha, const double *x,
                                    int64_t x_entries, double beta, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_float(const sparsecast_plan *plan, int op, float alpha, const float *x,
                                          int64_t x_entries, float beta, float *y, int64_t y_entries);
/* The same with complex vectors, for any plan: x and y are pairs of a real and an imaginary part, like C99's double
 * complex; entries count pairs. alpha and beta point to one pair each; NULL: 1 and 0. */
SPARSECAST_API int sparsecast_apply_complex(const sparsecast_plan *plan, int op, const void *alpha, const void *x,
                                            int64_t x_entries, const void *beta, void *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_complex_float(const sparsecast_plan *plan, int op, const void *alpha,
                                                  const void *x, int64_t x_entries, const void *beta, void *y,
                                                  int64_t y_entries);

/* y holds A x, A^2 x, ... one after the other: y_entries / rows powers, at most as many as were planned, if any were.
 * The matrix is square and real. */
SPARSECAST_API int sparsecast_apply_powers(const sparsecast_plan *plan, const double *x, int64_t x_entries, double *y,
                                           int64_t y_entries);
SPARSECAST_API int sparsecast_apply_powers_float(const sparsecast_plan *plan, const float *x, int64_t x_entries,
                                                 float *y, int64_t y_entries);
/* y = A^power x; the lower powers are not kept. */
SPARSECAST_API int sparsecast_apply_power(const sparsecast_plan *plan, int64_t power, const double *x,
                                          int64_t x_entries, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_power_float(const sparsecast_plan *plan, int64_t power, const float *x,
                                                int64_t x_entries, float *y, int64_t y_entries);
/* y = c[0] x + c[1] A x + c[2] A^2 x + ... */
SPARSECAST_API int sparsecast_apply_polynomial(const sparsecast_plan *plan, const double *c, int64_t c_entries,
                                               const double *x, int64_t x_entries, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_polynomial_float(const sparsecast_plan *plan, const float *c, int64_t c_entries,
                                                     const float *x, int64_t x_entries, float *y, int64_t y_entries);
/* y = sum of c[j] T_j(B) x, with Chebyshev polynomials T_j and B = (2 A - (a + b) I) / (b - a). */
SPARSECAST_API int sparsecast_apply_chebyshev(const sparsecast_plan *plan, const double *c, int64_t c_entries, double a,
                                              double b, const double *x, int64_t x_entries, double *y,
                                              int64_t y_entries);
SPARSECAST_API int sparsecast_apply_chebyshev_float(const sparsecast_plan *plan, const float *c, int64_t c_entries,
                                                    double a, double b, const float *x, int64_t x_entries, float *y,
                                                    int64_t y_entries);

/* How a block of vectors is laid out. Entry i of vector v is at */
enum {
  SPARSECAST_ROW_MAJOR = 0,   /* x[i * leading + v]: the faster layout */
  SPARSECAST_COLUMN_MAJOR = 1 /* x[v * leading + i]: one vector after the other, as in Fortran */
};

/* Y = alpha op(A) X + beta Y for several vectors at once: the matrix is read once for all of them. leading is the
 * distance from one row (row major) or vector (column major) to the next; 0: contiguous. x_entries and y_entries are
 * the numbers of values that x and y point to. */
SPARSECAST_API int sparsecast_apply_block(const sparsecast_plan *plan, int op, int order, int64_t vectors, double alpha,
                                          const double *x, int64_t x_entries, int64_t x_leading, double beta, double *y,
                                          int64_t y_entries, int64_t y_leading);
SPARSECAST_API int sparsecast_apply_block_float(const sparsecast_plan *plan, int op, int order, int64_t vectors,
                                                float alpha, const float *x, int64_t x_entries, int64_t x_leading,
                                                float beta, float *y, int64_t y_entries, int64_t y_leading);

/* y = A'(A x); x and y have as many entries as A has columns. Reads A once if that is faster than two products, which
 * the first call measures. */
SPARSECAST_API int sparsecast_apply_gram(const sparsecast_plan *plan, const double *x, int64_t x_entries, double *y,
                                         int64_t y_entries);
SPARSECAST_API int sparsecast_apply_gram_float(const sparsecast_plan *plan, const float *x, int64_t x_entries, float *y,
                                               int64_t y_entries);

/* ---- Forecasts --------------------------------------------------------------------------------------------------- */

typedef struct sparsecast_predict_options {
  size_t struct_size;
  const char *device;     /* NULL: "host"; a profile's or a described machine's name, or a description (FILE.json) */
  const char *profile;    /* a profile to forecast from instead of a device's calibration */
  const char *model;      /* NULL: "best", for each kernel the preferred model that has a forecast; or "all" */
  int32_t precision;      /* SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION; 0: that of the values */
  int32_t threads;        /* on the host; 0: sparsecast_default_threads() */
  int64_t vectors;        /* multiplied at once; 0: 1 */
  int64_t iterations;     /* rank by the time of so many products, conversion included; 0: of one product */
  int32_t transposed;     /* 1: multiply by the transpose */
  int32_t choose_threads; /* 1: choose the fastest number of threads */
  int32_t check_drift;    /* 1: repeat some products of the host's calibration, to see whether it still holds */
  int32_t no_store;       /* 1: neither use nor keep what was measured on this matrix before */
  const char *anchors;    /* a file of products measured on a described device, which correct its forecasts */
  const char *kernels;    /* only these, separated by commas; NULL: all */
  const char *places;     /* "spread" or "close": where threads run on a described processor with more cores */
  int64_t powers;         /* of a square matrix: forecast so many powers, too; 0: none */
} sparsecast_predict_options;

/* Forecasts how long every kernel will take on a matrix, and which to use. options: NULL for all defaults. For a
 * complex matrix, forecasts are for one of its two real parts times pairs of real vectors. */
SPARSECAST_API int sparsecast_predict(const sparsecast_matrix *matrix, const sparsecast_predict_options *options,
                                      sparsecast_prediction **prediction);
SPARSECAST_API int sparsecast_prediction_free(sparsecast_prediction *prediction);

/* The answer; lists, nested structs and unknown values are as in sparsecast_strategy. */
typedef struct sparsecast_prediction_summary {
  size_t struct_size;
  const char *matrix, *device; /* names */
  const char *precision;       /* "single", "double" */
  int64_t vectors;
  int32_t transposed;
  int32_t threads;         /* with choose_threads, the fastest number, which the forecasts are for */
  int32_t enough_threads;  /* the fewest threads within 5 % of the fastest */
  int32_t drift;           /* with check_drift, 1: the machine's speed has changed since its calibration */
  int64_t thread_counts;   /* how many numbers of threads were compared */
  int64_t forecasts;       /* sparsecast_prediction_forecast() */
  const char *recommended; /* sparsecast_prediction_recommendation() */
  const char *neighbours;  /* similar matrices measured here that corrected forecasts; empty: none */
  int64_t powers;          /* sparsecast_prediction_powers(); -1: none were asked for */
} sparsecast_prediction_summary;
SPARSECAST_API int sparsecast_prediction_info(const sparsecast_prediction *prediction,
                                              sparsecast_prediction_summary *info);

SPARSECAST_API int sparsecast_prediction_powers(const sparsecast_prediction *prediction, sparsecast_powers *powers);

typedef struct sparsecast_forecast {
  size_t struct_size;
  const char *kernel, *model;
  double seconds, low_s, high_s;    /* one product with warm caches, and its 90 % interval */
  double gflops;
  int64_t bytes;                    /* storage of the format on the device */
  double preprocess_s, preprocess_low_s, preprocess_high_s; /* conversion from CSR into new memory; 0: none needed */
  int32_t extrapolated;             /* 1: outside the range of the calibration */
  int32_t reserved;
  const char *records_precision;    /* of the measurements behind it */
  const char *tier;                 /* "shipped", "data sheet", "anchors", "probe", "measured", "observed" */
  const char *bound_by;             /* the largest term */
  double total_s;                   /* conversion plus the products asked for */
  int64_t parts;                    /* terms that add up to seconds: sparsecast_prediction_part() */
  double moved;                     /* the factor by which similar matrices measured here corrected it */
  const char *beyond;               /* why the model does not apply: "never measured", "launch", "grid",
                                       "bandwidth"; the forecast is then extrapolated and not recommended */
  const char *learned_of;           /* of a library's kernel: the versions, or years, it was learned from */
} sparsecast_forecast;
/* Forecast 0 … forecasts - 1, the fastest first. */
SPARSECAST_API int sparsecast_prediction_forecast(const sparsecast_prediction *prediction, int64_t index,
                                                  sparsecast_forecast *forecast);

typedef struct sparsecast_forecast_part {
  size_t struct_size;
  const char *term;
  double seconds, bytes;
} sparsecast_forecast_part;
/* Part 0 … parts - 1 of forecast `index`. */
SPARSECAST_API int sparsecast_prediction_part(const sparsecast_prediction *prediction, int64_t index, int64_t part,
                                              sparsecast_forecast_part *term);

typedef struct sparsecast_recommendation {
  size_t struct_size;
  const char *kernel; /* "" if nothing could be forecast */
  double seconds;     /* one product */
  const char *reason; /* the model, and which kernels are close */
  const char *advice; /* compared with csr: "1.6 × as fast as csr, pays back after 14 products"; or "" */
} sparsecast_recommendation;
SPARSECAST_API int sparsecast_prediction_recommendation(const sparsecast_prediction *prediction,
                                                        sparsecast_recommendation *recommendation);

#ifdef __cplusplus
}
#endif
#endif
