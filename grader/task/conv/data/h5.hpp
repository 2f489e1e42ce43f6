/// The parts of HDF5 that opgrade uses, with owners and with errors that name the file.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"

namespace opgrade {

/// A lock around every use of the library, which not every build makes safe for several threads.
/// Also stops the library from printing to stderr; `h5_reason` gives the text instead. Declare it
/// before the handles of the same scope, so that they close while it is held.
class H5Session {
 public:
  H5Session();

 private:
  std::scoped_lock<std::mutex> lock_;
};

/// Owner of one identifier of the library.
class H5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  H5Handle() = default;
  H5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  H5Handle(H5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  H5Handle& operator=(H5Handle other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~H5Handle() {
    if (id_ >= 0) close_(id_);
  }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// The innermost message of the library's last failure in this thread.
std::string h5_reason();

/// An HDF5 file and its path, for error texts. All members need an H5Session around them; all
/// failures are Errors that begin with the file's path.
class H5File {
 public:
  static H5File open(const std::filesystem::path& path, const std::string& hint);
  /// A new file, which stays in memory until `close`.
  static H5File create(const std::filesystem::path& path);

  hid_t id() const { return file_.get(); }
  const std::filesystem::path& path() const { return path_; }
  void close();  ///< Writes a new file to disk, or throws Error.

  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_in_library(const std::string& doing) const;  ///< adds h5_reason()

  bool has(const std::string& object) const;  ///< "/conv1/weights": every part of it exists
  H5Handle dataset(const std::string& name) const;
  std::vector<std::int64_t> dimensions(const H5Handle& dataset, const std::string& name) const;

  /// Attributes of the object `on`, "/" for the file. Text has fixed or variable length, at most 64
  /// KiB. nullopt if there is no such attribute.
  std::optional<std::string> text_attribute(const std::string& on, const std::string& name) const;
  std::optional<double> number_attribute(const std::string& on, const std::string& name) const;
  void write_attribute(const std::string& name, const std::string& text) const;
  void write_attribute(const std::string& name, std::int64_t number) const;

  /// Writes a whole new dataset as one chunk, shuffled and deflated.
  void write(const std::string& name, hid_t type, std::span<const std::int64_t> shape,
             const void* values) const;

  void make_group(const std::string& name) const;

 private:
  H5File(std::filesystem::path path, H5Handle file, std::string hint)
      : path_(std::move(path)), hint_(std::move(hint)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::string hint_;
  H5Handle file_;
};

}  // namespace opgrade
