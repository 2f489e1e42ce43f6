/// Finds the pictures of a hand-in that its Markdown names, and where its tree shows them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade::documents {

/// A PNG or JPEG of the same hand-in as a Markdown document.
struct NamedPicture {
  std::string path;  ///< from the document's folder
  std::string bytes;
};

/// File names that a text may mean by its pictures: what stands before each ".png", ".jpg" and
/// ".jpeg", as it is and percent-decoded. The set has too many names rather than too few, because
/// only cmark-gfm, which runs in the sandbox, decides what is a picture. If a text has thousands of
/// names, the first ones are returned.
std::set<std::string> picture_names_in(std::string_view markdown);

/// The paths of PNG and JPEG files in a text, from its folder, each once. A client sends these
/// files with the text. The text is split at blanks, so a path with blanks is found only if they
/// are written as %20.
std::vector<std::string> paths_in(std::string_view markdown);

/// The picture that a destination in the text means: the picture with this path, else the only
/// picture with this file name, because a form in a browser sends no folders. nullptr for other
/// addresses.
const NamedPicture* find_picture(std::span<const NamedPicture> pictures,
                                 std::string_view destination);

/// True for a destination that leads out of the hand-in: another host, a scheme such as data.
bool is_elsewhere(std::string_view destination);

/// The attribute of an image in RenderedDocument::markdown: which of the rendered pictures it is,
/// from 1 on; 0 for a file of the hand-in that cannot be shown.
inline constexpr const char* kShownAs = "opgrade-shown";

}  // namespace opgrade::documents
