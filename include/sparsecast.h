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
 * - Programs that were compiled against it run with every later library of the same number in its name
 *   (libsparsecast_c.so.0). Functions and constants are never removed and never change their meaning; structs grow at
 *   their end alone. The library's symbols carry the version SPARSECAST_0 and are those declared here, nothing else.
 * - Structs begin with struct_size, which the caller sets to sizeof the struct. The library reads and writes no byte
 *   beyond it. In what the caller fills in, zero (NULL, 0) means the default, so name the members that matter. A member
 *   that this library does not know must be zero: SPARSECAST_USAGE where it is not.
 * - Every function but those that say otherwise returns a sparsecast_status: SPARSECAST_OK, which is 0, or why nothing
 *   was done. sparsecast_error_text() has the reason. A call that fails changes nothing but y, what it returns through
 *   pointers is NULL then. No C++ exception leaves the library, which prints nothing and never ends the program.
 * - Handles are opaque; they are names, not addresses, and every one is looked up. NULL, a handle of another kind, one
 *   that was freed, and any other bit pattern are SPARSECAST_BAD_HANDLE, in every build. (A freed handle counts as such
 *   until its place was used 2^32 times.)
 * - Threads: every function may be called from any thread at once, with the same handles: what is read is shared. Only
 *   sparsecast_plan_update_values() and the functions that free want a handle for themselves: where another thread is
 *   using it they do nothing, and SPARSECAST_BUSY says so; the other way round a call that meets them is
 *   SPARSECAST_BUSY. Nobody waits, nothing crashes. The error text is each thread's own.
 * - Texts are UTF-8 and end with a zero. A text that is returned belongs to the handle that it was asked of and lives
 *   as long as that, or for ever where there is none.
 * - What the library cannot see is the caller's word: that pointers point to as many entries as is said, and that
 *   arrays which were lent stay where they are, unchanged, as long as a matrix or plan that reads them exists. */

#include <stddef.h>
#include <stdint.h>

/* Of this header: major, minor, patch, as sparsecast_version() gives the library's. */
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
  SPARSECAST_FAILED = 1,      /* understood but could not be done: no calibration yet, disk full */
  SPARSECAST_USAGE = 2,       /* the call is wrong: a size that does not fit, an unknown name, a NULL pointer */
  SPARSECAST_BAD_INPUT = 3,   /* a matrix or file does not hold what it should: rows out of order, say */
  SPARSECAST_UNAVAILABLE = 4, /* that device or optional part is not here */
  SPARSECAST_TOO_LARGE = 5,   /* more memory, or wider integers, than there is */
  SPARSECAST_BAD_HANDLE = 6,  /* NULL, freed, of another kind, or never given out */
  SPARSECAST_BUSY = 7,        /* another thread is using the handle */
  SPARSECAST_INTERNAL = 8,    /* an error of the library's own: please report it */
  SPARSECAST_INTERRUPTED = 130 /* a progress function asked to stop; what was measured so far is kept */
} sparsecast_status;

/* Why the last call on this thread that failed did: one line, "file:line:column: reason; remedy", "" where none did.
 * Valid until the next call on this thread that fails. */
SPARSECAST_API const char *sparsecast_error_text(void);
/* A status in a few words, "a status that this library does not know" for another number. */
SPARSECAST_API const char *sparsecast_status_text(int status);

/* The library's version as a number, SPARSECAST_VERSION of its own header; never 0. And as text, "0.2.0". */
SPARSECAST_API int sparsecast_version(void);
SPARSECAST_API const char *sparsecast_version_text(void);

/* ---- This machine ------------------------------------------------------------------------------------------------ */

/* Threads that `threads = 0` means everywhere: the number set last, else the cores that the process may run on. Returns
 * that number, no status. */
SPARSECAST_API int sparsecast_default_threads(void);
/* Sets it for the whole process; 0 or less: the cores again. More than 1024 count as 1024. */
SPARSECAST_API int sparsecast_set_default_threads(int threads);

/* Told between two steps what share of the work is done (0 … 1), how many seconds are left (negative: not known) and
 * what is being done. A return other than 0 stops the work: SPARSECAST_INTERRUPTED. */
typedef int (*sparsecast_progress)(double done, double seconds_left, const char *what, void *user);

typedef struct sparsecast_calibrate_options {
  size_t struct_size;
  const char *device;        /* NULL: "host"; "opencl:N", "cuda:N" */
  int32_t quick;             /* 1: a first look within a minute */
  int32_t fresh;             /* 1: forget what was measured on that device before */
  int32_t only_instructions; /* 1: CUDA devices: nothing but instructions and memory */
  int32_t precision;         /* SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION; 0: the latter */
  int32_t threads;           /* of the host; 0: all cores, then one, then the powers of two between */
  int32_t papers;            /* 1: the designed grids of the papers whole, and nothing else */
  double minutes;            /* begin no new matrix after so many; 0: all of them */
  const struct sparsecast_matrix *const *matrices; /* so many of one's own to measure on as well; NULL: none */
  int64_t matrix_count;
  sparsecast_progress progress; /* may be NULL */
  void *user;                   /* handed to it */
} sparsecast_calibrate_options;

/* Measures a device once, for all later forecasts and plans; what is there already is not measured again. The same as
 * `sparsecast calibrate`, into the same store ($SPARSECAST_HOME). options: NULL for all defaults. */
SPARSECAST_API int sparsecast_calibrate(const sparsecast_calibrate_options *options);

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

enum { SPARSECAST_INT32 = 1, SPARSECAST_INT64 = 2 }; /* of indices */
enum { /* of values; complex: real, imaginary, … */
  SPARSECAST_FLOAT = 1, SPARSECAST_DOUBLE = 2, SPARSECAST_COMPLEX_FLOAT = 3, SPARSECAST_COMPLEX_DOUBLE = 4
};
enum { SPARSECAST_SINGLE = 1, SPARSECAST_DOUBLE_PRECISION = 2 }; /* in which numbers a plan computes */

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
  int32_t unchecked;          /* 1: order and range of the indices are the caller's word. 0: one pass checks them */
  int32_t reserved;
} sparsecast_csr;

/* A matrix that reads the caller's arrays, which must stay as long as it and every plan made of it. Nothing is copied,
 * but for indices that begin at 1 and complex values (sparsecast_matrix_info tells). SPARSECAST_BAD_INPUT, with the
 * first row that is wrong, where it is no such matrix: unsorted and duplicate columns are refused. */
SPARSECAST_API int sparsecast_matrix_borrow(const sparsecast_csr *csr, sparsecast_matrix **matrix);
/* Reads a file (Matrix Market, Rutherford-Boeing, npz; compressed too), or "ss:GROUP/NAME" of the SuiteSparse
 * collection. */
SPARSECAST_API int sparsecast_matrix_read(const char *file, sparsecast_matrix **matrix);
/* Makes a matrix to try: a kind of `sparsecast generate`, its parameters as JSON ({"size": 100}; NULL: none), seed. */
SPARSECAST_API int sparsecast_matrix_generate(const char *kind, const char *parameters, uint64_t seed,
                                              sparsecast_matrix **matrix);
/* The transpose as a matrix of its own, with arrays of its own; float values become double. Compressed sparse columns
 * are the rows of a transpose: borrow them with rows and columns exchanged, and transpose. */
SPARSECAST_API int sparsecast_matrix_transpose(const sparsecast_matrix *matrix, sparsecast_matrix **transposed);

typedef struct sparsecast_matrix_size {
  size_t struct_size;
  const char *name;
  int64_t rows, cols, nonzeros;
  int64_t bytes;        /* of its arrays, lent ones included */
  int64_t copied_bytes; /* of those, what is the library's own; 0: all is read where the caller has it */
} sparsecast_matrix_size;

SPARSECAST_API int sparsecast_matrix_info(const sparsecast_matrix *matrix, sparsecast_matrix_size *info);
/* The arrays that the matrix reads, which belong to it or to who lent them; index_base is 0. SPARSECAST_USAGE for a
 * complex matrix, whose values the library keeps apart. */
SPARSECAST_API int sparsecast_matrix_csr(const sparsecast_matrix *matrix, sparsecast_csr *csr);
/* Lets go of the handle; plans made of the matrix keep what they need. */
SPARSECAST_API int sparsecast_matrix_free(sparsecast_matrix *matrix);

/* ---- Plans: the fastest product found for a matrix on a device --------------------------------------------------- */

typedef struct sparsecast_plan_options {
  size_t struct_size;
  const char *device;  /* NULL: "host"; "opencl:N", "cuda:N" */
  const char *profile; /* a profile's file instead of the device's own measurements */
  const char *kernel;  /* that kernel for the whole matrix, on the host; nothing is forecast, no calibration needed */
  const char *trials;  /* candidates measured before one is taken, as `optimize --trials`; NULL: "none" */
  int32_t precision;   /* SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION; 0: that of the values */
  int32_t threads;     /* of the host, at most; 0: sparsecast_default_threads() */
  int64_t iterations;  /* minimise the conversion and so many products; 0: the product alone */
  int64_t strip_rows;  /* rows of a strip; 0: as many as the device handles at once, or a multiple */
  int64_t vectors;     /* multiplied at once; 0: 1 */
  int32_t max_blocks;  /* 0: any number */
  int32_t always_cut;  /* 1: take the best cut even if its gain is within the forecast's uncertainty */
  int32_t transposed;  /* 1: A' x is to be fast; every plan multiplies both ways */
  int32_t no_store;    /* 1: neither use nor keep what was measured on this matrix before */
  const char *model;   /* that forecasts the blocks; NULL: "best", the library's own */
  const char *kernels; /* blocks and single kernels of these alone, with commas between; NULL: all */
  const char *products; /* multiplied in turns: "A=1,A.T=1" plans for both; NULL: transposed says */
  int64_t powers;      /* of a square matrix, computed together by sparsecast_apply_powers(); 0: none are planned */
} sparsecast_plan_options;

/* Plans and converts. options: NULL for all defaults. SPARSECAST_FAILED, with what to run, where the device was never
 * calibrated (and no kernel is named). The matrix's handle may be freed afterwards. */
SPARSECAST_API int sparsecast_plan_create(const sparsecast_matrix *matrix, const sparsecast_plan_options *options,
                                          sparsecast_plan **plan);
/* The plan as a file, and out of it: for the same matrix, which is checked; not for complex ones. */
SPARSECAST_API int sparsecast_plan_save(const sparsecast_plan *plan, const char *file);
SPARSECAST_API int sparsecast_plan_load(const char *file, const sparsecast_matrix *matrix, sparsecast_plan **plan);
/* New values on the old pattern: as many as the matrix has non-zeros, of its value_type, lent as those before were.
 * values NULL and entries 0: the arrays lent before hold new values. No planning and no analysis. */
SPARSECAST_API int sparsecast_plan_update_values(sparsecast_plan *plan, const void *values, int64_t entries);
SPARSECAST_API int sparsecast_plan_free(sparsecast_plan *plan);

/* What was planned: the fields of docs/schemas/optimize.schema.json and plan.hpp. Of a list its length, of a struct
 * within its first field, -1 or not a number (NULL for a text) where something is not known. */
typedef struct sparsecast_strategy {
  size_t struct_size;
  int64_t rows, cols, nonzeros;
  const char *device;
  const char *precision;      /* "single", "double" */
  int64_t bytes;              /* of the formats, lent arrays included */
  int64_t copied_bytes;       /* of those, what is the plan's own; 0: it reads the matrix's arrays */
  double conversion_took_s;   /* measured */
  int64_t blocks;             /* rows in one kernel each: sparsecast_plan_block() */
  double predicted_s;         /* one product; 0 where a kernel was named */
  double conversion_s;        /* predicted */
  const char *best_single;    /* the best kernel for the whole matrix */
  int64_t singles;            /* kernels that were forecast */
  int64_t best_cut;           /* blocks of the best cut, taken or not */
  double gain, gain_low, gain_high; /* share of the best single kernel's time that it saves, and its 90 % interval */
  int32_t cut;                /* 1: the plan is that cut */
  int32_t threads;            /* of the host; 0 elsewhere */
  const char *reason;         /* why it is, or is not */
  int64_t strips, strip_rows;
  int64_t iterations;         /* products that were asked for; 0: the product alone */
  int64_t break_even;         /* products after which the conversion is earned back; 0: from the first, -1: never */
  double planning_s;
  int64_t vectors;            /* the product that times are of: of so many vectors */
  int64_t trials;             /* candidates that were tried; -1 where nothing was to be */
  int32_t transposed;         /* 1: by the transpose */
  int32_t reserved;
  const char *transpose;      /* of a plan for A and A' in turns, what multiplies by A': "symmetric", "shared",
                                 "second-form" or "transpose"; NULL elsewhere */
  int64_t powers;             /* that were planned; -1 where none were asked for */
} sparsecast_strategy;
SPARSECAST_API int sparsecast_plan_info(const sparsecast_plan *plan, sparsecast_strategy *info);

/* How powers of the matrix times a vector are computed, and how long they are forecast to take. */
typedef struct sparsecast_powers {
  size_t struct_size;
  int64_t k;
  double seconds, low_s, high_s; /* of the last power alone, and its 90 % interval; 0: not known */
  double all_s;                  /* of all powers kept */
  double products_s;             /* of k products of the fastest kernel */
  int32_t pays;                  /* 0: the plan multiplies k times */
  int32_t all_pays;              /* 0: all powers kept are products, one after the other */
  const char *reason;            /* why it pays, or does not */
  const char *order;             /* "as given", "levels": of the rows meanwhile */
  const char *kernel;            /* that every block of rows is in; empty where it does not pay */
  int64_t depth;                 /* powers for which a block is read once */
  int64_t block_rows, blocks, resident_bytes;
} sparsecast_powers;
/* SPARSECAST_USAGE where the plan was asked for none. */
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

/* Which matrix multiplies. The adjoint is the transpose with conjugate values; of a real matrix, the transpose. */
enum { SPARSECAST_NORMAL = 0, SPARSECAST_TRANSPOSED = 1, SPARSECAST_ADJOINT = 2 };

/* y = alpha op(A) x + beta y. x_entries and y_entries are the lengths of the vectors: columns and rows of op(A),
 * SPARSECAST_USAGE where they are not, or where x and y overlap. Where beta is 0, y is not read. The plan must be in
 * the vectors' precision. Runs on as many threads as the plan has and OpenMP allows at the time. On a GPU there is no
 * transposed product (SPARSECAST_UNAVAILABLE). */
SPARSECAST_API int sparsecast_apply(const sparsecast_plan *plan, int op, double alpha, const double *x,
                                    int64_t x_entries, double beta, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_float(const sparsecast_plan *plan, int op, float alpha, const float *x,
                                          int64_t x_entries, float beta, float *y, int64_t y_entries);
/* The same with complex vectors, of any plan: x and y are pairs of real and imaginary part, as C99's double complex is;
 * entries count pairs. alpha and beta point to a pair; NULL: 1 and 0. */
SPARSECAST_API int sparsecast_apply_complex(const sparsecast_plan *plan, int op, const void *alpha, const void *x,
                                            int64_t x_entries, const void *beta, void *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_complex_float(const sparsecast_plan *plan, int op, const void *alpha,
                                                  const void *x, int64_t x_entries, const void *beta, void *y,
                                                  int64_t y_entries);

/* y holds A x, A^2 x, ... one after the other: y_entries / rows powers, at most as many as were planned where there
 * were any. The matrix is square and real. */
SPARSECAST_API int sparsecast_apply_powers(const sparsecast_plan *plan, const double *x, int64_t x_entries, double *y,
                                           int64_t y_entries);
SPARSECAST_API int sparsecast_apply_powers_float(const sparsecast_plan *plan, const float *x, int64_t x_entries,
                                                 float *y, int64_t y_entries);
/* y = A^power x alone. */
SPARSECAST_API int sparsecast_apply_power(const sparsecast_plan *plan, int64_t power, const double *x,
                                          int64_t x_entries, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_power_float(const sparsecast_plan *plan, int64_t power, const float *x,
                                                int64_t x_entries, float *y, int64_t y_entries);
/* y = c[0] x + c[1] A x + c[2] A^2 x + ... */
SPARSECAST_API int sparsecast_apply_polynomial(const sparsecast_plan *plan, const double *c, int64_t c_entries,
                                               const double *x, int64_t x_entries, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_polynomial_float(const sparsecast_plan *plan, const float *c, int64_t c_entries,
                                                     const float *x, int64_t x_entries, float *y, int64_t y_entries);
/* y = sum of c[j] T_j(B) x, Chebyshev's polynomials of B = (2 A - (a + b) I) / (b - a). */
SPARSECAST_API int sparsecast_apply_chebyshev(const sparsecast_plan *plan, const double *c, int64_t c_entries, double a,
                                              double b, const double *x, int64_t x_entries, double *y,
                                              int64_t y_entries);
SPARSECAST_API int sparsecast_apply_chebyshev_float(const sparsecast_plan *plan, const float *c, int64_t c_entries,
                                                    double a, double b, const float *x, int64_t x_entries, float *y,
                                                    int64_t y_entries);

/* How the vectors of a block lie in memory. Entry i of vector v is at */
enum {
  SPARSECAST_ROW_MAJOR = 0,   /* x[i * leading + v]: the faster one */
  SPARSECAST_COLUMN_MAJOR = 1 /* x[v * leading + i]: one vector after the other, as in Fortran */
};

/* Y = alpha op(A) X + beta Y for so many vectors side by side: the matrix is read once for all of them. leading: from
 * one row (row major) or vector (column major) to the next, 0: without a gap. x_entries and y_entries: how many numbers
 * x and y point to. */
SPARSECAST_API int sparsecast_apply_block(const sparsecast_plan *plan, int op, int order, int64_t vectors, double alpha,
                                          const double *x, int64_t x_entries, int64_t x_leading, double beta, double *y,
                                          int64_t y_entries, int64_t y_leading);
SPARSECAST_API int sparsecast_apply_block_float(const sparsecast_plan *plan, int op, int order, int64_t vectors,
                                                float alpha, const float *x, int64_t x_entries, int64_t x_leading,
                                                float beta, float *y, int64_t y_entries, int64_t y_leading);

/* y = A'(A x); x and y have as many entries as A has columns. One pass over A where that is faster than both products,
 * which the first call measures. */
SPARSECAST_API int sparsecast_apply_gram(const sparsecast_plan *plan, const double *x, int64_t x_entries, double *y,
                                         int64_t y_entries);
SPARSECAST_API int sparsecast_apply_gram_float(const sparsecast_plan *plan, const float *x, int64_t x_entries, float *y,
                                               int64_t y_entries);

/* ---- Forecasts --------------------------------------------------------------------------------------------------- */

typedef struct sparsecast_predict_options {
  size_t struct_size;
  const char *device;     /* NULL: "host"; a profile's or a described machine's name, or a description (FILE.json) */
  const char *profile;    /* a profile's file instead of a device's own measurements */
  const char *model;      /* NULL: "best", for each kernel the first in preference that has a forecast; or "all" */
  int32_t precision;      /* SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION; 0: that of the values */
  int32_t threads;        /* of the host; 0: sparsecast_default_threads() */
  int64_t vectors;        /* multiplied at once; 0: 1 */
  int64_t iterations;     /* rank by what finishes so many products first, conversion included; 0: the product */
  int32_t transposed;     /* 1: multiply by the transpose */
  int32_t choose_threads; /* 1: the fastest number of threads instead */
  int32_t check_drift;    /* 1: time some products of the host's calibration again */
  int32_t no_store;       /* 1: neither use nor keep what was measured on this matrix before */
  const char *anchors;    /* a file of some products measured on a described device, which mend its forecasts */
  const char *kernels;    /* only these, with commas between; NULL: all */
  const char *places;     /* "spread" or "close": how fewer threads than it has cores lie on a described processor */
  int64_t powers;         /* of a square matrix: forecast so many too, computed together; 0: none */
} sparsecast_predict_options;

/* How long every kernel will take on a matrix, which to use, and why. options: NULL for all defaults. Of a complex
 * matrix: what one of its two parts takes, times pairs of real vectors. */
SPARSECAST_API int sparsecast_predict(const sparsecast_matrix *matrix, const sparsecast_predict_options *options,
                                      sparsecast_prediction **prediction);
SPARSECAST_API int sparsecast_prediction_free(sparsecast_prediction *prediction);

/* The whole answer, with lists, structs and what is not known as in sparsecast_strategy. */
typedef struct sparsecast_prediction_summary {
  size_t struct_size;
  const char *matrix, *device; /* names */
  const char *precision;       /* "single", "double" */
  int64_t vectors;
  int32_t transposed;
  int32_t threads;         /* with choose_threads: the number forecast to be fastest, which the forecasts are for */
  int32_t enough_threads;  /* the fewest within a twentieth of it */
  int32_t drift;           /* with check_drift: 1 where the machine does not run as when it was calibrated */
  int64_t thread_counts;   /* numbers of threads that were compared */
  int64_t forecasts;       /* sparsecast_prediction_forecast() */
  const char *recommended; /* sparsecast_prediction_recommendation() */
  const char *neighbours;  /* alike patterns, measured here, that have moved forecasts; empty: none */
  int64_t powers;          /* sparsecast_prediction_powers(); -1 where none were asked for */
} sparsecast_prediction_summary;
SPARSECAST_API int sparsecast_prediction_info(const sparsecast_prediction *prediction,
                                              sparsecast_prediction_summary *info);

SPARSECAST_API int sparsecast_prediction_powers(const sparsecast_prediction *prediction, sparsecast_powers *powers);

typedef struct sparsecast_forecast {
  size_t struct_size;
  const char *kernel, *model;
  double seconds, low_s, high_s;    /* one product, caches warm, and its 90 % interval */
  double gflops;
  int64_t bytes;                    /* storage of the format on the device */
  double preprocess_s, preprocess_low_s, preprocess_high_s; /* conversion from CSR into fresh memory; 0: none */
  int32_t extrapolated;             /* 1: outside of what was calibrated */
  int32_t reserved;
  const char *records_precision;    /* of the records that it rests on */
  const char *tier;                 /* "shipped", "data sheet", "anchors", "probe", "measured", "observed" */
  const char *bound_by;             /* the term that binds */
  double total_s;                   /* the conversion and as many products as were asked for */
  int64_t parts;                    /* terms, which add up to seconds: sparsecast_prediction_part() */
  double moved;                     /* the factor by which alike patterns, measured here, have moved it */
  const char *beyond;               /* why the model's formula does not reach: "never measured", "launch", "grid",
                                       "bandwidth"; it is extrapolated then, and not recommended */
  const char *learned_of;           /* of a library's kernel: the versions, or years, that it was learned of */
} sparsecast_forecast;
/* Forecast 0 … forecasts - 1, what finishes first first. */
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
  const char *kernel; /* "" where nothing could be forecast */
  double seconds;     /* one product */
  const char *reason; /* by which model, and what is near it */
  const char *advice; /* beside csr: "1.6 × as fast as csr, pays back after 14 products"; "" without csr */
} sparsecast_recommendation;
SPARSECAST_API int sparsecast_prediction_recommendation(const sparsecast_prediction *prediction,
                                                        sparsecast_recommendation *recommendation);

#ifdef __cplusplus
}
#endif
#endif
