"""What well-known hardware structures do, in everyday words.

A unit whose name says `arbiter` is explained as one: its users ask for "who decides which
requester goes next", not for the word. General engineering knowledge, one line per structure;
`explain` applies a line to a unit only when the unit's own name (or base class) has the term.
"""

from __future__ import annotations

_STRUCTURES = """
arbiter: decides which of several requesters gets access when they compete for a shared resource
arbiter tree: picks one winner among many requesters with a tree of comparisons
round robin: takes turns so that every requester is served fairly
first-in first-out queue: buffers items and hands them out in the order of arrival
skid buffer: stores a word so that a stalled receiver loses nothing
multiplexer: selects one of several inputs
demultiplexer: steers one input to one of several outputs by address or index
crossbar switch: connects several initiators to several targets
socket 1n: splits one host's accesses over several devices by address
socket m1: merges several hosts' accesses onto one device
bridge: connects two buses of different kind and translates between them
adapter: translates between two interfaces
converter: translates between two formats or interfaces
decode: interprets an encoded value such as an instruction or an address
decoder: interprets an encoded value such as an instruction or an address
encoder: produces an encoded value
controller: steers the other parts and sequences their work
synchroniser: carries a signal safely from one clock domain to another
clock domain crossing: carries data safely between clock domains
clock gate: switches a clock off to save power
clock multiplexer: selects one of several clocks
clock divider: makes a slower clock out of a faster one
reset manager: generates, sequences and distributes resets and remembers the reset reason
power manager: sequences power-up, low-power sleep and wake-up
clock manager: gates, divides and measures clocks
counter: counts events or cycles
timer: counts time and raises an interrupt when a set time is reached
watchdog: resets or warns when software stops responding in time
watchdog timer: resets or warns when software stops responding in time
timeout: gives up when an answer does not arrive in time
linear feedback shift register: produces pseudo-random bit sequences
random number generator: produces random numbers
cyclic redundancy check: detects transmission errors by a checksum
error-correcting code: detects and corrects flipped bits in stored or sent words
single error correction, double error detection: corrects one flipped bit and detects two
parity: detects a flipped bit
checker: watches for violations and reports them
comparator: compares two values
compare: compares two values
lockstep: runs a duplicate and compares results to detect faults or attacks
scrambler: obfuscates stored data with a key
scramble: obfuscates stored data with a key
cipher: encrypts or decrypts data
key expansion: derives the round keys from the cipher key
substitution box: replaces each byte by a nonlinear substitution, a core step of a cipher
hash: computes a message digest
keyed hash message authentication: authenticates a message with a keyed digest
key manager: derives and guards secret keys
life cycle: controls which functions are allowed in each manufacturing and product state
escalation: reacts to unanswered alerts with increasingly severe countermeasures
alert handler: collects alerts of all blocks, classifies them and escalates when nobody reacts
alert sender: reports a security event to the alert handler over a differential pair
alert receiver: receives security events over a differential pair and pings the sender
alert: reports a security relevant event
entropy source: collects and tests random noise
entropy distribution network: hands random bits to the blocks that need them
access control: allows or refuses accesses
physical memory protection: checks accesses against regions and permissions, refuses forbidden ones
physical memory attributes: says which address regions are cacheable, executable or idempotent
memory management unit: translates virtual addresses to physical ones and checks permissions
translation lookaside buffer: remembers recent virtual-to-physical address translations
page table walker: reads page tables from memory to translate an address after a miss
instruction cache: keeps recently fetched instructions close to the core
data cache: keeps recently used data close to the core
cache: keeps recently used data close to its user
cache controller: handles hits, misses, refills and evictions of a cache
prefetch buffer: fetches instructions ahead of need
fetch: obtains the next instructions from memory
branch prediction unit: guesses the direction and target of branches ahead of execution
branch predictor: guesses the direction of branches ahead of execution
branch target buffer: remembers where taken branches jump to
branch history table: remembers whether branches were taken before
return address stack: predicts where function returns jump to
register file: holds the processor's registers with read and write ports
arithmetic logic unit: computes additions, logic operations, shifts and comparisons
multiply: multiplies operands
multiplier: multiplies operands
divider: divides operands
divide: divides operands
floating-point unit: computes with floating-point numbers
load store unit: performs the processor's data memory accesses and aligns bytes
store buffer: holds stores until memory accepts them
store queue: holds stores until they may change memory
scoreboard: tracks which registers or units wait for results
reorder buffer: lets instructions finish out of order and retire in order
issue: decides when an instruction may start executing
commit: retires instructions in order and makes their results final
writeback: writes results into the register file
control and status register: keeps the processor's control and status registers
control and status registers: keeps the processor's control and status registers
debug module: lets an external debugger halt, inspect and run the processor
debug transport module: carries debugger commands from the test port
performance: counts events to measure speed
tracer: records each executed instruction
interrupt controller: collects interrupt requests, ranks them by priority and signals the processor
platform-level interrupt controller: ranks interrupts of the whole chip and signals the processor
core-local interrupt controller: provides timer and software interrupts to the core
direct memory access: moves data between memories and devices without the processor
serialiser: turns parallel words into a bit stream
deserialiser: turns a bit stream into parallel words
shift register: moves bits along a chain
transmit: sends data
receive: takes in data
baud rate generator: makes the bit timing of a serial line
pin multiplexer: connects functions to chip pins by choice of software
pad ring: holds the chip's pads
pad: connects a signal to a chip pin
pulse-width modulation: makes pulses of adjustable duty
debounce: ignores short glitches of an input
filter: suppresses short glitches or unwanted items
edge detect: notices changes of a signal
leading zero counter: finds the position of the first set bit
popcount: counts the set bits
barrel shifter: shifts by any distance at once
accumulator: sums values up
credit: limits how many items may be outstanding
flow control: keeps a sender from overrunning a receiver
router: forwards packets toward their destination
packet: groups data into packets
wrapper: encloses another unit and adapts its connections
top level: ties the parts of a block or chip together
testbench: stimulates a design in simulation and checks it
stub: stands in for a real block
black box: stands in for a block whose content is hidden
buffer: stores or drives a value
flip-flop: stores a bit at the clock edge
register field: holds one field of a software-visible register
register top: decodes register addresses of a bus and holds the software-visible registers
register adapter: turns bus accesses into register reads and writes
SRAM memory adapter: turns bus accesses into memory reads and writes
one-time programmable memory: stores bits permanently, such as fuses, keys and identities
UART serial port: asynchronous serial port with transmit and receive lines
SPI serial bus: synchronous serial bus with clock and chip select
I2C serial bus: two-wire serial bus with clock and data line
USB: universal serial bus
JTAG: test and debug access port
flash: stores data that survives power loss
"""

_VERIFICATION = """
driver: drives transactions onto the pins of an interface
monitor: observes an interface and reports the transactions it sees
scoreboard: checks the design's outputs against predicted ones
sequencer: hands stimulus items to a driver
sequence: produces a series of stimulus items
virtual sequence: coordinates stimulus over several interfaces as a test scenario
agent: bundles driver, monitor and sequencer of one interface
environment: assembles agents, scoreboard and configuration around the design under test
test: a test case that sets up the environment and starts stimulus
configuration: holds settings of a verification component
coverage: records which situations a simulation has reached
register model: models the design's registers for checks and access
register block: models the design's registers for checks and access
item: one transaction, with randomisable fields
reference model: predicts the correct result
assertions: checks properties at every clock in simulation or formal proof
bind: attaches checks to a design without changing it
interface: bundles signals between testbench and design
"""


def _parse(table: str) -> dict[str, str]:
    lines = (line.partition(":") for line in table.strip().splitlines())
    return {term.strip(): gloss.strip() for term, _, gloss in lines}


STRUCTURES = _parse(_STRUCTURES)
"""Term in plain words to what such a structure does."""

VERIFICATION = _parse(_VERIFICATION)
"""Role of a verification component to what it does."""

UVM_BASES = {
    "driver": "driver",
    "monitor": "monitor",
    "scoreboard": "scoreboard",
    "sequencer": "sequencer",
    "vseqr": "sequencer",
    "vseq": "virtual sequence",
    "virtual_sequencer": "sequencer",
    "virtual_sequence": "virtual sequence",
    "seq": "sequence",
    "sequence": "sequence",
    "agent": "agent",
    "env": "environment",
    "env_cfg": "configuration",
    "agent_cfg": "configuration",
    "cfg": "configuration",
    "config": "configuration",
    "env_cov": "coverage",
    "cov": "coverage",
    "coverage": "coverage",
    "subscriber": "coverage",
    "test": "test",
    "item": "item",
    "sequence_item": "item",
    "seq_item": "item",
    "transaction": "item",
    "reg_block": "register model",
    "reg": "register model",
    "predictor": "reference model",
    "model": "reference model",
}
"""Last parts of a class or base-class name to the role of the class."""
