#include "circle_renderer.h"

__device__ unsigned char byte_of(float colour) {
  return static_cast<unsigned char>(255 * fminf(fmaxf(colour, 0), 1) + 0.5f);
}

__global__ void paint(const Circle* circles, int count, uchar4* image, int width, int height) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  float red = 1, green = 1, blue = 1;
  for (int i = 0; i < count; ++i) {
    const Circle c = circles[i];
    const float dx = column + 0.5f - c.x * width, dy = row + 0.5f - c.y * height;
    const float radius = c.radius * width;
    if (dx * dx + dy * dy > radius * radius) continue;
    red += c.opacity * (c.colour[0] - red);
    green += c.opacity * (c.colour[1] - green);
    blue += c.opacity * (c.colour[2] - blue);
  }
  image[row * width + column] = make_uchar4(byte_of(red), byte_of(green), byte_of(blue), 255);
}

void CircleRenderer::setup(const Circle* circles, int count) {
  circles_ = circles;
  count_ = count;
}

void CircleRenderer::render(uchar4* image) const {
  const dim3 block(16, 8), grid((width_ + 15) / 16, (height_ + 7) / 8);
  paint<<<grid, block>>>(circles_, count_, image, width_, height_);
}
