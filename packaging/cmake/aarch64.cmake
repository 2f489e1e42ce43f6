# ARM64 Linux, compiled elsewhere: cmake --toolchain packaging/cmake/aarch64.cmake -D OPGRADE_ARM64_ROOT=DIR.
# DIR is a Debian of ARM64 with what tools/install-packages.sh lists; packaging/arm64.sh makes both. Programs that are
# built run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Trial compilations of CMake read this file, too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OPGRADE_ARM64_ROOT)
set(CMAKE_SYSROOT ${OPGRADE_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${OPGRADE_ARM64_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${OPGRADE_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${OPGRADE_ARM64_ROOT}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${OPGRADE_ARM64_ROOT})

# Else CMake asks the build machine's h5cc.
set(HDF5_ROOT ${OPGRADE_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/hdf5/serial)
