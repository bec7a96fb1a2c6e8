# The command held against programs of the papers' rules (docs/design/oracles.md), some random cases of each system.
find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
function(oracle_test system cases)
  add_test(NAME oracles.${system}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/oracles/compare.py ${system} --cases ${cases} --seed 1
            --command $<TARGET_FILE:sparsecast-command>)
  set_tests_properties(oracles.${system} PROPERTIES TIMEOUT 300 LABELS oracles
    ENVIRONMENT "GOMP_SPINCOUNT=1000;PYTHONDONTWRITEBYTECODE=1")
endfunction()
if(Python3_Interpreter_FOUND)
  oracle_test(guo-wang 24)
  oracle_test(max-plus 60)
  if(TARGET sparsecast::metis)  # without which no rows are dealt out
    oracle_test(hossain-saule 50)
  endif()
  find_program(OCTAVE_CLI octave-cli)
  if(OCTAVE_CLI)
    oracle_test(slamm 6)
  endif()
endif()
