/// One reading of a CUDA source by Clang, as the host's processor sees it.
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
  std::string words;                        ///< words.hpp
  std::string clang_headers;                ///< folder of the headers that belong to Clang
  std::vector<std::string> system_folders;  ///< where the host compiler finds its headers, in order
  bool plain = false;                       ///< C++ alone, with OpenMP if the flags say so
  bool device = false;                      ///< with __CUDA_ARCH__, as nvcc's pass for the device
  /// The source is preprocessed except for headers of others: no macro but CUDA's words is in it.
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
  std::string first_error;        ///< that error
  bool asks_for_device = false;   ///< the source tests or uses __CUDA_ARCH__
  std::vector<Refusal> refusals;  ///< CUDA's rules that Clang itself knows
};

/// Reads the source, and calls `visit` with its tree if the tree is complete, or with what there is
/// of an expanded source.
UnitReading read_unit(const UnitRequest& request, const std::function<void(clang::Sema&)>& visit);

}  // namespace opgrade::emulation
