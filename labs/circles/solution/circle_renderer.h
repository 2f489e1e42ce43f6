#pragma once

#include "types.h"

class CircleRenderer {
 public:
  CircleRenderer(int width, int height) : width_(width), height_(height) {}

  void setup(const Circle* circles, int count);
  void render(uchar4* image) const;

 private:
  int width_, height_, count_ = 0;
  const Circle* circles_ = nullptr;
};
