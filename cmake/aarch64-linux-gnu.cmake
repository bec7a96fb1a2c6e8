# Debian's cross compiler for aarch64, qemu-user for what it makes, and the libraries of scripts/aarch64-packages and of
# scripts/wheel-libraries, where that ran.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(packages ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-packages)
cmake_path(ABSOLUTE_PATH packages NORMALIZE)
set(CMAKE_FIND_ROOT_PATH ${packages} ${CMAKE_CURRENT_LIST_DIR}/../build/wheel-libraries/aarch64 /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu
    -E LD_LIBRARY_PATH=${packages}/usr/lib/aarch64-linux-gnu)
