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
 * What this header guarantees
 *
 * - Compatibility: a program that was compiled against this header runs with every later library that has the same
 *   number in its name (libsparsecast_c.so.0). Functions and constants are never removed and never change their
 *   meaning. Structs grow only at their end. The library exports the symbols declared here and no others, with the
 *   symbol version SPARSECAST_0.
 * - Structs: the first member is struct_size. The caller sets it to the sizeof of the struct, not of a pointer to it.
 *   The library reads and writes no byte beyond it, and refuses a size that ends within a member (SPARSECAST_USAGE).
 *   In a struct that the caller fills in, zero (NULL, 0) means the default, so set only the members that matter, by
 *   name. A member that this library does not know must be zero; otherwise the call returns SPARSECAST_USAGE.
 * - Errors: unless its comment says otherwise, a function returns a sparsecast_status. SPARSECAST_OK is 0; any other
 *   status means that nothing was done, and sparsecast_error_text() gives the reason. A call that fails changes nothing
 *   but y, and sets the handle that it returns through a pointer to NULL. No C++ exception leaves the library. The
 *   library prints nothing and never ends the program.
 * - Handles are opaque: they are names, not addresses, and the library looks up every one. NULL, a handle of another
 *   kind, a freed handle and any other bit pattern give SPARSECAST_BAD_HANDLE, in every build. (A freed handle is
 *   recognised until its place was used 2^32 times.)
 * - Threads: any thread may call any function at any time, with the same handles as other threads. Only
 *   sparsecast_plan_update_values() and the functions that free a handle need it for themselves. If another thread is
 *   using the handle, they do nothing and return SPARSECAST_BUSY. While they run, other calls with that handle return
 *   SPARSECAST_BUSY. No call waits, and none crashes. Each thread has its own error text.
 * - Texts are UTF-8 and end with a zero byte. A returned text belongs to the handle that was passed in and is valid as
 *   long as that handle. A text that was returned without a handle is valid for ever.
 * - The library cannot check two things, and relies on the caller for them: that pointers point to as many entries as
 *   stated, and that borrowed arrays stay in place, unchanged, while a matrix or plan that reads them exists. */

#include <stddef.h>
#include <stdint.h>

/* Version of this header. sparsecast_version() returns that of the library. */
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
  SPARSECAST_FAILED = 1,      /* the call is valid but could not be carried out: no calibration yet, disk full */
  SPARSECAST_USAGE = 2,       /* the call is wrong: a size that does not fit, an unknown name, a NULL pointer */
  SPARSECAST_BAD_INPUT = 3,   /* a matrix or file has invalid contents, such as rows out of order */
  SPARSECAST_UNAVAILABLE = 4, /* the device or optional part does not exist here */
  SPARSECAST_TOO_LARGE = 5,   /* needs more memory, or wider integers, than there are */
  SPARSECAST_BAD_HANDLE = 6,  /* the handle is NULL, freed, of another kind, or was never returned */
  SPARSECAST_BUSY = 7,        /* another thread is using the handle */
  SPARSECAST_INTERNAL = 8,    /* a bug in the library: please report it */
  SPARSECAST_INTERRUPTED = 130 /* a progress function asked to stop; the measurements made so far are kept */
} sparsecast_status;

/* Returns why the last failed call on this thread failed, as one line: "file:line:column: reason; remedy". "" if no
 * call has failed. The text is valid until the next failed call on this thread. */
SPARSECAST_API const char *sparsecast_error_text(void);
/* Returns the meaning of a status in a few words; "a status that this library does not know" for any other number. */
SPARSECAST_API const char *sparsecast_status_text(int status);
/* Returns what the last sparsecast_matrix_read(), sparsecast_plan_create(), sparsecast_predict() or
 * sparsecast_calibrate() on this thread had to say beside its answer, as the commands say it on stderr: an option
 * without effect on that device, numbers that were rounded, a calibration of another processor. One line each, with
 * '\n' between them; "" for nothing. The text is valid until the next of these calls on this thread. */
SPARSECAST_API const char *sparsecast_remarks(void);

/* Return the library's version as a number (SPARSECAST_VERSION of the library's own header, never 0) and as text
 * ("0.2.0"). */
SPARSECAST_API int sparsecast_version(void);
SPARSECAST_API const char *sparsecast_version_text(void);

/* ---- This machine ------------------------------------------------------------------------------------------------ */

/* Returns the number of threads that `threads = 0` stands for in every call: the number that was set last, otherwise
 * the number of cores that the process may run on. The return value is not a status. */
SPARSECAST_API int sparsecast_default_threads(void);
/* Sets that number for the whole process. 0 or less: the number of cores again. Numbers above 1024 count as 1024. */
SPARSECAST_API int sparsecast_set_default_threads(int threads);

/* A function of the caller that is called between two steps of a long call. done: share of the work that is done
 * (0 … 1); seconds_left: remaining time (negative: not known); what: the current step. If it returns anything but 0,
 * the work stops and the call returns SPARSECAST_INTERRUPTED. */
typedef int (*sparsecast_progress)(double done, double seconds_left, const char *what, void *user);

typedef struct sparsecast_calibrate_options {
  size_t struct_size;
  const char *device;        /* NULL: "host"; "opencl:N", "cuda:N" */
  int32_t quick;             /* 1: a short calibration, within a minute */
  int32_t fresh;             /* 1: discard earlier measurements of the device */
  int32_t only_instructions; /* 1: on CUDA devices, measure only instructions and memory */
  int32_t precision;         /* SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION; 0: the latter */
  int32_t threads;           /* host threads; 0: all cores, then one, then the powers of two between */
  int32_t papers;            /* 1: measure the complete grids of matrices designed in the papers, and nothing else */
  double minutes;            /* start no new matrix after this time, in minutes; 0: no limit */
  const struct sparsecast_matrix *const *matrices; /* matrix_count matrices of your own to measure too; NULL: none */
  int64_t matrix_count;
  sparsecast_progress progress; /* may be NULL */
  void *user;                   /* passed to progress */
} sparsecast_calibrate_options;

/* Measures a device once, for all later forecasts and plans. Measurements that exist already are not repeated. Does the
 * same as `sparsecast calibrate` and uses the same store ($SPARSECAST_HOME). options: NULL for all defaults. */
SPARSECAST_API int sparsecast_calibrate(const sparsecast_calibrate_options *options);

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

enum { SPARSECAST_INT32 = 1, SPARSECAST_INT64 = 2 }; /* types of indices */
enum { /* types of values; complex ones are pairs of real and imaginary part */
  SPARSECAST_FLOAT = 1, SPARSECAST_DOUBLE = 2, SPARSECAST_COMPLEX_FLOAT = 3, SPARSECAST_COMPLEX_DOUBLE = 4
};
enum { SPARSECAST_SINGLE = 1, SPARSECAST_DOUBLE_PRECISION = 2 }; /* precisions in which a plan computes */

/* Compressed sparse rows: row r has the entries row_pointers[r] - index_base … row_pointers[r + 1] - index_base - 1. */
typedef struct sparsecast_csr {
  size_t struct_size;
  int64_t rows, cols, nonzeros;
  const void *row_pointers;   /* rows + 1 entries, ascending, from index_base to index_base + nonzeros */
  const void *column_indices; /* one per non-zero, counted from index_base, strictly ascending within a row */
  const void *values;         /* one per non-zero; explicit zeros count as non-zeros */
  int32_t row_pointer_type;   /* SPARSECAST_INT32 or _INT64 */
  int32_t column_index_type;  /* SPARSECAST_INT32 or, where row_pointer_type is _INT64 too, _INT64 */
  int32_t value_type;         /* SPARSECAST_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE */
  int32_t index_base;         /* 0 or 1 */
  int32_t unchecked;          /* 1: the caller guarantees order and range of the indices; 0: one pass checks them */
  int32_t reserved;
} sparsecast_csr;

/* Makes a matrix that reads the caller's arrays. They must exist as long as the matrix and every plan made from it.
 * Only indices that begin at 1 are copied (see copied_bytes of sparsecast_matrix_info()). SPARSECAST_BAD_INPUT, with
 * the first invalid row, if the arrays are not valid CSR: unsorted and duplicate columns are refused. */
SPARSECAST_API int sparsecast_matrix_borrow(const sparsecast_csr *csr, sparsecast_matrix **matrix);
/* Reads a matrix from a file (Matrix Market, Rutherford-Boeing, npz; also compressed), or "ss:GROUP/NAME" from the
 * SuiteSparse collection. */
SPARSECAST_API int sparsecast_matrix_read(const char *file, sparsecast_matrix **matrix);
/* Makes a test matrix. kind: a kind of `sparsecast generate`; parameters: JSON such as {"size": 100}, NULL for none;
 * seed: of the random numbers. */
SPARSECAST_API int sparsecast_matrix_generate(const char *kind, const char *parameters, uint64_t seed,
                                              sparsecast_matrix **matrix);
/* Makes the transpose (not the adjoint), a matrix with its own arrays. float values become double, complex ones pairs
 * of double. To use compressed sparse columns, borrow them as the rows of the transpose, with rows and columns
 * exchanged, and transpose that matrix. */
SPARSECAST_API int sparsecast_matrix_transpose(const sparsecast_matrix *matrix, sparsecast_matrix **transposed);

typedef struct sparsecast_matrix_size {
  size_t struct_size;
  const char *name;
  int64_t rows, cols, nonzeros;
  int64_t bytes;        /* size of its arrays, borrowed ones included */
  int64_t copied_bytes; /* part of bytes that the library allocated; 0: everything is read from the caller's arrays */
} sparsecast_matrix_size;

SPARSECAST_API int sparsecast_matrix_info(const sparsecast_matrix *matrix, sparsecast_matrix_size *info);
/* Returns the arrays that the matrix reads, which belong to it or to the caller who lent them; index_base is 0. */
SPARSECAST_API int sparsecast_matrix_csr(const sparsecast_matrix *matrix, sparsecast_csr *csr);
/* Frees the handle. Plans made from the matrix keep what they need. */
SPARSECAST_API int sparsecast_matrix_free(sparsecast_matrix *matrix);

/* ---- Plans: the fastest product found for a matrix on a device --------------------------------------------------- */

typedef struct sparsecast_plan_options {
  size_t struct_size;
  const char *device;  /* NULL: "host"; "opencl:N", "cuda:N" */
  const char *profile; /* profile file to use instead of the device's own measurements */
  /* Kernel for the whole matrix, on the host, without a forecast; NULL: the planner's choice. Trials, strip_rows,
   * max_blocks and always_cut beside it are refused; a profile is without effect (sparsecast_remarks()). */
  const char *kernel;
  const char *trials;  /* candidates to measure before one is chosen, as in `optimize --trials`; NULL: "none" */
  int32_t precision;   /* SPARSECAST_SINGLE or _DOUBLE_PRECISION, of both parts of complex values; 0: the values' */
  int32_t threads;     /* largest number of host threads; 0: sparsecast_default_threads() */
  int64_t iterations;  /* minimise the time of the conversion and this many products; 0: of one product alone */
  int64_t strip_rows;  /* rows of a strip; 0: as many as the device handles at once, or a multiple */
  int64_t vectors;     /* number of vectors multiplied at once; 0: 1 */
  int32_t max_blocks;  /* largest number of blocks; 0: no limit */
  int32_t always_cut;  /* 1: take the best cut even if its gain is within the forecast's uncertainty */
  int32_t transposed;  /* 1: make A' x fast; every plan multiplies by A and by A' */
  int32_t no_store;    /* 1: neither use nor keep measurements of this matrix */
  const char *model;   /* model that forecasts the blocks; NULL: "best", the library's own */
  const char *kernels; /* kernels to choose from, separated by commas; NULL: all */
  const char *products; /* products taken in turns: "A=1,A.T=1" plans for both; NULL: as transposed says */
  int64_t powers;      /* powers of a square matrix to plan for sparsecast_apply_powers(); 0: none */
} sparsecast_plan_options;

/* Plans the products of a matrix and converts it. options: NULL for all defaults. SPARSECAST_FAILED, with the command
 * to run, if the device was never calibrated and no kernel is named. The matrix's handle may be freed afterwards. */
SPARSECAST_API int sparsecast_plan_create(const sparsecast_matrix *matrix, const sparsecast_plan_options *options,
                                          sparsecast_plan **plan);
/* Write a plan to a file, and read it for the same matrix. Loading checks that it is the same matrix. Complex matrices
 * are not supported. */
SPARSECAST_API int sparsecast_plan_save(const sparsecast_plan *plan, const char *file);
SPARSECAST_API int sparsecast_plan_load(const char *file, const sparsecast_matrix *matrix, sparsecast_plan **plan);
/* Replaces the values of the matrix; the pattern stays, and nothing is planned or analysed again. values: one per
 * non-zero, of the matrix's value_type, borrowed as the earlier ones were. values NULL and entries 0: the array that
 * was borrowed before holds the new values. */
SPARSECAST_API int sparsecast_plan_update_values(sparsecast_plan *plan, const void *values, int64_t entries);
SPARSECAST_API int sparsecast_plan_free(sparsecast_plan *plan);

/* What was planned: the fields of docs/schemas/optimize.schema.json and plan.hpp. A list is given by its length, a
 * nested struct by its first field. What is not known is -1 or not a number, or NULL for a text. */
typedef struct sparsecast_strategy {
  size_t struct_size;
  int64_t rows, cols, nonzeros;
  const char *device;
  const char *precision;      /* "single", "double", "complex-single", "complex-double" */
  int64_t bytes;              /* size of the stored formats, borrowed arrays included */
  int64_t copied_bytes;       /* part of bytes that the plan allocated; 0: it reads the matrix's arrays */
  double conversion_took_s;   /* measured time of the conversion */
  int64_t blocks;             /* number of blocks of rows, each with one kernel: sparsecast_plan_block() */
  double predicted_s;         /* forecast time of one product; 0 if a kernel was named */
  double conversion_s;        /* forecast time of the conversion */
  const char *best_single;    /* best kernel for the whole matrix */
  int64_t singles;            /* number of kernels that were forecast for the whole matrix */
  int64_t best_cut;           /* number of blocks of the best cut, whether the plan uses it or not */
  double gain, gain_low, gain_high; /* share of best_single's time that the best cut saves, and its 90 % interval */
  int32_t cut;                /* 1: the plan uses the best cut */
  int32_t threads;            /* host threads; 0 on other devices */
  const char *reason;         /* why the plan uses the best cut, or does not */
  int64_t strips, strip_rows;
  int64_t iterations;         /* number of products that was asked for; 0: one product alone */
  int64_t break_even;         /* number of products that pay back the conversion; 0: at once, -1: never,
                                 -2: not known, as where the kernel was named */
  double planning_s;          /* time that planning took */
  int64_t vectors;            /* number of vectors of the product that the times are for */
  int64_t trials;             /* number of candidates that were tried; -1 if no trials were requested */
  int32_t transposed;         /* 1: the times are for the product with the transpose */
  int32_t reserved;
  const char *transpose;      /* in a plan for A and A' in turns, what multiplies by A': "symmetric", "shared",
                                 "second-form" or "transpose"; otherwise NULL */
  int64_t powers;             /* number of powers that were planned; -1 if none were requested */
} sparsecast_strategy;
SPARSECAST_API int sparsecast_plan_info(const sparsecast_plan *plan, sparsecast_strategy *info);

/* How a plan computes powers of the matrix times a vector, and the forecast times. */
typedef struct sparsecast_powers {
  size_t struct_size;
  int64_t k;
  double seconds, low_s, high_s; /* time of computing the last power alone, and its 90 % interval; 0: not known */
  double all_s;                  /* time of computing and storing all k powers */
  double products_s;             /* time of k products with the fastest kernel */
  int32_t pays;                  /* 1: powers computed together pay; 0: the plan multiplies k times */
  int32_t all_pays;              /* the same when all powers are stored; 0: one product after the other */
  const char *reason;            /* why computing powers together pays, or does not */
  const char *order;             /* order of the rows meanwhile: "as given" or "levels" */
  const char *kernel;            /* kernel of every block of rows; empty if it does not pay */
  int64_t depth;                 /* number of powers for which a block is read once */
  int64_t block_rows, blocks, resident_bytes;
} sparsecast_powers;
/* SPARSECAST_USAGE if no powers were planned. */
SPARSECAST_API int sparsecast_plan_powers(const sparsecast_plan *plan, sparsecast_powers *powers);

typedef struct sparsecast_planned_block {
  size_t struct_size;
  int64_t first_strip, last_strip; /* from 1 */
  int64_t first_row, last_row;     /* from 0, inclusive */
  const char *kernel;
  double seconds, conversion_s;    /* forecast times of a product and of the conversion */
  int32_t reordered;               /* 1: rows are sorted by length within windows */
  int32_t extrapolated; /* 1: the formula of the model that was asked for does not reach these rows */
} sparsecast_planned_block;
/* Returns block `index`, from 0 to blocks - 1, in the order of rows. */
SPARSECAST_API int sparsecast_plan_block(const sparsecast_plan *plan, int64_t index, sparsecast_planned_block *block);

/* ---- Products ---------------------------------------------------------------------------------------------------- */

/* Which matrix multiplies. The adjoint is the conjugate transpose; for a real matrix it is the transpose. */
enum { SPARSECAST_NORMAL = 0, SPARSECAST_TRANSPOSED = 1, SPARSECAST_ADJOINT = 2 };

/* Computes y = alpha op(A) x + beta y. x_entries and y_entries are the lengths of the vectors and must equal the
 * columns and rows of op(A); otherwise, and if x and y overlap, the call returns SPARSECAST_USAGE. If beta is 0, y is
 * not read. The plan must have the precision of the vectors. The product runs on the plan's threads, at most as many as
 * OpenMP allows at that time. A GPU has no transposed product (SPARSECAST_UNAVAILABLE). */
SPARSECAST_API int sparsecast_apply(const sparsecast_plan *plan, int op, double alpha, const double *x,
                                    int64_t x_entries, double beta, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_float(const sparsecast_plan *plan, int op, float alpha, const float *x,
                                          int64_t x_entries, float beta, float *y, int64_t y_entries);
/* The same with complex vectors, for real and complex matrices; no other call multiplies by a complex matrix. x and y
 * hold pairs of real and imaginary part, as C99's double complex does; x_entries and y_entries count pairs. alpha and
 * beta point to a pair; NULL means 1 and 0. */
SPARSECAST_API int sparsecast_apply_complex(const sparsecast_plan *plan, int op, const void *alpha, const void *x,
                                            int64_t x_entries, const void *beta, void *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_complex_float(const sparsecast_plan *plan, int op, const void *alpha,
                                                  const void *x, int64_t x_entries, const void *beta, void *y,
                                                  int64_t y_entries);

/* Computes A x, A^2 x, ... and stores them in y one after the other: y_entries / rows powers. If powers were planned,
 * at most that many. The matrix must be square and real. */
SPARSECAST_API int sparsecast_apply_powers(const sparsecast_plan *plan, const double *x, int64_t x_entries, double *y,
                                           int64_t y_entries);
SPARSECAST_API int sparsecast_apply_powers_float(const sparsecast_plan *plan, const float *x, int64_t x_entries,
                                                 float *y, int64_t y_entries);
/* Computes y = A^power x without storing lower powers; power is at most 1048576. */
SPARSECAST_API int sparsecast_apply_power(const sparsecast_plan *plan, int64_t power, const double *x,
                                          int64_t x_entries, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_power_float(const sparsecast_plan *plan, int64_t power, const float *x,
                                                int64_t x_entries, float *y, int64_t y_entries);
/* Computes y = c[0] x + c[1] A x + c[2] A^2 x + ... */
SPARSECAST_API int sparsecast_apply_polynomial(const sparsecast_plan *plan, const double *c, int64_t c_entries,
                                               const double *x, int64_t x_entries, double *y, int64_t y_entries);
SPARSECAST_API int sparsecast_apply_polynomial_float(const sparsecast_plan *plan, const float *c, int64_t c_entries,
                                                     const float *x, int64_t x_entries, float *y, int64_t y_entries);
/* Computes y = sum of c[j] T_j(B) x, with Chebyshev's polynomials T_j and B = (2 A - (a + b) I) / (b - a). */
SPARSECAST_API int sparsecast_apply_chebyshev(const sparsecast_plan *plan, const double *c, int64_t c_entries, double a,
                                              double b, const double *x, int64_t x_entries, double *y,
                                              int64_t y_entries);
SPARSECAST_API int sparsecast_apply_chebyshev_float(const sparsecast_plan *plan, const float *c, int64_t c_entries,
                                                    double a, double b, const float *x, int64_t x_entries, float *y,
                                                    int64_t y_entries);

/* How the vectors of a block lie in memory: the place of entry i of vector v. */
enum {
  SPARSECAST_ROW_MAJOR = 0,   /* x[i * leading + v]; faster */
  SPARSECAST_COLUMN_MAJOR = 1 /* x[v * leading + i]: one vector after the other, as in Fortran */
};

/* Computes Y = alpha op(A) X + beta Y for a block of vectors. The matrix is read once for several of them where the
 * kernel can. leading: distance from one row (row major) or vector (column major) to the next; 0: no gap. x_entries and
 * y_entries: how many numbers x and y point to. */
SPARSECAST_API int sparsecast_apply_block(const sparsecast_plan *plan, int op, int order, int64_t vectors, double alpha,
                                          const double *x, int64_t x_entries, int64_t x_leading, double beta, double *y,
                                          int64_t y_entries, int64_t y_leading);
SPARSECAST_API int sparsecast_apply_block_float(const sparsecast_plan *plan, int op, int order, int64_t vectors,
                                                float alpha, const float *x, int64_t x_entries, int64_t x_leading,
                                                float beta, float *y, int64_t y_entries, int64_t y_leading);

/* Computes y = A'(A x); x and y have as many entries as A has columns. If the stored format has a way to do so in one
 * pass over A, the first call measures whether it is faster than two products, and the faster way is used. */
SPARSECAST_API int sparsecast_apply_gram(const sparsecast_plan *plan, const double *x, int64_t x_entries, double *y,
                                         int64_t y_entries);
SPARSECAST_API int sparsecast_apply_gram_float(const sparsecast_plan *plan, const float *x, int64_t x_entries, float *y,
                                               int64_t y_entries);

/* ---- Forecasts --------------------------------------------------------------------------------------------------- */

typedef struct sparsecast_predict_options {
  size_t struct_size;
  const char *device;     /* name of a profile or of a described machine, or a description (FILE.json); NULL: "host" */
  const char *profile;    /* profile file to use instead of a device's own measurements */
  const char *model;      /* a model, "all", or "best": the preferred model that has a forecast; NULL: "best" */
  int32_t precision;      /* SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION; 0: that of the values */
  int32_t threads;        /* host threads; 0: sparsecast_default_threads() */
  int64_t vectors;        /* number of vectors multiplied at once; 0: 1 */
  int64_t iterations;     /* rank by the total time of this many products and the conversion; 0: of one product */
  int32_t transposed;     /* 1: multiply by the transpose */
  int32_t choose_threads; /* 1: forecast for the fastest number of threads instead of `threads` */
  int32_t check_drift;    /* 1: time some products of the host's calibration again */
  int32_t no_store;       /* 1: neither use nor keep measurements of this matrix */
  const char *anchors;    /* file of some products measured on a described device, which correct its forecasts */
  const char *kernels;    /* kernels to forecast, separated by commas; NULL: all */
  const char *places;     /* where threads run on a described processor with more cores: "spread" or "close" */
  int64_t powers;         /* number of powers of a square matrix to forecast too, computed together; 0: none */
} sparsecast_predict_options;

/* Forecasts how long every kernel takes on a matrix, which kernel to use, and why. options: NULL for all defaults. The
 * products of a complex matrix are those of sparsecast_apply_complex(). */
SPARSECAST_API int sparsecast_predict(const sparsecast_matrix *matrix, const sparsecast_predict_options *options,
                                      sparsecast_prediction **prediction);
SPARSECAST_API int sparsecast_prediction_free(sparsecast_prediction *prediction);

/* The whole answer. Lists, nested structs and what is not known are given as in sparsecast_strategy. */
typedef struct sparsecast_prediction_summary {
  size_t struct_size;
  const char *matrix, *device; /* names */
  const char *precision;       /* as in sparsecast_strategy */
  int64_t vectors;
  int32_t transposed;
  int32_t threads;         /* with choose_threads: fastest number of threads by forecast; the forecasts are for it */
  int32_t enough_threads;  /* with choose_threads: fewest threads within a twentieth of the fastest time */
  int32_t drift;           /* with check_drift, 1: the machine does not run as it did when it was calibrated */
  int64_t thread_counts;   /* how many numbers of threads were compared */
  int64_t forecasts;       /* number of forecasts: sparsecast_prediction_forecast() */
  const char *recommended; /* recommended kernel: sparsecast_prediction_recommendation() */
  const char *neighbours;  /* similar patterns measured here that have moved forecasts; empty: none */
  int64_t powers;          /* number of powers: sparsecast_prediction_powers(); -1 if none were requested */
} sparsecast_prediction_summary;
SPARSECAST_API int sparsecast_prediction_info(const sparsecast_prediction *prediction,
                                              sparsecast_prediction_summary *info);

SPARSECAST_API int sparsecast_prediction_powers(const sparsecast_prediction *prediction, sparsecast_powers *powers);

typedef struct sparsecast_forecast {
  size_t struct_size;
  const char *kernel, *model;
  double seconds, low_s, high_s;    /* time of one product with warm caches, and its 90 % interval */
  double gflops;
  int64_t bytes;                    /* size of the format on the device */
  double preprocess_s, preprocess_low_s, preprocess_high_s; /* conversion from CSR into fresh memory; 0: none */
  int32_t extrapolated;             /* 1: outside the calibrated range */
  int32_t reserved;
  const char *records_precision;    /* precision of the records that the forecast rests on */
  const char *tier;                 /* basis: "shipped", "data sheet", "anchors", "probe", "measured", "observed" */
  const char *bound_by;             /* term that limits the time */
  double total_s;                   /* time of the conversion and the requested number of products */
  int64_t parts;                    /* number of terms, which add up to seconds: sparsecast_prediction_part() */
  double moved;                     /* factor by which similar patterns measured here have moved the forecast */
  const char *beyond;               /* why the model's formula does not apply: "never measured", "launch", "grid",
                                       "bandwidth"; such a forecast is extrapolated and not recommended */
  const char *learned_of;           /* for a library's kernel: versions, or years, that it was learned from */
  int32_t fits;                     /* 1: the format and the vectors fit into the device's memory */
} sparsecast_forecast;
/* Returns forecast `index`, from 0 to forecasts - 1; the one that finishes first comes first. */
SPARSECAST_API int sparsecast_prediction_forecast(const sparsecast_prediction *prediction, int64_t index,
                                                  sparsecast_forecast *forecast);

typedef struct sparsecast_forecast_part {
  size_t struct_size;
  const char *term;
  double seconds, bytes;
} sparsecast_forecast_part;
/* Returns part `part`, from 0 to parts - 1, of forecast `index`. */
SPARSECAST_API int sparsecast_prediction_part(const sparsecast_prediction *prediction, int64_t index, int64_t part,
                                              sparsecast_forecast_part *term);

typedef struct sparsecast_recommendation {
  size_t struct_size;
  const char *kernel; /* "" if nothing could be forecast */
  double seconds;     /* time of one product */
  const char *reason; /* which model recommends it, and which kernels are close */
  const char *advice; /* compared with csr: "1.6 × as fast as csr, pays back after 14 products"; "" without csr */
} sparsecast_recommendation;
SPARSECAST_API int sparsecast_prediction_recommendation(const sparsecast_prediction *prediction,
                                                        sparsecast_recommendation *recommendation);

#ifdef __cplusplus
}
#endif
#endif
