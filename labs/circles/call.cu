// Calls the class that you write in circle_renderer.h. Each picture has an object of its own.
#include "circle_renderer.h"

void circles(const Circle* circles, uchar4* image, int count, int width, int height) {
  CircleRenderer renderer(width, height);
  renderer.setup(circles, count);
  renderer.render(image);
}
