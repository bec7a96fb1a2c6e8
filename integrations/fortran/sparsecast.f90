! Sparsecast from Fortran: what <sparsecast.h> declares, under the same names, for `use sparsecast`. What every call
! does, what it promises and what its arguments mean stands there. In the types below struct_size is set already; an
! argument that may be left away is NULL in C (Fortran 2018: gfortran 9 or later). Texts for the library end with
! c_null_char ('poisson2d'//c_null_char): it reads on until it finds one.
!
! Compile it with the program, and link libsparsecast_c:  gfortran sparsecast.f90 gmres.f90 -lsparsecast_c
module sparsecast
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: SPARSECAST_OK = 0, SPARSECAST_FAILED = 1, SPARSECAST_USAGE = 2, &
    SPARSECAST_BAD_INPUT = 3, SPARSECAST_UNAVAILABLE = 4, SPARSECAST_TOO_LARGE = 5, SPARSECAST_BAD_HANDLE = 6, &
    SPARSECAST_BUSY = 7, SPARSECAST_INTERNAL = 8, SPARSECAST_INTERRUPTED = 130
  integer(c_int32_t), parameter :: SPARSECAST_INT32 = 1, SPARSECAST_INT64 = 2
  integer(c_int32_t), parameter :: SPARSECAST_FLOAT = 1, SPARSECAST_DOUBLE = 2, SPARSECAST_COMPLEX_FLOAT = 3, &
    SPARSECAST_COMPLEX_DOUBLE = 4
  integer(c_int32_t), parameter :: SPARSECAST_SINGLE = 1, SPARSECAST_DOUBLE_PRECISION = 2
  integer(c_int), parameter :: SPARSECAST_NORMAL = 0, SPARSECAST_TRANSPOSED = 1, SPARSECAST_ADJOINT = 2
  integer(c_int), parameter :: SPARSECAST_ROW_MAJOR = 0, SPARSECAST_COLUMN_MAJOR = 1

  type, bind(c) :: sparsecast_calibrate_options
    integer(c_size_t) :: struct_size = 80_c_size_t
    type(c_ptr) :: device = c_null_ptr
    integer(c_int32_t) :: quick = 0, fresh = 0, only_instructions = 0, precision = 0, threads = 0, papers = 0
    real(c_double) :: minutes = 0.0_c_double
    type(c_ptr) :: matrices = c_null_ptr
    integer(c_int64_t) :: matrix_count = 0
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  type, bind(c) :: sparsecast_csr
    integer(c_size_t) :: struct_size = 80_c_size_t
    integer(c_int64_t) :: rows = 0, cols = 0, nonzeros = 0
    type(c_ptr) :: row_pointers = c_null_ptr, column_indices = c_null_ptr, values = c_null_ptr
    integer(c_int32_t) :: row_pointer_type = 0, column_index_type = 0, value_type = 0, index_base = 0, unchecked = 0, &
      reserved = 0
  end type

  type, bind(c) :: sparsecast_matrix_size
    integer(c_size_t) :: struct_size = 56_c_size_t
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: rows = 0, cols = 0, nonzeros = 0, bytes = 0, copied_bytes = 0
  end type

  type, bind(c) :: sparsecast_plan_options
    integer(c_size_t) :: struct_size = 120_c_size_t
    type(c_ptr) :: device = c_null_ptr, profile = c_null_ptr, kernel = c_null_ptr, trials = c_null_ptr
    integer(c_int32_t) :: precision = 0, threads = 0
    integer(c_int64_t) :: iterations = 0, strip_rows = 0, vectors = 0
    integer(c_int32_t) :: max_blocks = 0, always_cut = 0, transposed = 0, no_store = 0
    type(c_ptr) :: model = c_null_ptr, kernels = c_null_ptr, products = c_null_ptr
    integer(c_int64_t) :: powers = 0
  end type

  type, bind(c) :: sparsecast_strategy
    integer(c_size_t) :: struct_size = 240_c_size_t
    integer(c_int64_t) :: rows = 0, cols = 0, nonzeros = 0
    type(c_ptr) :: device = c_null_ptr, precision = c_null_ptr
    integer(c_int64_t) :: bytes = 0, copied_bytes = 0
    real(c_double) :: conversion_took_s = 0.0_c_double
    integer(c_int64_t) :: blocks = 0
    real(c_double) :: predicted_s = 0.0_c_double, conversion_s = 0.0_c_double
    type(c_ptr) :: best_single = c_null_ptr
    integer(c_int64_t) :: singles = 0, best_cut = 0
    real(c_double) :: gain = 0.0_c_double, gain_low = 0.0_c_double, gain_high = 0.0_c_double
    integer(c_int32_t) :: cut = 0, threads = 0
    type(c_ptr) :: reason = c_null_ptr
    integer(c_int64_t) :: strips = 0, strip_rows = 0, iterations = 0, break_even = 0
    real(c_double) :: planning_s = 0.0_c_double
    integer(c_int64_t) :: vectors = 0, trials = 0
    integer(c_int32_t) :: transposed = 0, reserved = 0
    type(c_ptr) :: transpose = c_null_ptr
    integer(c_int64_t) :: powers = 0
  end type

  type, bind(c) :: sparsecast_powers
    integer(c_size_t) :: struct_size = 120_c_size_t
    integer(c_int64_t) :: k = 0
    real(c_double) :: seconds = 0.0_c_double, low_s = 0.0_c_double, high_s = 0.0_c_double, all_s = 0.0_c_double, &
      products_s = 0.0_c_double
    integer(c_int32_t) :: pays = 0, all_pays = 0
    type(c_ptr) :: reason = c_null_ptr, order = c_null_ptr, kernel = c_null_ptr
    integer(c_int64_t) :: depth = 0, block_rows = 0, blocks = 0, resident_bytes = 0
  end type

  type, bind(c) :: sparsecast_planned_block
    integer(c_size_t) :: struct_size = 72_c_size_t
    integer(c_int64_t) :: first_strip = 0, last_strip = 0, first_row = 0, last_row = 0
    type(c_ptr) :: kernel = c_null_ptr
    real(c_double) :: seconds = 0.0_c_double, conversion_s = 0.0_c_double
    integer(c_int32_t) :: reordered = 0, extrapolated = 0
  end type

  type, bind(c) :: sparsecast_predict_options
    integer(c_size_t) :: struct_size = 104_c_size_t
    type(c_ptr) :: device = c_null_ptr, profile = c_null_ptr, model = c_null_ptr
    integer(c_int32_t) :: precision = 0, threads = 0
    integer(c_int64_t) :: vectors = 0, iterations = 0
    integer(c_int32_t) :: transposed = 0, choose_threads = 0, check_drift = 0, no_store = 0
    type(c_ptr) :: anchors = c_null_ptr, kernels = c_null_ptr, places = c_null_ptr
    integer(c_int64_t) :: powers = 0
  end type

  type, bind(c) :: sparsecast_prediction_summary
    integer(c_size_t) :: struct_size = 96_c_size_t
    type(c_ptr) :: matrix = c_null_ptr, device = c_null_ptr, precision = c_null_ptr
    integer(c_int64_t) :: vectors = 0
    integer(c_int32_t) :: transposed = 0, threads = 0, enough_threads = 0, drift = 0
    integer(c_int64_t) :: thread_counts = 0, forecasts = 0
    type(c_ptr) :: recommended = c_null_ptr, neighbours = c_null_ptr
    integer(c_int64_t) :: powers = 0
  end type

  type, bind(c) :: sparsecast_forecast
    integer(c_size_t) :: struct_size = 168_c_size_t
    type(c_ptr) :: kernel = c_null_ptr, model = c_null_ptr
    real(c_double) :: seconds = 0.0_c_double, low_s = 0.0_c_double, high_s = 0.0_c_double, gflops = 0.0_c_double
    integer(c_int64_t) :: bytes = 0
    real(c_double) :: preprocess_s = 0.0_c_double, preprocess_low_s = 0.0_c_double, preprocess_high_s = 0.0_c_double
    integer(c_int32_t) :: extrapolated = 0, reserved = 0
    type(c_ptr) :: records_precision = c_null_ptr, tier = c_null_ptr, bound_by = c_null_ptr
    real(c_double) :: total_s = 0.0_c_double
    integer(c_int64_t) :: parts = 0
    real(c_double) :: moved = 0.0_c_double
    type(c_ptr) :: beyond = c_null_ptr, learned_of = c_null_ptr
    integer(c_int32_t) :: fits = 0
  end type

  type, bind(c) :: sparsecast_forecast_part
    integer(c_size_t) :: struct_size = 32_c_size_t
    type(c_ptr) :: term = c_null_ptr
    real(c_double) :: seconds = 0.0_c_double, bytes = 0.0_c_double
  end type

  type, bind(c) :: sparsecast_recommendation
    integer(c_size_t) :: struct_size = 40_c_size_t
    type(c_ptr) :: kernel = c_null_ptr
    real(c_double) :: seconds = 0.0_c_double
    type(c_ptr) :: reason = c_null_ptr, advice = c_null_ptr
  end type

  interface
    function sparsecast_error_text() bind(c) result(answer)
      import
      type(c_ptr) :: answer
    end function
    function sparsecast_status_text(status) bind(c) result(answer)
      import
      integer(c_int), value :: status
      type(c_ptr) :: answer
    end function
    function sparsecast_remarks() bind(c) result(answer)
      import
      type(c_ptr) :: answer
    end function
    function sparsecast_version() bind(c) result(answer)
      import
      integer(c_int) :: answer
    end function
    function sparsecast_version_text() bind(c) result(answer)
      import
      type(c_ptr) :: answer
    end function
    function sparsecast_default_threads() bind(c) result(answer)
      import
      integer(c_int) :: answer
    end function
    function sparsecast_set_default_threads(threads) bind(c) result(status)
      import
      integer(c_int), value :: threads
      integer(c_int) :: status
    end function
    function sparsecast_calibrate(options) bind(c) result(status)
      import
      type(sparsecast_calibrate_options), optional, intent(in) :: options
      integer(c_int) :: status
    end function
    function sparsecast_matrix_borrow(csr, matrix) bind(c) result(status)
      import
      type(sparsecast_csr), intent(in) :: csr
      type(c_ptr), intent(out) :: matrix
      integer(c_int) :: status
    end function
    function sparsecast_matrix_read(file, matrix) bind(c) result(status)
      import
      character(kind=c_char), intent(in) :: file(*)
      type(c_ptr), intent(out) :: matrix
      integer(c_int) :: status
    end function
    function sparsecast_matrix_generate(kind, parameters, seed, matrix) bind(c) result(status)
      import
      character(kind=c_char), intent(in) :: kind(*)
      character(kind=c_char), optional, intent(in) :: parameters(*)
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(out) :: matrix
      integer(c_int) :: status
    end function
    function sparsecast_matrix_transpose(matrix, transposed) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      type(c_ptr), intent(out) :: transposed
      integer(c_int) :: status
    end function
    function sparsecast_matrix_info(matrix, info) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      type(sparsecast_matrix_size), intent(inout) :: info
      integer(c_int) :: status
    end function
    function sparsecast_matrix_csr(matrix, csr) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      type(sparsecast_csr), intent(inout) :: csr
      integer(c_int) :: status
    end function
    function sparsecast_matrix_free(matrix) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      integer(c_int) :: status
    end function
    function sparsecast_plan_create(matrix, options, plan) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      type(sparsecast_plan_options), optional, intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: status
    end function
    function sparsecast_plan_save(plan, file) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int) :: status
    end function
    function sparsecast_plan_load(file, matrix, plan) bind(c) result(status)
      import
      character(kind=c_char), intent(in) :: file(*)
      type(c_ptr), value :: matrix
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: status
    end function
    function sparsecast_plan_update_values(plan, values, entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan, values
      integer(c_int64_t), value :: entries
      integer(c_int) :: status
    end function
    function sparsecast_plan_free(plan) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function
    function sparsecast_plan_info(plan, info) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      type(sparsecast_strategy), intent(inout) :: info
      integer(c_int) :: status
    end function
    function sparsecast_plan_block(plan, index, block) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: index
      type(sparsecast_planned_block), intent(inout) :: block
      integer(c_int) :: status
    end function
    function sparsecast_apply(plan, op, alpha, x, x_entries, beta, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: op
      real(c_double), value :: alpha
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_double), value :: beta
      real(c_double), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_float(plan, op, alpha, x, x_entries, beta, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: op
      real(c_float), value :: alpha
      real(c_float), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_float), value :: beta
      real(c_float), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_complex(plan, op, alpha, x, x_entries, beta, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: op
      type(c_ptr), value :: alpha, x
      integer(c_int64_t), value :: x_entries
      type(c_ptr), value :: beta, y
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_complex_float(plan, op, alpha, x, x_entries, beta, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: op
      type(c_ptr), value :: alpha, x
      integer(c_int64_t), value :: x_entries
      type(c_ptr), value :: beta, y
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_block(plan, op, order, vectors, alpha, x, x_entries, x_leading, beta, y, &
        y_entries, y_leading) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: op, order
      integer(c_int64_t), value :: vectors
      real(c_double), value :: alpha
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries, x_leading
      real(c_double), value :: beta
      real(c_double), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries, y_leading
      integer(c_int) :: status
    end function
    function sparsecast_apply_block_float(plan, op, order, vectors, alpha, x, x_entries, x_leading, beta, y, &
        y_entries, y_leading) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: op, order
      integer(c_int64_t), value :: vectors
      real(c_float), value :: alpha
      real(c_float), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries, x_leading
      real(c_float), value :: beta
      real(c_float), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries, y_leading
      integer(c_int) :: status
    end function
    function sparsecast_apply_gram(plan, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_double), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_plan_powers(plan, powers) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      type(sparsecast_powers), intent(inout) :: powers
      integer(c_int) :: status
    end function
    function sparsecast_apply_powers(plan, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_double), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_gram_float(plan, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_float), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_float), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_power(plan, power, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: power
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_double), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_polynomial(plan, c, c_entries, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_double), intent(in) :: c(*)
      integer(c_int64_t), value :: c_entries
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_double), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_chebyshev(plan, c, c_entries, a, b, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_double), intent(in) :: c(*)
      integer(c_int64_t), value :: c_entries
      real(c_double), value :: a, b
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_double), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_powers_float(plan, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_float), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_float), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_power_float(plan, power, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: power
      real(c_float), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_float), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_polynomial_float(plan, c, c_entries, x, x_entries, y, y_entries) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_float), intent(in) :: c(*)
      integer(c_int64_t), value :: c_entries
      real(c_float), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_float), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_apply_chebyshev_float(plan, c, c_entries, a, b, x, x_entries, y, y_entries) &
        bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_float), intent(in) :: c(*)
      integer(c_int64_t), value :: c_entries
      real(c_double), value :: a, b
      real(c_float), intent(in) :: x(*)
      integer(c_int64_t), value :: x_entries
      real(c_float), intent(inout) :: y(*)
      integer(c_int64_t), value :: y_entries
      integer(c_int) :: status
    end function
    function sparsecast_predict(matrix, options, prediction) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      type(sparsecast_predict_options), optional, intent(in) :: options
      type(c_ptr), intent(out) :: prediction
      integer(c_int) :: status
    end function
    function sparsecast_prediction_free(prediction) bind(c) result(status)
      import
      type(c_ptr), value :: prediction
      integer(c_int) :: status
    end function
    function sparsecast_prediction_info(prediction, info) bind(c) result(status)
      import
      type(c_ptr), value :: prediction
      type(sparsecast_prediction_summary), intent(inout) :: info
      integer(c_int) :: status
    end function
    function sparsecast_prediction_forecast(prediction, index, forecast) bind(c) result(status)
      import
      type(c_ptr), value :: prediction
      integer(c_int64_t), value :: index
      type(sparsecast_forecast), intent(inout) :: forecast
      integer(c_int) :: status
    end function
    function sparsecast_prediction_part(prediction, index, part, term) bind(c) result(status)
      import
      type(c_ptr), value :: prediction
      integer(c_int64_t), value :: index, part
      type(sparsecast_forecast_part), intent(inout) :: term
      integer(c_int) :: status
    end function
    function sparsecast_prediction_powers(prediction, powers) bind(c) result(status)
      import
      type(c_ptr), value :: prediction
      type(sparsecast_powers), intent(inout) :: powers
      integer(c_int) :: status
    end function
    function sparsecast_prediction_recommendation(prediction, recommendation) bind(c) result(status)
      import
      type(c_ptr), value :: prediction
      type(sparsecast_recommendation), intent(inout) :: recommendation
      integer(c_int) :: status
    end function
  end interface

contains

  !> A text of the library's, "" for none.
  function sparsecast_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: length
    interface
      function strlen(s) bind(c) result(n)
        import
        type(c_ptr), value :: s
        integer(c_size_t) :: n
      end function
    end interface
    length = 0
    if (c_associated(text)) length = int(strlen(text))
    allocate (character(length) :: copy)
    if (length == 0) return
    call c_f_pointer(text, letters, [length])
    copy = transfer(letters, copy)
  end function
end module
