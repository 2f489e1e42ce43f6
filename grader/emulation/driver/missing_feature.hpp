/// Distinguishes a missing feature of the emulation from a mistake in the source, using the host
/// compiler's first error.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace opgrade::emulation {

struct MissingFeature {
  std::string file;  ///< as the compiler names it
  int line = 0;
  std::string feature;  ///< "a part of Thrust (thrust/complex.h)", "textures (tex2D)"
};

/// Further names by which a source calls CUDA's namespaces.
using NamespaceAliases = std::set<std::string, std::less<>>;
NamespaceAliases aliases_of_cuda(std::string_view source);

/// `messages` are those of g++ or clang++, in English. nullopt if the first error is not about a
/// header or a name of CUDA that the stand-in headers lack.
std::optional<MissingFeature> find_missing_feature(std::string_view messages,
                                                   const NamespaceAliases& aliases = {});

/// The feature that the header or the name belongs to, or empty.
std::string_view feature_of_header(std::string_view header);
std::string_view feature_of_name(std::string_view name);

}  // namespace opgrade::emulation
