#include "Vpulse.h"
#include "Vpulse__Syms.h"

int main() { return 0; }
