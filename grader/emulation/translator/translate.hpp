/// Translates preprocessed CUDA C++ into plain C++ that uses the stand-in headers.
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
    not_emulated,  ///< left unchanged; an error of the compiler, if there is one, comes first
  } kind;
  std::string file;
  int line;
  int column;
  std::string text;
};

/// A name in the source: its file without its folder, its line, and the name itself.
using NamePlace = std::tuple<std::string, int, std::string>;

/// The front end's facts from the source's tree; empty without a front end.
struct Facts {
  std::map<NamePlace, std::size_t> shared_bytes;  ///< of each kernel's own __shared__ variables
  enum class Parameter { value, reference, has_virtual_functions };
  std::map<NamePlace, Parameter> parameters;  ///< of kernels
  std::set<NamePlace> host_uses;  ///< __device__ and __constant__ variables that host code uses
  std::set<NamePlace> both_uses;  ///< such variables that functions of both sides use
  std::set<NamePlace> taken_addresses;  ///< functions whose address host code takes
  /// Device functions that can reach their end without their result; true if that is a reference.
  std::map<NamePlace, bool> without_result;
};

struct TranslateOptions {
  std::string own_headers;  ///< folder of the stand-in headers, whose text is not translated
  bool check = false;       ///< also puts gaps between `__constant__` and `__device__` variables
  bool count = false;       ///< also numbers the rounds of loops and counts arithmetic
  /// Lines whose statements are not changed, by the name of their file without its folder.
  std::set<std::pair<std::string, int>> uncounted = {};
  Facts facts = {};
  /// Clang before 13 and g++ have no common place for an attribute of a lambda.
  bool for_clang = false;
};

struct Translation {
  std::string text;
  std::vector<Remark> remarks;
};

/// `preprocessed` is the output of `g++ -E` with line markers, in which `__global__`, `__shared__`
/// and the other CUDA words are still unchanged. The result is input for `g++ -fpreprocessed`; its
/// line markers name the student's files.
Translation translate(std::string_view preprocessed, const TranslateOptions& options);

}  // namespace opgrade::emulation
