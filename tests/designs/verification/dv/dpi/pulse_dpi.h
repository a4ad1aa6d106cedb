/* int pulse_expect(int count) { in a comment } */
int pulse_expect(int count);
