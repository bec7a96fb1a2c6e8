! What the module owes its user: types as large as C's, and products of matrices whose indices begin at 1.
program fortran_test
  use sparsecast
  implicit none
  integer :: failures = 0

  call types_are_as_large_as_they_say
  call products
  call forecasts
  call refusals
  if (failures > 0) stop 1
  print '(2a)', sparsecast_text(sparsecast_version_text()), ' from Fortran: all as the header says'

contains

  subroutine check(truth, what)
    logical, intent(in) :: truth
    character(*), intent(in) :: what
    if (truth) return
    print '(4a)', 'not so: ', what, ': ', sparsecast_text(sparsecast_error_text())
    failures = failures + 1
  end subroutine

  subroutine types_are_as_large_as_they_say
    type(sparsecast_calibrate_options) :: calibrate
    type(sparsecast_csr) :: csr
    type(sparsecast_matrix_size) :: matrix
    type(sparsecast_plan_options) :: plan
    type(sparsecast_strategy) :: strategy
    type(sparsecast_planned_block) :: block
    type(sparsecast_powers) :: powers
    type(sparsecast_predict_options) :: predict
    type(sparsecast_prediction_summary) :: summary
    type(sparsecast_forecast) :: forecast
    type(sparsecast_forecast_part) :: part
    type(sparsecast_recommendation) :: recommendation
    call check(len(sparsecast_text(sparsecast_remarks())) == 0, 'nothing was asked, and nothing remarked')
    call check(calibrate%struct_size == c_sizeof(calibrate), 'calibrate_options')
    call check(csr%struct_size == c_sizeof(csr), 'csr')
    call check(matrix%struct_size == c_sizeof(matrix), 'matrix_size')
    call check(plan%struct_size == c_sizeof(plan), 'plan_options')
    call check(strategy%struct_size == c_sizeof(strategy), 'strategy')
    call check(powers%struct_size == c_sizeof(powers), 'powers')
    call check(block%struct_size == c_sizeof(block), 'planned_block')
    call check(predict%struct_size == c_sizeof(predict), 'predict_options')
    call check(summary%struct_size == c_sizeof(summary), 'prediction_summary')
    call check(forecast%struct_size == c_sizeof(forecast), 'forecast')
    call check(part%struct_size == c_sizeof(part), 'forecast_part')
    call check(recommendation%struct_size == c_sizeof(recommendation), 'recommendation')
  end subroutine

  ! [4 0 1; 0 5 0; 2 3 0; 0 0 0]
  function small_matrix(values) result(matrix)
    real(c_double), intent(in), target :: values(5)
    integer(c_int32_t), target, save :: starts(5) = [1, 3, 4, 6, 6], columns(5) = [1, 3, 2, 1, 2]
    type(sparsecast_csr) :: csr
    type(c_ptr) :: matrix
    csr%rows = 4
    csr%cols = 3
    csr%nonzeros = 5
    csr%row_pointers = c_loc(starts)
    csr%column_indices = c_loc(columns)
    csr%values = c_loc(values)
    csr%row_pointer_type = SPARSECAST_INT32
    csr%column_index_type = SPARSECAST_INT32
    csr%value_type = SPARSECAST_DOUBLE
    csr%index_base = 1
    call check(sparsecast_matrix_borrow(csr, matrix) == SPARSECAST_OK, 'borrow')
  end function

  subroutine products
    real(c_double), target :: values(5) = [4, 1, 5, 2, 3]
    real(c_double) :: x(3) = [1, 10, 100], y(4), u(4) = [1, 10, 100, 1000], z(3), two(3, 2), to(4, 2)
    character(4), target :: kernel = 'csr'//c_null_char
    type(sparsecast_plan_options) :: options
    type(c_ptr) :: matrix, plan
    matrix = small_matrix(values)
    options%kernel = c_loc(kernel)
    call check(sparsecast_plan_create(matrix, options, plan) == SPARSECAST_OK, 'plan')
    call check(sparsecast_apply(plan, SPARSECAST_NORMAL, 1d0, x, 3_8, 0d0, y, 4_8) == SPARSECAST_OK, 'apply')
    call check(all(y == [104, 50, 32, 0]), 'A x')
    call check(sparsecast_apply(plan, SPARSECAST_TRANSPOSED, 1d0, u, 4_8, 0d0, z, 3_8) == SPARSECAST_OK, 'transposed')
    call check(all(z == [204, 350, 1]), 'transposed A x')
    two(:, 1) = x
    two(:, 2) = 2 * x
    call check(sparsecast_apply_block(plan, SPARSECAST_NORMAL, SPARSECAST_COLUMN_MAJOR, 2_8, 1d0, two, 6_8, 0_8, 0d0, &
                                      to, 8_8, 0_8) == SPARSECAST_OK, 'block')
    call check(all(to(:, 1) == y) .and. all(to(:, 2) == 2 * y), 'A X')
    values = 1
    call check(sparsecast_plan_update_values(plan, c_null_ptr, 0_8) == SPARSECAST_OK, 'update')
    call check(sparsecast_apply(plan, SPARSECAST_NORMAL, 1d0, x, 3_8, 0d0, y, 4_8) == SPARSECAST_OK, 'apply')
    call check(all(y == [101, 10, 11, 0]), 'new values')
    call check(sparsecast_plan_free(plan) == SPARSECAST_OK, 'free')
    call check(sparsecast_matrix_free(matrix) == SPARSECAST_OK, 'free')
  end subroutine

  subroutine forecasts
    type(sparsecast_prediction_summary) :: summary
    type(sparsecast_forecast) :: forecast
    type(c_ptr) :: matrix, prediction
    call check(sparsecast_matrix_generate('poisson2d'//c_null_char, '{"size": 60}'//c_null_char, 0_8, matrix) == 0, 'made')
    call check(sparsecast_predict(matrix, prediction=prediction) == SPARSECAST_OK, 'predict')
    call check(sparsecast_prediction_info(prediction, summary) == SPARSECAST_OK, 'info')
    call check(summary%forecasts >= 3, 'forecasts')
    call check(sparsecast_text(summary%device) == 'host', 'device')
    call check(sparsecast_prediction_forecast(prediction, 0_8, forecast) == SPARSECAST_OK, 'forecast')
    call check(forecast%seconds > 0, 'seconds')
    call check(sparsecast_text(forecast%kernel) == sparsecast_text(summary%recommended), 'first')
    call check(sparsecast_prediction_free(prediction) == SPARSECAST_OK, 'free')
    call check(sparsecast_matrix_free(matrix) == SPARSECAST_OK, 'free')
  end subroutine

  subroutine refusals
    real(c_double), target :: values(5) = 1
    real(c_double) :: x(3) = 1, y(4)
    type(c_ptr) :: matrix
    matrix = small_matrix(values)
    call check(sparsecast_apply(matrix, SPARSECAST_NORMAL, 1d0, x, 3_8, 0d0, y, 4_8) == SPARSECAST_BAD_HANDLE, 'kind')
    call check(sparsecast_text(sparsecast_error_text()) == 'the handle is of another kind', 'text')
    call check(sparsecast_matrix_free(matrix) == SPARSECAST_OK, 'free')
    call check(sparsecast_matrix_free(matrix) == SPARSECAST_BAD_HANDLE, 'freed')
    call check(sparsecast_text(c_null_ptr) == '', 'no text')
  end subroutine
end program
