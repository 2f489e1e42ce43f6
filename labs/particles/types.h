/* A particle in the box from (0, 0) to (side, side). */
typedef struct {
  double x, y;   /* place */
  double vx, vy; /* speed */
} particle_t;

/* Particles that are closer than this push each other away. */
#define REACH 1.0
/* The time of one step. */
#define STEP 0.005

/* What you write in particles.cu; both pointers lead to device memory. init_simulation() is called once before the
 * first step of a simulation. */
void init_simulation(particle_t* particles, int n, double side);
void simulate_one_step(particle_t* particles, int n, double side);
