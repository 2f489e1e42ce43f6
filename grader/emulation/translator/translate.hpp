/// Turns preprocessed CUDA C++ into plain C++ against the stand-in headers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace opgrade::emulation {

struct Remark {
  enum class Kind {
    warning,
    error,
    not_emulated,  ///< left as it was: an error of the compiler's, if there is one, comes first
  } kind;
  std::string file;
  int line;
  int column;
  std::string text;
};

/// A name in the source: its file without its folder, its line, and the name itself.
using NamePlace = std::tuple<std::string, int, std::string>;

/// What the front end read in the source's tree. Without a front end there are none.
struct Facts {
  std::map<NamePlace, std::size_t> shared_bytes;  ///< of each kernel's own __shared__ variables
  enum class Parameter { value, reference, has_virtual_functions };
  std::map<NamePlace, Parameter> parameters;  ///< of kernels
  std::set<NamePlace> host_uses;        ///< of __device__ and __constant__ variables in host code
  std::set<NamePlace> both_uses;        ///< of such variables in functions of both sides
  std::set<NamePlace> taken_addresses;  ///< of functions, in host code
  /// Device functions that can reach their end without their result; true if that is a reference.
  std::map<NamePlace, bool> without_result;
};

struct TranslateOptions {
  std::string own_headers;  ///< folder of the stand-in headers: their text is left as it is
  bool check = false;       ///< also puts gaps between `__constant__` and `__device__` variables
  bool count = false;       ///< also numbers the rounds of loops and counts arithmetic
  /// Lines, by the name of their file without its folder, whose statements stay as they are.
  std::set<std::pair<std::string, int>> uncounted = {};
  Facts facts = {};
  /// Clang before 13 and g++ have no place for an attribute of a lambda in common.
  bool for_clang = false;
};

struct Translation {
  std::string text;
  std::vector<Remark> remarks;
};

/// `preprocessed` is the output of `g++ -E` with line markers, in which `__global__`, `__shared__`
/// and the other CUDA words are still there as they were written. The result is for
/// `g++ -fpreprocessed`; its line markers name the student's files.
Translation translate(std::string_view preprocessed, const TranslateOptions& options);

}  // namespace opgrade::emulation
