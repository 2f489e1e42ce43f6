#include "grader/task/conv/data/h5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "grader/base/files/text_file.hpp"

namespace opgrade {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 16;
constexpr std::size_t kMemoryStep = std::size_t{1} << 20;  // step by which a file in memory grows
constexpr unsigned kDeflateLevel = 6;                      // zlib's own default

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

H5Session::H5Session() : lock_(library_mutex()) { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

std::string h5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned depth, const H5E_error2_t* entry, void* text) -> herr_t {
        if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
        return 0;
      },
      &reason);
  return reason.empty() ? "unknown reason" : reason;
}

H5File H5File::open(const std::filesystem::path& path, const std::string& hint) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) {
    throw Error(fmt::format("{}: no such file", path.string()), hint);
  }
  if (!std::filesystem::is_regular_file(path, failure)) {
    throw Error(fmt::format("{}: not a file", path.string()), hint);
  }
  const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Readers take no lock, because files may be on a file system without locks.
  H5Pset_file_locking(access.get(), false, true);
  H5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file) {
    throw Error(fmt::format("{}: not an HDF5 file, or truncated ({})", path.string(), h5_reason()),
                hint);
  }
  return H5File(path, std::move(file), hint);
}

// The library keeps a new file in memory and `close` writes it to disk. If the library wrote to a
// full disk itself, it could neither finish its file nor release it, and would crash at the end of
// the program.
H5File H5File::create(const std::filesystem::path& path) {
  const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), kMemoryStep, false);
  H5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  const std::string hint = "check the free space of the disk and the rights on the folder";
  if (!file) {
    throw Error(fmt::format("{}: cannot be written ({})", path.string(), h5_reason()), hint);
  }
  return H5File(path, std::move(file), hint);
}

void H5File::close() {
  const bool flushed = H5Fflush(id(), H5F_SCOPE_GLOBAL) >= 0;
  const ssize_t length = flushed ? H5Fget_file_image(id(), nullptr, 0) : -1;
  if (length < 0) fail_in_library("cannot be finished");
  std::vector<char> image(static_cast<std::size_t>(length));
  if (H5Fget_file_image(id(), image.data(), image.size()) != length) {
    fail_in_library("cannot be finished");
  }
  file_ = {};
  write_whole(path_, {image.data(), image.size()});
}

void H5File::fail(const std::string& what) const {
  throw Error(fmt::format("{}: {}", path_.string(), what), hint_);
}

void H5File::fail_in_library(const std::string& doing) const {
  fail(fmt::format("{} ({})", doing, h5_reason()));
}

bool H5File::has(const std::string& object) const {
  for (std::size_t slash = object.find('/', 1);; slash = object.find('/', slash + 1)) {
    const std::string part = object.substr(0, slash);
    if (!(H5Lexists(id(), part.c_str(), H5P_DEFAULT) > 0)) return false;
    if (slash == std::string::npos) return true;
  }
}

H5Handle H5File::dataset(const std::string& name) const {
  if (!has(name)) fail(fmt::format("there is no dataset {}", name));
  H5Handle dataset(H5Dopen2(id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset) fail_in_library(fmt::format("{} is not a readable dataset", name));
  return dataset;
}

std::vector<std::int64_t> H5File::dimensions(const H5Handle& dataset,
                                             const std::string& name) const {
  const H5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  const int rank = space ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank < 0) fail_in_library(fmt::format("{} has no readable shape", name));
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
  return {sizes.begin(), sizes.end()};
}

std::optional<std::string> H5File::text_attribute(const std::string& on,
                                                  const std::string& name) const {
  if (!(H5Aexists_by_name(id(), on.c_str(), name.c_str(), H5P_DEFAULT) > 0)) return {};
  const H5Handle attribute(
      H5Aopen_by_name(id(), on.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const H5Handle type(attribute ? H5Aget_type(attribute.get()) : H5I_INVALID_HID, H5Tclose);
  const H5Handle space(attribute ? H5Aget_space(attribute.get()) : H5I_INVALID_HID, H5Sclose);
  if (!type || !space || H5Tget_class(type.get()) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space.get()) != 1) {
    fail(fmt::format("attribute {} is not a text", name));
  }
  if (H5Tis_variable_str(type.get()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.get(), type.get(), &text) < 0 || text == nullptr) {
      fail_in_library(fmt::format("attribute {} cannot be read", name));
    }
    std::string copy(text, strnlen(text, kMaxText));
    H5free_memory(text);
    return copy;
  }
  const std::size_t length = H5Tget_size(type.get());
  if (!(length >= 1 && length <= kMaxText)) fail(fmt::format("attribute {} is too long", name));
  std::vector<char> bytes(length);
  if (H5Aread(attribute.get(), type.get(), bytes.data()) < 0) {
    fail_in_library(fmt::format("attribute {} cannot be read", name));
  }
  return std::string(bytes.data(), strnlen(bytes.data(), bytes.size()));  // a NUL may be missing
}

std::optional<double> H5File::number_attribute(const std::string& on,
                                               const std::string& name) const {
  if (!(H5Aexists_by_name(id(), on.c_str(), name.c_str(), H5P_DEFAULT) > 0)) return {};
  const H5Handle attribute(
      H5Aopen_by_name(id(), on.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const H5Handle space(attribute ? H5Aget_space(attribute.get()) : H5I_INVALID_HID, H5Sclose);
  double number = 0;
  if (!space || H5Sget_simple_extent_npoints(space.get()) != 1 ||
      H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &number) < 0) {
    fail(fmt::format("attribute {} of {} is not a number", name, on));
  }
  return number;
}

void H5File::write_attribute(const std::string& name, const std::string& text) const {
  const H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type.get(), std::max<std::size_t>(text.size(), 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const H5Handle attribute(
      H5Acreate2(id(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute || H5Awrite(attribute.get(), type.get(), text.c_str()) < 0) {
    fail_in_library(fmt::format("attribute {} cannot be written", name));
  }
}

void H5File::write_attribute(const std::string& name, std::int64_t number) const {
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const H5Handle attribute(
      H5Acreate2(id(), name.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!attribute || H5Awrite(attribute.get(), H5T_NATIVE_INT64, &number) < 0) {
    fail_in_library(fmt::format("attribute {} cannot be written", name));
  }
}

void H5File::write(const std::string& name, hid_t type, std::span<const std::int64_t> shape,
                   const void* values) const {
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  const int rank = static_cast<int>(sizes.size());
  const H5Handle space(H5Screate_simple(rank, sizes.data(), nullptr), H5Sclose);
  const H5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties.get(), rank, sizes.data());
  H5Pset_shuffle(properties.get());
  H5Pset_deflate(properties.get(), kDeflateLevel);
  H5Pset_obj_track_times(properties.get(), false);  // so that equal values give equal files
  const H5Handle dataset(
      H5Dcreate2(id(), name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
      H5Dclose);
  if (!dataset || H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    fail_in_library(fmt::format("{} cannot be written", name));
  }
}

void H5File::make_group(const std::string& name) const {
  const H5Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties.get(), false);
  const H5Handle group(H5Gcreate2(id(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                       H5Gclose);
  if (!group) fail_in_library(fmt::format("group {} cannot be written", name));
}

}  // namespace opgrade
