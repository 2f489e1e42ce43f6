constexpr int kTile = 8;
