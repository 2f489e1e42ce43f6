/* The names that programs of a course with data files use: they read `-i` files, write the `-o`
 * file and print. What they print decides nothing: the grader reads the output file.
 *
 * A file is text: a line with the extents ("n", or "rows columns"), then the values. An image is a
 * binary .ppm or .pgm, its values in [0, 1]. The grader's `-e` file holds zeros. */
#pragma once

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

struct wbArg_t {
  std::vector<std::string> inputs;
  std::string output, expected, type;
};

struct wbImage_s {
  int width, height, channels;
  float* data;
};
typedef wbImage_s* wbImage_t;

namespace wb {

[[noreturn]] inline void fail(const std::string& what) {
  fprintf(stderr, "wb.h: %s\n", what.c_str());
  exit(1);
}

inline bool is_image(const std::string& name) {
  const auto end = name.size() >= 4 ? name.substr(name.size() - 4) : "";
  return end == ".ppm" || end == ".pgm";
}

/// The extents of a text file, and its values.
template <class T>
T* read(const std::string& name, std::vector<int>& extents) {
  FILE* const in = fopen(name.c_str(), "r");
  char line[256];
  if (in == nullptr || fgets(line, sizeof line, in) == nullptr) fail("cannot read " + name);
  size_t count = 1;
  char* next = line;
  for (char* end;; next = end) {
    const long extent = strtol(next, &end, 10);
    if (end == next) break;
    extents.push_back(static_cast<int>(extent));
    count *= static_cast<size_t>(extent);
  }
  T* const values = static_cast<T*>(malloc((count > 0 ? count : 1) * sizeof(T)));
  for (size_t i = 0; i < count; ++i) {
    double value;
    if (fscanf(in, "%lf", &value) != 1) fail(name + " has fewer values than its first line says");
    values[i] = static_cast<T>(value);
  }
  fclose(in);
  return values;
}

template <class T>
void write(const std::string& name, const T* values, const std::vector<int>& extents) {
  FILE* const out = fopen(name.c_str(), "w");
  if (out == nullptr) fail("cannot write " + name);
  size_t count = 1;
  for (const int extent : extents) {
    fprintf(out, "%d ", extent);
    count *= static_cast<size_t>(extent);
  }
  fputc('\n', out);
  for (size_t i = 0; i < count; ++i) {
    if (static_cast<T>(0.5) == 0)
      fprintf(out, "%lld\n", static_cast<long long>(values[i]));
    else
      fprintf(out, sizeof(T) == 8 ? "%.17g\n" : "%.9g\n", static_cast<double>(values[i]));
  }
  fclose(out);
}

inline bool is_whole(const char* type) { return type[0] == 'I' || type[0] == 'i'; }

/// What courses print: by the `-e` file, where that holds something.
template <class T>
bool say_whether_right(const T* values, const float* expected, size_t count) {
  const float* const end = expected + count;
  if (std::all_of(expected, end, [](float value) { return value == 0; })) {
    printf("The output is written; the grader decides.\n");
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (std::fabs(values[i] - expected[i]) <= 1e-3 * (1 + std::fabs(expected[i]))) continue;
    printf("Solution is not correct: expected %g, got %g at index %zu.\n",
           static_cast<double>(expected[i]), static_cast<double>(values[i]), i);
    return false;
  }
  printf("Solution is correct.\n");
  return true;
}

/// Without `-o` nothing is written.
template <class T>
bool solution(const wbArg_t& args, const T* values, const std::vector<int>& extents) {
  if (!args.output.empty()) write(args.output, values, extents);
  if (args.expected.empty()) return true;
  std::vector<int> expected_extents;
  float* const expected = read<float>(args.expected, expected_extents);
  const auto count_of = [](const std::vector<int>& of) {
    return std::accumulate(of.begin(), of.end(), size_t{1}, std::multiplies<size_t>());
  };
  const size_t count = count_of(extents);
  const bool right =
      count == count_of(expected_extents) && say_whether_right(values, expected, count);
  free(expected);
  return right;
}

inline void print() {}
template <class T, class... Rest>
void print(const T& value, const Rest&... rest) {
  std::cout << value;
  print(rest...);
}

}  // namespace wb

inline wbArg_t wbArg_read(int argc, char** argv) {
  wbArg_t args;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "-o") args.output = value;
    if (name == "-e") args.expected = value;
    if (name == "-t") args.type = value;
    for (size_t at = 0, comma; name == "-i" && at <= value.size(); at = comma + 1) {
      comma = std::min(value.find(',', at), value.size());
      args.inputs.push_back(value.substr(at, comma - at));
    }
  }
  return args;
}

inline int wbArg_getInputCount(const wbArg_t& args) { return static_cast<int>(args.inputs.size()); }
inline char* wbArg_getInputFile(const wbArg_t& args, int i) {
  if (i >= wbArg_getInputCount(args)) wb::fail("there is no input " + std::to_string(i));
  return const_cast<char*>(args.inputs[static_cast<size_t>(i)].c_str());
}

inline wbImage_t wbImage_new(int width, int height, int channels = 3) {
  return new wbImage_s{
      width, height, channels,
      static_cast<float*>(calloc(static_cast<size_t>(width) * height * channels, sizeof(float)))};
}
inline void wbImage_delete(wbImage_t image) {
  free(image->data);
  delete image;
}
inline int wbImage_getWidth(wbImage_t image) { return image->width; }
inline int wbImage_getHeight(wbImage_t image) { return image->height; }
inline int wbImage_getChannels(wbImage_t image) { return image->channels; }
inline float* wbImage_getData(wbImage_t image) { return image->data; }
inline void wbImage_setData(wbImage_t image, float* data) { image->data = data; }

inline void wbExport(const char* name, wbImage_t image) {
  FILE* const out = fopen(name, "wb");
  if (out == nullptr) wb::fail(std::string("cannot write ") + name);
  fprintf(out, "P%d\n%d %d\n255\n", image->channels == 1 ? 5 : 6, image->width, image->height);
  for (int i = 0; i < image->width * image->height * image->channels; ++i)
    fputc(static_cast<int>(std::min(std::max(image->data[i], 0.0F), 1.0F) * 255 + 0.5F), out);
  fclose(out);
}
template <class T>
void wbExport(const char* name, const T* values, int length) {
  wb::write(name, values, {length});
}
template <class T>
void wbExport(const char* name, const T* values, int rows, int columns) {
  wb::write(name, values, {rows, columns});
}

inline wbImage_t wbImport(const char* name) {
  FILE* const in = fopen(name, "rb");
  int kind = 0, width = 0, height = 0, most = 0;
  if (in == nullptr || fscanf(in, "P%d %d %d %d", &kind, &width, &height, &most) != 4 || most < 1)
    wb::fail(std::string("cannot read the image ") + name);
  fgetc(in);
  const wbImage_t image = wbImage_new(width, height, kind == 5 ? 1 : 3);
  for (int i = 0; i < width * height * image->channels; ++i) {
    const int level = fgetc(in);
    image->data[i] = static_cast<float>(level) / static_cast<float>(most);
    // 255 * value cut to a byte is the level again, in float and in double.
    if (image->data[i] * static_cast<double>(most) < level)
      image->data[i] = nextafterf(image->data[i], 2);
  }
  fclose(in);
  return image;
}
inline void* wbImport(const char* name, int* rows, int* columns, const char* type = "Real") {
  std::vector<int> extents;
  void* const values = wb::is_whole(type) ? static_cast<void*>(wb::read<int>(name, extents))
                                          : wb::read<float>(name, extents);
  if (rows != nullptr) *rows = extents.empty() ? 0 : extents[0];
  if (columns != nullptr) *columns = extents.size() > 1 ? extents[1] : 1;
  return values;
}
inline void* wbImport(const char* name, int* length, const char* type = "Real") {
  int rows = 0, columns = 0;
  void* const values = wbImport(name, &rows, &columns, type);
  if (length != nullptr) *length = rows * columns;
  return values;
}

template <class T>
bool wbSolution(const wbArg_t& args, const T* values, int length) {
  return wb::solution(args, values, {length});
}
template <class T>
bool wbSolution(const wbArg_t& args, const T* values, int rows, int columns) {
  return wb::solution(args, values, {rows, columns});
}
inline bool wbSolution(const wbArg_t& args, wbImage_t image) {
  if (!args.output.empty()) wbExport(args.output.c_str(), image);
  if (args.expected.empty()) return true;
  const wbImage_t expected = wbImport(args.expected.c_str());
  const auto count = static_cast<size_t>(image->width) * image->height * image->channels;
  const bool right = expected->width == image->width && expected->height == image->height &&
                     expected->channels == image->channels &&
                     wb::say_whether_right(image->data, expected->data, count);
  wbImage_delete(expected);
  return right;
}

#define wbLog(level, ...) (wb::print(#level, ": ", __VA_ARGS__, '\n'))
#define wbTime_start(...) ((void)0)
#define wbTime_stop(...) ((void)0)

/// Rows by falling length; then the first entries of all rows, the second ones, and so on.
inline void CSRToJDS(int dim, const int* row_start, const int* column, const float* value,
                     int** permutation, int** lengths, int** starts, int** columns,
                     float** values) {
  std::vector<int> order(static_cast<size_t>(dim));
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](int row) { return row_start[row + 1] - row_start[row]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return length(a) > length(b); });
  const auto ints = [](int n) { return static_cast<int*>(malloc(sizeof(int) * (n > 0 ? n : 1))); };
  const int entries = row_start[dim], longest = dim > 0 ? length(order[0]) : 0;
  *permutation = ints(dim);
  *lengths = ints(dim);
  *starts = ints(longest);
  *columns = ints(entries);
  *values = static_cast<float*>(malloc(sizeof(float) * (entries > 0 ? entries : 1)));
  for (int i = 0; i < dim; ++i) {
    (*permutation)[i] = order[static_cast<size_t>(i)];
    (*lengths)[i] = length(order[static_cast<size_t>(i)]);
  }
  for (int k = 0, next = 0; k < longest; ++k) {
    (*starts)[k] = next;
    for (int i = 0; i < dim && k < (*lengths)[i]; ++i, ++next) {
      (*columns)[next] = column[row_start[(*permutation)[i]] + k];
      (*values)[next] = value[row_start[(*permutation)[i]] + k];
    }
  }
}
