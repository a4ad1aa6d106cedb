#include "pulse_dpi.h"

static const char *told = "int pulse_expect(int count) {";

int pulse_expect(int count) {
  return count + 1;
}

void pulse_c_seed(int seed) { (void)pulse_expect(seed); }
