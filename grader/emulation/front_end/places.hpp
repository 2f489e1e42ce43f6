/// Places in the student's text, as the host compiler names them.
#pragma once

#include <clang/Basic/SourceManager.h>

#include <string>

#include "grader/emulation/front_end/unit.hpp"

namespace opgrade::emulation {

/// Where the text of `place` was written. A name in a macro's argument counts where the argument
/// was written; the body of a macro counts where the macro is used.
inline clang::PresumedLoc written_at(const clang::SourceManager& sources,
                                     clang::SourceLocation place) {
  return sources.getPresumedLoc(sources.isMacroArgExpansion(place)
                                    ? sources.getFileLoc(place)
                                    : sources.getExpansionLoc(place));
}

/// True for a header of the system, judged by its folder: a file cannot become one by a pragma or a
/// line marker.
inline bool is_of_system(const clang::SourceManager& sources, clang::SourceLocation place) {
  const clang::FileID file = sources.getFileID(sources.getExpansionLoc(place));
  const clang::SrcMgr::SLocEntry& entry = sources.getSLocEntry(file);
  return entry.isFile() && clang::SrcMgr::isSystem(entry.getFile().getFileCharacteristic());
}

inline std::string source_line(const clang::SourceManager& sources, clang::SourceLocation place) {
  const clang::SourceLocation at = sources.getExpansionLoc(place);
  const auto [file, offset] = sources.getDecomposedLoc(at);
  bool missing = false;
  const llvm::StringRef text = sources.getBufferData(file, &missing);
  if (missing || offset > text.size()) return {};
  const std::size_t begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  const llvm::StringRef line = text.substr(begin == text.npos || begin > offset ? 0 : begin + 1);
  return line.substr(0, line.find_first_of("\r\n")).str();
}

inline Refusal refusal_at(const clang::SourceManager& sources, clang::SourceLocation place,
                          std::string text) {
  const clang::PresumedLoc at = written_at(sources, place);
  if (at.isInvalid()) return {"", 0, 0, std::move(text), ""};
  return {at.getFilename(), at.getLine(), at.getColumn(), std::move(text),
          source_line(sources, place)};
}

}  // namespace opgrade::emulation
