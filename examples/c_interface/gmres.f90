! GMRES(30) with a planned product: gmres MATRIX solves A x = 1 for a matrix that need not be symmetric.
program gmres
  use sparsecast
  implicit none
  integer, parameter :: m = 30
  type(c_ptr) :: matrix, plan
  type(sparsecast_plan_options) :: options
  type(sparsecast_strategy) :: info
  character(1000) :: file
  real(c_double), allocatable :: x(:), v(:, :)
  real(c_double) :: h(m + 1, m), turn(2, m), g(m + 1), enough
  integer(c_int64_t) :: n
  integer :: i, j, iterations
  logical :: converged

  call get_command_argument(1, file)
  call need(sparsecast_matrix_read(trim(file)//c_null_char, matrix))
  options%iterations = 500
  call need(sparsecast_plan_create(matrix, options, plan))
  call need(sparsecast_plan_info(plan, info))
  n = info%rows
  allocate (x(n), v(n, m + 1))
  x = 0
  enough = 1d-10 * sqrt(real(n, c_double))
  iterations = 0
  converged = .false.
  do while (iterations < 3000)
    v(:, 1) = 1  ! v1 = 1 - A x
    call need(sparsecast_apply(plan, SPARSECAST_NORMAL, -1d0, x, n, 1d0, v(:, 1), n))
    g(1) = norm2(v(:, 1))
    converged = g(1) <= enough
    if (converged) exit
    v(:, 1) = v(:, 1) / g(1)
    do j = 1, m
      call need(sparsecast_apply(plan, SPARSECAST_NORMAL, 1d0, v(:, j), n, 0d0, v(:, j + 1), n))
      do i = 1, j  ! orthogonal to those before
        h(i, j) = dot_product(v(:, i), v(:, j + 1))
        v(:, j + 1) = v(:, j + 1) - h(i, j) * v(:, i)
      end do
      h(j + 1, j) = norm2(v(:, j + 1))
      v(:, j + 1) = v(:, j + 1) / h(j + 1, j)
      do i = 1, j  ! the rotations so far, and one more
        if (i == j) turn(:, j) = h(j:j + 1, j) / norm2(h(j:j + 1, j))
        h(i:i + 1, j) = [dot_product(turn(:, i), h(i:i + 1, j)), turn(1, i) * h(i + 1, j) - turn(2, i) * h(i, j)]
      end do
      g(j:j + 1) = g(j) * [turn(1, j), -turn(2, j)]
      iterations = iterations + 1
      if (abs(g(j + 1)) <= enough .or. j == m) exit
    end do
    do i = j, 1, -1
      g(i) = (g(i) - dot_product(h(i, i + 1:j), g(i + 1:j))) / h(i, i)
      x = x + g(i) * v(:, i)
    end do
  end do
  print '(a, i0, a, f0.12)', 'gmres: ', iterations, ' iterations, |x| = ', norm2(x)
  if (.not. converged) then
    print '(a)', 'gmres: not converged'
    stop 1
  end if
contains
  subroutine need(status)
    integer(c_int), intent(in) :: status
    if (status == SPARSECAST_OK) return
    print '(2a)', 'gmres: ', sparsecast_text(sparsecast_error_text())
    stop 1
  end subroutine
end program
