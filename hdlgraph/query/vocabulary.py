"""The bridge from everyday words to hardware identifiers: contractions and related words.

Contractions invert the abbreviation dictionary (`arbiter` -> `arb`, `translation lookaside
buffer` -> `tlb`). Related words are the general vocabulary of digital design; they are weak.
"""

from __future__ import annotations

from functools import lru_cache

from hdlgraph.abbreviations import ABBREVIATIONS
from hdlgraph.words import split_identifier, stem

_RELATED = """
abort cancel kill squash flush
alarm alert
arbitrate arbiter arb grant round robin
bank bankswitch
bit flip corruption integrity
boot reset startup init
bridge adapter convert converter
broken fault error
buffer fifo queue skid
bus interconnect xbar crossbar fabric
busy stall wait
clear wipe erase scrub zeroize
clash conflict hazard collision contention
clip saturate
combine merge concat pack
copy mirror shadow replicate duplicate
corrupt inject fault
count counter cnt
crossing cdc sync synchronizer
debounce filter deglitch
delay latency
detect detector check monitor
discard drop flush invalidate
divide divider quotient remainder
encrypt cipher
endian swap byteswap
evict replace victim lru
expire timeout watchdog
fabric interconnect noc xbar
fill refill
freeze halt stop
gate gating
guess predict speculate
handshake req ack valid ready
hang timeout watchdog
idle sleep
illegal invalid unsupported
lock locked
loopback echo
lost drop
mask masked
match compare hit
mismatch compare error
misaligned unaligned
multiply multiplier product
noise entropy
order ordering reorder
pad padding
permission access privilege protect
poll
power pwr
queue fifo buffer
random lfsr prng
redundant lockstep duplicate
replay retry
reorder rob
rotate shift
route router mux
scramble cipher
select mux
serialise serializer shift
sleep wakeup idle wfi
split beat burst unaligned
stale invalid
stall hold bubble
steer demux mux
swap exchange
table lut
tamper fault
tick timer
timer counter
trap exception
undo rollback
vote majority
wake wakeup
widen upsize
narrow downsize
window
""".strip()


@lru_cache(maxsize=1)
def _related_table() -> dict[str, tuple[str, ...]]:
    table: dict[str, set[str]] = {}
    for line in _RELATED.splitlines():
        group = line.split()
        for word in group[1:]:
            table.setdefault(stem(group[0]), set()).add(word)
    return {word: tuple(sorted(others)) for word, others in table.items()}


def related(term: str) -> tuple[str, ...]:
    """Returns general hardware words related to a stemmed term, sorted."""
    return _related_table().get(term, ())


@lru_cache(maxsize=1)
def _contraction_table() -> dict[tuple[str, ...], tuple[str, ...]]:
    table: dict[tuple[str, ...], set[str]] = {}
    for short, long in ABBREVIATIONS.items():
        key = tuple(stem(part) for part in split_identifier(long))
        if key and key != (stem(short),):
            table.setdefault(key, set()).add(short)
    return {key: tuple(sorted(shorts)) for key, shorts in table.items()}


def contractions(text: str) -> dict[str, tuple[str, ...]]:
    """Returns, for the stemmed last word of each phrase of `text`, its abbreviations.

    A phrase of several words (`load store unit`) hangs its abbreviation on its last word.
    """
    table = _contraction_table()
    parts = [stem(part) for part in split_identifier(text)]
    found: dict[str, dict[str, None]] = {}
    for start in range(len(parts)):
        for length in range(1, 6):
            key = tuple(parts[start : start + length])
            for short in table.get(key, ()) if len(key) == length else ():
                found.setdefault(key[-1], {}).setdefault(short)
    return {word: tuple(shorts) for word, shorts in found.items()}
