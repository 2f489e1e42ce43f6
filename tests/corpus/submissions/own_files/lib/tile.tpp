#pragma once
#include "../sizes.inc"

template <class F>
void tile(int height, int width, F f)
{
  for (int h = 0; h < height; h++)
    for (int w = 0; w < width; w++) f(h, w);
}
