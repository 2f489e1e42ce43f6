/// The convolution layers that the ladder is timed on: those of every term's network.
#pragma once

#include <string_view>

#include "reference/conv_shape.hpp"

namespace opgrade::kernels {

/// One layer of a term's network; shape.B is 1 until a batch is chosen.
struct NetworkLayer {
  std::string_view term, layer;
  ConvShape shape;  ///< B, M, C, H, W, K, S
};

/// From the terms' public network descriptions: 1 -> 50 maps on 28x28 in 2017fa up to the 86x86
/// network used since 2020fa (the last two rows).
inline constexpr NetworkLayer kNetworkLayers[] = {
    {"2017fa", "conv1", {1, 50, 1, 28, 28, 5, 1}},  {"2018sp", "conv1", {1, 6, 1, 64, 64, 5, 1}},
    {"2018sp", "conv2", {1, 16, 6, 30, 30, 5, 1}},  {"2018fa", "conv1", {1, 12, 1, 72, 72, 7, 1}},
    {"2018fa", "conv2", {1, 24, 12, 33, 33, 7, 1}}, {"2019sp", "conv1", {1, 6, 1, 48, 48, 5, 1}},
    {"2019sp", "conv2", {1, 16, 6, 22, 22, 5, 1}},  {"2019fa", "conv1", {1, 12, 1, 70, 70, 5, 1}},
    {"2019fa", "conv2", {1, 24, 12, 33, 33, 5, 1}}, {"2020fa", "conv1", {1, 4, 1, 86, 86, 7, 1}},
    {"2020fa", "conv2", {1, 16, 4, 40, 40, 7, 1}},
};

/// Shapes that no kernel was written for: odd sizes, one pixel, maps and channels off every tile.
/// Others have kernels that fill the image, strides, rows of odd length. The last two have batches
/// for which 18 chooses 19, and 17 does for the very last. All are small enough for a check on the
/// CPU.
inline constexpr ConvShape kOddShapes[] = {
    {1, 1, 1, 1, 1, 1, 1},     {1, 4, 1, 14, 14, 7, 1},    {3, 4, 1, 23, 22, 7, 1},
    {2, 16, 4, 20, 20, 7, 1},  {3, 6, 1, 17, 19, 5, 1},    {3, 16, 6, 15, 13, 5, 1},
    {2, 24, 12, 11, 11, 7, 1}, {5, 5, 3, 9, 12, 3, 1},     {2, 3, 3, 21, 23, 3, 2},
    {2, 3, 3, 21, 23, 3, 4},   {2, 50, 1, 12, 12, 5, 1},   {3, 17, 5, 10, 9, 7, 1},
    {2, 3, 2, 9, 8, 2, 1},     {2, 9, 1, 9, 10, 6, 1},     {2, 5, 1, 8, 9, 4, 1},
    {2, 2, 1, 8, 9, 1, 1},     {1, 30, 3, 20, 34, 3, 1},   {7, 16, 4, 9, 8, 5, 1},
    {2, 12, 1, 31, 37, 7, 1},  {2, 7, 2, 13, 16, 9, 1},    {11, 4, 1, 86, 86, 7, 1},
    {5, 16, 4, 40, 40, 7, 1},  {3, 5, 1, 11, 2, 2, 1},     {2, 9, 3, 12, 1, 1, 1},
    {3, 11, 2, 12, 12, 3, 1},  {2001, 4, 1, 14, 14, 7, 1}, {1001, 16, 4, 10, 10, 5, 1},
};

}  // namespace opgrade::kernels
