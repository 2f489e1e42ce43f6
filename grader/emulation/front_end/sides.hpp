/// Which side of a CUDA program, host or device, a function or a variable belongs to.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>

#include <string>

namespace opgrade::emulation {

enum class Side { host, device, kernel, both };

inline bool runs_on_device(Side side) { return side != Side::host; }
inline bool is_device_only(Side side) { return side == Side::device || side == Side::kernel; }

/// "__host__", as nvcc's messages name it.
const char* word_of(Side side);

class Sides {
 public:
  /// `relaxed`: --expt-relaxed-constexpr makes constexpr host functions functions of both sides.
  Sides(const clang::SourceManager& sources, std::string own_headers, bool relaxed)
      : sources_(sources), own_headers_(std::move(own_headers)), relaxed_(relaxed) {}

  Side of(const clang::FunctionDecl& function) const;

  /// True if only --expt-relaxed-constexpr makes the function one of both sides. nvcc lets its body
  /// use what belongs to the host.
  bool is_relaxed(const clang::FunctionDecl& function) const;

  /// The side that the words at the declaration name; without a word a function is the host's.
  static Side written(const clang::FunctionDecl& function);

  /// True if the declaration stands in a file of the submission.
  bool is_students(const clang::Decl& declaration) const;

 private:
  bool is_own_header(const clang::Decl& declaration) const;

  const clang::SourceManager& sources_;
  std::string own_headers_;
  bool relaxed_;
};

/// True if the declaration has the word __device__, __shared__, __constant__ or __managed__; `word`
/// is "device", ...
bool has_word(const clang::Decl& declaration, const char* word);

}  // namespace opgrade::emulation
