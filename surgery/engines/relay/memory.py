"""Reads fields of TVM objects from memory, at the places where TVM itself is seen to keep them.

A call into TVM costs twenty times what it takes to look at eight bytes. Nothing about the layout
of TVM's objects is assumed: each place is found by asking TVM for the field and looking where in
the object that very value stands. Where it stands nowhere, or in several places, TVM is asked each
time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

Get = Callable[[int], int]

#: How much of an object is searched, in words of eight bytes. Relay's nodes have up to ten.
_WINDOW = 10
_HEADER = 2

# All of memory, as words and as half words. Only addresses of live objects are ever looked at.
_words: Any = (ctypes.c_int64 * (2**60 - 1)).from_address(0)
_halves: Any = (ctypes.c_uint32 * (2**61 - 1)).from_address(0)


def word_at(address: int) -> int:
    """Return the eight bytes at an address."""
    found: int = _words[address >> 3]
    return found


def half_at(address: int) -> int:
    """Return the four bytes at an address, unsigned."""
    found: int = _halves[address >> 2]
    return found


def bind_type_index(ask: Get, samples: Sequence[int]) -> Get:
    """Return a faster equal of a function that gives an object's type index.

    Args:
        ask: The function.
        samples: Addresses of objects of several types.
    """
    if any(_halves[s >> 2] != ask(s) for s in samples):
        return ask
    halves = _halves

    def read(address: int) -> int:
        found: int = halves[address >> 2]
        return found

    return read


def bind_child(ask: Get, is_object: Callable[[], bool], type_index: Get) -> Get:
    """Return a faster equal of a function that reads an object field.

    Args:
        ask: The function; 0 for no object.
        is_object: Whether what it returned last is an object.
    """
    places: dict[int, int] = {}  # type index -> word offset, 0 while it isn't known
    words = _words

    def read(address: int) -> int:
        index = type_index(address)
        place = places.get(index)
        if place:
            known: int = words[(address >> 3) + place]
            return known
        found = ask(address)
        if place is None and found and is_object():
            at = address >> 3
            seen = [i for i in range(_HEADER, _WINDOW) if words[at + i] == found]
            if len(seen) == 1:
                places[index] = seen[0]
            elif not seen:
                places[index] = 0
        return found

    return read


def bind_array(
    ask: Callable[[int], list[int]], samples: Sequence[int]
) -> Callable[[int], list[int]]:
    """Return a faster equal of a function that gives the addresses of an array's elements.

    Args:
        ask: The function.
        samples: Addresses of arrays that differ in length and in how they were made.
    """
    sizes, starts = set(range(_HEADER, _WINDOW)), set(range(_HEADER, _WINDOW))
    for sample in samples:
        at, elements = sample >> 3, ask(sample)
        sizes = {i for i in sizes if _words[at + i] == len(elements)}
        starts = {i for i in starts if _words[at + i : at + i + len(elements)] == elements}
    if len(sizes) != 1 or len(starts) != 1:
        return ask
    size, start = sizes.pop(), starts.pop()
    words = _words

    def read(address: int) -> list[int]:
        at = address >> 3
        begin = at + start
        found: list[int] = words[begin : begin + words[at + size]]
        return found

    return read


def bind_string(ask: Callable[[int], str], samples: Sequence[int]) -> Callable[[int], str]:
    """Return a faster equal of a function that gives the text of a string object.

    Args:
        ask: The function.
        samples: Addresses of string objects that differ in length.
    """
    texts = [ask(s).encode() for s in samples]
    # Where the size stands is told by the sizes; the address of the text stands right before it.
    # A string that holds a std::string has both again in there: the first ones are its own.
    places = [
        i
        for i in range(_HEADER, _WINDOW - 1)
        if all(_words[(s >> 3) + i + 1] == len(t) for s, t in zip(samples, texts, strict=True))
    ]
    string_at = ctypes.string_at
    if not places or any(
        string_at(_words[(s >> 3) + places[0]], len(t)) != t
        for s, t in zip(samples, texts, strict=True)
    ):
        return ask
    place = places[0]
    words = _words

    def read(address: int) -> str:
        at = (address >> 3) + place
        return string_at(words[at], words[at + 1]).decode("utf-8", "replace")

    return read


def bind_half(ask: Callable[[int], str], samples: Sequence[int]) -> Callable[[int], str]:
    """Return a faster equal of a function that gives the text of a field of four bytes (a dtype).

    Args:
        samples: Addresses of objects of one type that differ in that field.
    """
    texts = [ask(s) for s in samples]
    window = range(2 * _HEADER, 2 * _WINDOW)
    places = [i for i in window if len({_halves[(s >> 2) + i] for s in samples}) == len(set(texts))]
    places = [
        i
        for i in places
        if all(
            (_halves[(s >> 2) + i] == _halves[(o >> 2) + i]) == (t == u)
            for s, t in zip(samples, texts, strict=True)
            for o, u in zip(samples, texts, strict=True)
        )
    ]
    if len(places) != 1:
        return ask
    place = places[0]
    halves = _halves
    known: dict[int, str] = {}

    def read(address: int) -> str:
        raw = halves[(address >> 2) + place]
        text = known.get(raw)
        if text is None:
            text = known[raw] = ask(address)
        return text

    return read


def bind_word(ask: Get, samples: Sequence[int]) -> Get:
    """Return a faster equal of a function that reads an integer field of eight bytes.

    Args:
        samples: Addresses of objects of one type that differ in that field.
    """
    places = set(range(_HEADER, _WINDOW))
    for sample in samples:
        value = ask(sample)
        places = {i for i in places if _words[(sample >> 3) + i] == value}
    if len(places) != 1:
        return ask
    place = places.pop()
    words = _words

    def read(address: int) -> int:
        found: int = words[(address >> 3) + place]
        return found

    return read
