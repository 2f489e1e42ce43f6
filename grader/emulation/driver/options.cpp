#include "grader/emulation/driver/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

namespace opgrade::emulation {
namespace {

bool starts(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

/// Flags of nvcc that have no meaning for a CPU compiler, without or with a value behind them.
bool is_ignored(const std::string& a) {
  return starts(a, "-arch=") || starts(a, "--gpu-architecture=") || starts(a, "-gencode=") ||
         starts(a, "--generate-code=") || starts(a, "-code=") || starts(a, "--expt-") ||
         a == "-expt-relaxed-constexpr" || a == "-extended-lambda" || a == "--extended-lambda" ||
         a == "-lineinfo" || a == "--generate-line-info" || a == "-use_fast_math" ||
         a == "--use_fast_math" || starts(a, "-rdc") || starts(a, "--relocatable-device-code") ||
         a == "-dc" || a == "-G" || a == "--device-debug" || starts(a, "-Xptxas=") ||
         starts(a, "-Xcudafe=") || a == "-Wno-deprecated-gpu-targets" ||
         starts(a, "-maxrregcount=") || starts(a, "--threads=") || starts(a, "-cudart=") ||
         starts(a, "--cudart=") || starts(a, "-fmad=") || starts(a, "--fmad=") ||
         starts(a, "-ftz=") || starts(a, "-prec-") || starts(a, "-ccbin=");
}
bool is_ignored_with_value(const std::string& a) {
  return a == "-arch" || a == "--gpu-architecture" || a == "-gencode" || a == "--generate-code" ||
         a == "-code" || a == "-Xptxas" || a == "--ptxas-options" || a == "-Xcudafe" ||
         a == "-maxrregcount" || a == "--threads" || a == "-cudart" || a == "--cudart" ||
         a == "-ccbin" || a == "-diag-suppress";
}
bool is_cuda_library(const std::string& a) {
  for (const char* name : {"-lcudart", "-lcudart_static", "-lcuda", "-lcublasLt", "-lcudadevrt"}) {
    if (a == name) return true;
  }
  return false;
}
/// True if the folder has CUDA's own headers, which would hide the stand-in headers.
bool holds_cuda_headers(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder + "/crt/host_config.h", ignored);
}

constexpr std::string_view kFlag = "-ffile-prefix-map=";

/// Where the path begins in a line marker, `# 7 "path" 1`; npos if the line is none.
std::size_t path_in(std::string_view line) {
  const auto number = line.find_first_not_of("0123456789", 2);
  const bool is_marker = line.starts_with("# ") && number != line.npos && number > 2 &&
                         line.substr(number).starts_with(" \"");
  return is_marker ? number + 2 : line.npos;
}

}  // namespace

const char* driver_help() {
  return "opgrade-cucc: compiles CUDA C++ for the emulated device, with g++ or clang++ alone.\n"
         "\n"
         "  opgrade-cucc -shared -o submission.so [options] a.cu b.cc ...\n"
         "\n"
         "  --check, --no-check    watch every memory access of the kernels (default: --no-check)\n"
         "  --count                count accesses and arithmetic, not optimised\n"
         "  --compiler <path>      the host compiler (default: $OPGRADE_HOST_COMPILER, else g++)\n"
         "  --any-processor        leave out the instructions that older processors lack\n"
         "  --no-front-end         leave out the check for what nvcc refuses\n"
         "  --uses                 write what a preprocessed source uses, and stop\n"
         "  --device-text=<file>   with --uses: the source as device code has it\n"
         "  --needed=<name>        with --uses: another source uses this function\n"
         "  --keep                 leave the translated files beside the output\n"
         "  -I -D -U -O -g -std= -W -f -m -include -isystem -c -E -o -shared -L -l -Xcompiler\n"
         "                         as the host compiler takes them\n"
         "  nvcc's flags about GPU code (-arch, -gencode, -Xptxas, ...) are taken and left out.\n";
}

DriverOptions parse_driver_options(const std::vector<std::string>& arguments) {
  DriverOptions options;
  const char* host = std::getenv("OPGRADE_HOST_COMPILER");
  options.compiler = host != nullptr && *host != '\0' ? host : "g++";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    auto value = [&]() -> std::string {
      if (i + 1 < arguments.size()) return arguments[++i];
      options.problems.push_back(a + " needs a value");
      return "";
    };
    // Flags are separated by commas, as for nvcc. The linker gets -fopenmp, too, because it needs
    // that library.
    const auto for_compiler = [&](const std::string& flags) {
      std::stringstream list(flags);
      for (std::string flag; std::getline(list, flag, ',');) {
        options.compiler_flags.push_back(flag);
        if (flag == "-fopenmp") options.link_flags.push_back(flag);
      }
    };
    if (a == "--expt-relaxed-constexpr" || a == "-expt-relaxed-constexpr")
      options.relaxed_constexpr = true;
    if (a == "-extended-lambda" || a == "--extended-lambda" || a == "--expt-extended-lambda")
      options.extended_lambda = true;
    if (a == "-dc" || a == "-rdc=true" || a == "--relocatable-device-code=true")
      options.separate_compilation = true;
    if (a == "--help" || a == "-h") {
      options.help = true;
    } else if (a == "--check" || a == "--no-check") {
      options.check = a == "--check";
    } else if (a == "--count") {
      options.count = true;
    } else if (a == "--any-processor") {
      options.any_processor = true;
    } else if (a == "--no-front-end") {
      options.front_end = false;
    } else if (a == "--uses") {
      options.uses_only = true;
    } else if (starts(a, "--device-text=")) {
      options.device_text = a.substr(14);
    } else if (starts(a, "--needed=")) {
      options.needed.push_back(a.substr(9));
    } else if (a == "--keep") {
      options.keep = true;
    } else if (a == "--compiler") {
      options.compiler = value();
    } else if (starts(a, "--compiler=")) {
      options.compiler = a.substr(11);
    } else if (a == "-shared" || a == "--shared") {
      options.shared = true;
    } else if (a == "-c" || a == "-E") {
      (a == "-c" ? options.compile_only : options.preprocess_only) = true;
    } else if (a == "-o") {
      options.output = value();
    } else if (is_ignored_with_value(a)) {
      value();
    } else if (is_ignored(a) || is_cuda_library(a)) {
      continue;
    } else if (a == "-lcublas" || a == "-lcublas_static") {
      options.cublas = true;
    } else if (a == "-Xcompiler" || a == "--compiler-options") {
      for_compiler(value());
    } else if (starts(a, "-Xcompiler=")) {
      for_compiler(a.substr(11));
    } else if (a == "-I" || a == "-isystem" || a == "-include" || a == "-D" || a == "-U") {
      const std::string what = value();
      if ((a == "-I" || a == "-isystem") && holds_cuda_headers(what)) continue;
      options.compiler_flags.push_back(a);
      options.compiler_flags.push_back(what);
    } else if (starts(a, "-I") && holds_cuda_headers(a.substr(2))) {
      continue;
    } else if (a == "-std" || a == "--std") {
      options.compiler_flags.push_back("-std=" + value());
    } else if (starts(a, "--std=")) {
      options.compiler_flags.push_back(a.substr(1));
    } else if (starts(a, "-L") || starts(a, "-l") || starts(a, "-Wl,")) {
      options.link_flags.push_back(a);
    } else if (a.size() > 1 && a[0] == '-') {
      options.compiler_flags.push_back(a);
    } else {
      options.sources.push_back(a);
    }
  }
  if (!options.help && options.sources.empty())
    options.problems.push_back("no source file is given");
  return options;
}

std::string with_mapped_paths(const std::string& text, const std::vector<std::string>& flags) {
  std::vector<std::pair<std::string_view, std::string_view>> maps;  // the last flag first
  for (const std::string_view flag : flags) {
    const auto equals = flag.find('=', kFlag.size());
    if (flag.starts_with(kFlag) && equals != flag.npos)
      maps.insert(maps.begin(),
                  {flag.substr(kFlag.size(), equals - kFlag.size()), flag.substr(equals + 1)});
  }
  if (maps.empty()) return text;
  std::string mapped;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end;
    if (const auto path = path_in(line); path != line.npos) {
      for (const auto& [from, to] : maps) {
        if (!line.substr(path).starts_with(from)) continue;
        mapped.append(line.substr(0, path)).append(to);
        line.remove_prefix(path + from.size());
        break;
      }
    }
    mapped += line;
  }
  return mapped;
}

}  // namespace opgrade::emulation
