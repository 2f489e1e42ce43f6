/// One reading of a CUDA source by Clang, compiled for the host's processor.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace clang {
class Sema;
}

namespace opgrade::emulation {

struct UnitRequest {
  std::string source;
  std::vector<std::string> flags;           ///< -I, -D, -U, -isystem, -include, -std=, -fopenmp
  std::string own_headers;                  ///< folder of the stand-in headers
  std::string words;                        ///< path of words.hpp
  std::string clang_headers;                ///< folder of the headers that belong to Clang
  std::vector<std::string> system_folders;  ///< of the host compiler, in its order
  bool plain = false;                       ///< plain C++, with OpenMP if the flags say so
  bool device = false;  ///< with __CUDA_ARCH__, as in nvcc's pass for the device
  /// The source is preprocessed except for headers of others, so it has no macros but CUDA's words.
  bool expanded = false;
};

/// A line of the source that nvcc refuses.
struct Refusal {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string text;
  std::string source_line;

  bool operator==(const Refusal&) const = default;
};

struct UnitReading {
  bool complete = false;          ///< read to the end without an error about plain C++
  std::string first_error;        ///< the first error about plain C++
  bool asks_for_device = false;   ///< the source tests or uses __CUDA_ARCH__
  std::vector<Refusal> refusals;  ///< CUDA's rules that Clang itself knows
};

/// Reads the source. Calls `visit` with its tree if the tree is complete; for an expanded source
/// also with an incomplete tree.
UnitReading read_unit(const UnitRequest& request, const std::function<void(clang::Sema&)>& visit);

}  // namespace opgrade::emulation
