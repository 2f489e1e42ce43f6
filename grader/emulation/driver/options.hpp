/// The command line of opgrade-cucc: the part of nvcc's that building a submission uses.
#pragma once

#include <string>
#include <vector>

namespace opgrade::emulation {

struct DriverOptions {
  std::vector<std::string> sources;         ///< .cu, .cc, .cpp and .o files, in order
  std::vector<std::string> compiler_flags;  ///< -I, -D, -O, -std=, ... as given
  std::vector<std::string> link_flags;      ///< -L, -l, -Wl,
  bool cublas = false;                      ///< -lcublas
  std::string output = "a.out";
  std::string compiler;  ///< g++ unless --compiler or $CXX says otherwise
  bool shared = false;
  bool compile_only = false;
  bool preprocess_only = false;
  bool uses_only = false;   ///< print what the code of the preprocessed source uses
  std::string device_text;  ///< with --uses: the source as it is for the device, if that differs
  std::vector<std::string> needed;  ///< with --uses: functions that other sources use
  bool check = false;
  bool count = false;  ///< exact counts: code is not optimised, loops and arithmetic are counted
  bool any_processor = false;         ///< for processors without what this one has, too
  bool front_end = true;              ///< ask cuda-front-end what nvcc refuses
  bool relaxed_constexpr = false;     ///< --expt-relaxed-constexpr
  bool separate_compilation = false;  ///< -rdc=true
  bool extended_lambda = false;       ///< --extended-lambda
  bool keep = false;                  ///< keep the translated files next to the output
  bool help = false;
  std::vector<std::string> problems;  ///< what could not be understood
};

DriverOptions parse_driver_options(const std::vector<std::string>& arguments);

const char* driver_help();

/// Returns `text`, preprocessed, with the paths of its line markers changed by each
/// -ffile-prefix-map=OLD=NEW of `flags`. As in GCC, the last one that fits counts.
std::string with_mapped_paths(const std::string& text, const std::vector<std::string>& flags);

}  // namespace opgrade::emulation
