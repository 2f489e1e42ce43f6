/* Images of floats in [0, 1], the channels of a pixel next to each other. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <string>

#include "types.h"

struct st_wbImage_t {
  int width, height, channels;
  int pitch;  ///< floats in a row
  float* data;
};
typedef st_wbImage_t* wbImage_t;
#define wbImage_channels 3

inline wbImage_t wbImage_new(int width, int height, int channels, float* data) {
  return new st_wbImage_t{width, height, channels, width * channels, data};
}
inline wbImage_t wbImage_new(int width, int height, int channels = wbImage_channels) {
  const size_t values = static_cast<size_t>(width) * height * channels;
  return wbImage_new(width, height, channels, static_cast<float*>(calloc(values, sizeof(float))));
}
inline void wbImage_delete(wbImage_t image) {
  if (image == nullptr) return;
  free(image->data);
  delete image;
}
inline int wbImage_getWidth(wbImage_t image) { return image->width; }
inline int wbImage_getHeight(wbImage_t image) { return image->height; }
inline int wbImage_getChannels(wbImage_t image) { return image->channels; }
inline int wbImage_getPitch(wbImage_t image) { return image->pitch; }
inline float* wbImage_getData(wbImage_t image) { return image->data; }
inline void wbImage_setWidth(wbImage_t image, int width) { image->width = width; }
inline void wbImage_setHeight(wbImage_t image, int height) { image->height = height; }
inline void wbImage_setChannels(wbImage_t image, int channels) { image->channels = channels; }
inline void wbImage_setPitch(wbImage_t image, int pitch) { image->pitch = pitch; }
inline void wbImage_setData(wbImage_t image, float* data) { image->data = data; }

/// Reads a binary .ppm or .pgm.
inline wbImage_t wbPPM_import(const char* name) {
  FILE* const in = fopen(name, "rb");
  int kind = 0, width = 0, height = 0, most = 0;
  if (in == nullptr || fscanf(in, "P%d %d %d %d", &kind, &width, &height, &most) != 4 || most < 1)
    wb::fail(std::string("cannot read the image ") + name);
  fgetc(in);
  const wbImage_t image = wbImage_new(width, height, kind == 5 ? 1 : 3);
  for (int i = 0; i < width * height * image->channels; ++i) {
    const int level = fgetc(in);
    image->data[i] = static_cast<float>(level) / static_cast<float>(most);
    // Ensures that 255 * value, cut to a byte, is the level again, in float and in double.
    if (image->data[i] * static_cast<double>(most) < level)
      image->data[i] = nextafterf(image->data[i], 2);
  }
  fclose(in);
  return image;
}
inline void wbPPM_export(const char* name, wbImage_t image) {
  FILE* const out = fopen(name, "wb");
  if (out == nullptr) wb::fail(std::string("cannot write ") + name);
  fprintf(out, "P%d\n%d %d\n255\n", image->channels == 1 ? 5 : 6, image->width, image->height);
  for (int i = 0; i < image->width * image->height * image->channels; ++i)
    fputc(static_cast<int>(std::min(std::max(image->data[i], 0.0F), 1.0F) * 255 + 0.5F), out);
  fclose(out);
}

typedef void (*wbImage_onSameFunction_t)(std::string);
inline wbBool wbImage_sameQ(wbImage_t a, wbImage_t b,
                            wbImage_onSameFunction_t different = nullptr) {
  const auto values = [](wbImage_t i) {
    return static_cast<size_t>(i->width) * i->height * i->channels;
  };
  const bool same = a != nullptr && b != nullptr && a->width == b->width &&
                    a->height == b->height && a->channels == b->channels &&
                    std::equal(a->data, a->data + values(a), b->data,
                               [](float x, float y) { return std::fabs(x - y) <= 0.2F; });
  if (!same && different != nullptr) different("the images differ");
  return same;
}
