# Every library opgrade links, found once. tools/install-packages.sh names the Debian packages.
find_package(Threads REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED)  # headers alone: Beast (HTTP), PFR (rows of the store). CMake's own module ends with 3.30.
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)  # 0.7 exports the target without a namespace
  # Of the libraries that a package for Debian 12 needs, this one alone is named otherwise in Ubuntu
  # 24.04, so it goes into the program.
  find_library(OPGRADE_YAML_CPP_ARCHIVE libyaml-cpp.a)
  if(OPGRADE_YAML_CPP_ARCHIVE)
    add_library(yaml-cpp::yaml-cpp STATIC IMPORTED GLOBAL)
    set_target_properties(yaml-cpp::yaml-cpp PROPERTIES IMPORTED_LOCATION ${OPGRADE_YAML_CPP_ARCHIVE})
  else()
    add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
  endif()
endif()
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_package(LibArchive REQUIRED)  # submissions as .zip and .tar
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)  # SHA-256; TLS of the client
find_package(pugixml REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(SQLiteCpp REQUIRED)  # the store of a course
find_package(date REQUIRED)  # IANA time zones, which GCC's <chrono> has from version 14 on
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
