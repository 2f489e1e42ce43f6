/* In units of the picture: (0, 0) is the corner of its first pixel, (1, 1) the corner behind its last one. A later
 * circle lies above the earlier ones. */
struct Circle {
  float x, y, radius; /* the radius is in units of the picture's width */
  float colour[3];    /* red, green, blue, from 0 to 1 */
  float opacity;      /* 1 hides what is below */
};
