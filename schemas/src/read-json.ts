/**
 * A strict reader of JSON from outside. `JSON.parse` keeps the last of two equal keys, accepts any depth, rounds
 * large numbers and accepts `__proto__`. This reader refuses all of this, and reports the place. It reads in one pass
 * and linear time, because these rules must be checked before anything is built from a record.
 */
import { CAPS } from './defaults.ts';
import { COMPLETE_IT, JsonFault, legible } from './json-fault.ts';
import { readJsonString } from './read-json-string.ts';
import { readJsonWord } from './read-json-word.ts';
import type { Json } from './scalars.ts';

/** The offsets of a value and of its key. For an element of a list and for the whole text, `key` equals `value`. */
export type JsonPlace = { key: number; value: number };

/** The largest depth, and the largest numbers of keys, of elements of lists, and of characters in a string. */
export type JsonCaps = { depth: number; keys: number; elements: number; stringUnits: number };

type Path = readonly PropertyKey[];

const WORD = /[-+.\w]+/y;
const DIGIT_ZERO = 0x30;
/** Every integer with so many digits has an exact JavaScript number. */
const EXACT_DIGITS = 15;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);
const BYTE_ORDER_MARK = 0xfeff;
const SEND_LISTS = 'send several lists';

/**
 * Reads one JSON value, which must be the whole text. Throws a `JsonFault`. `-0` is read as 0.
 * @param caps the limits; by default the limits of a record
 */
export function readJson(text: string, caps: JsonCaps = CAPS): Json {
  return new Reader(text, [], caps).document();
}

/**
 * Returns the place of the value at `path` in a text that `readJson` accepts. If the text does not contain the whole
 * path, returns the place of the last value on the path. For this, a faulty record is read a second time. So a record
 * without faults costs nothing more, and the reader need not store the place of every value.
 */
export function findInJson(text: string, path: Path): JsonPlace {
  const reader = new Reader(text, path, CAPS);
  reader.document();
  return reader.found;
}

/** One element of a list. Its text begins at `start` and ends before `end`. */
export type JsonElement = { value: Json; start: number; end: number };

/**
 * Reads a list of records, one record at a time. Each record has its own limits on keys, elements, depth and length.
 * Throws a `JsonFault` as `readJson` does, and also if there are more than `most` records.
 */
export function* readJsonElements(text: string, most: number): Generator<JsonElement, void> {
  yield* new Reader(text, [], CAPS).elements(most);
}

class Reader {
  found: JsonPlace = { key: 0, value: 0 };
  readonly #text: string;
  readonly #path: Path;
  readonly #caps: JsonCaps;
  #at = 0;
  #keys = 0;
  #elements = 0;

  constructor(text: string, path: Path, caps: JsonCaps) {
    this.#text = text;
    this.#path = path;
    this.#caps = caps;
  }

  document(): Json {
    this.#begin();
    const value = this.#value(0, true);
    this.#end();
    return value;
  }

  *elements(most: number): Generator<JsonElement, void> {
    this.#begin();
    this.#expect('[');
    if (!this.#closes(']')) {
      let count = 0;
      do {
        const start = this.#at;
        if (++count > most) throw new JsonFault(`more than ${most} records in one list`, start, SEND_LISTS);
        this.#keys = 0;
        this.#elements = 0;
        const value = this.#value(0, false);
        yield { value, start, end: this.#at };
      } while (!this.#endsAfterValue(']'));
    }
    this.#end();
  }

  #begin(): void {
    if (this.#text.charCodeAt(0) === BYTE_ORDER_MARK) {
      throw new JsonFault(
        'the text begins with a byte order mark',
        0,
        'send UTF-8 without a byte order mark',
      );
    }
    this.#blanks();
    if (this.#at >= this.#text.length) throw this.#unexpected('a JSON value');
    this.found = { key: this.#at, value: this.#at };
  }

  #end(): void {
    this.#blanks();
    if (this.#at < this.#text.length) {
      throw new JsonFault(
        'more text follows the end of the value',
        this.#at,
        'send one JSON value, and nothing after it',
      );
    }
  }

  #value(depth: number, onPath: boolean): Json {
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth + 1, onPath);
      case '[':
        return this.#array(depth + 1, onPath);
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(depth: number, onPath: boolean): Json {
    this.#descend(depth);
    const object: { [key: string]: Json } = {};
    if (this.#closes('}')) return object;
    for (;;) {
      const start = this.#at;
      const key = this.#key(object);
      const isNext = onPath && this.#path[depth - 1] === key;
      if (isNext) this.found = { key: start, value: this.#at };
      object[key] = this.#value(depth, isNext);
      if (this.#endsAfterValue('}')) return object;
    }
  }

  #key(object: { [key: string]: Json }): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#unexpected('a key in double quotes');
    const key = this.#string();
    if (FORBIDDEN_KEYS.has(key)) {
      throw new JsonFault(`the key ${legible(key)} is refused`, start, 'give this field another name');
    }
    if (Object.hasOwn(object, key)) {
      throw new JsonFault(`the key ${legible(key)} is used twice`, start, 'keep one of the two');
    }
    if (++this.#keys > this.#caps.keys) {
      throw new JsonFault(
        `more than ${this.#caps.keys} keys in one record`,
        start,
        'send fewer fields, or a reference to where they are stored',
      );
    }
    this.#blanks();
    this.#expect(':');
    return key;
  }

  #array(depth: number, onPath: boolean): Json {
    this.#descend(depth);
    const array: Json[] = [];
    if (this.#closes(']')) return array;
    for (;;) {
      const isNext = onPath && this.#path[depth - 1] === array.length;
      if (isNext) this.found = { key: this.#at, value: this.#at };
      if (++this.#elements > this.#caps.elements) {
        throw new JsonFault(
          `more than ${this.#caps.elements} elements of lists in one record`,
          this.#at,
          'send shorter lists, or a reference to where they are stored',
        );
      }
      array.push(this.#value(depth, isNext));
      if (this.#endsAfterValue(']')) return array;
    }
  }

  #descend(depth: number): void {
    const most = this.#caps.depth;
    if (depth > most) {
      throw new JsonFault(
        `nested deeper than ${most}`,
        this.#at,
        'send a value with fewer levels, or send it as text',
      );
    }
    this.#at++;
    this.#blanks();
  }

  #closes(bracket: string): boolean {
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #endsAfterValue(bracket: string): boolean {
    this.#blanks();
    if (this.#closes(bracket)) return true;
    this.#expect(',');
    return false;
  }

  #expect(mark: string): void {
    if (this.#text[this.#at] !== mark) throw this.#unexpected(`"${mark}"`);
    this.#at++;
    this.#blanks();
  }

  #string(): string {
    const { value, end } = readJsonString(this.#text, this.#at, this.#caps.stringUnits);
    this.#at = end;
    return value;
  }

  #word(): Json {
    const integer = this.#shortInteger();
    if (integer !== null) return integer;
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0];
    if (word === undefined) throw this.#unexpected('a JSON value');
    const value = readJsonWord(word, this.#at);
    this.#at += word.length;
    return value;
  }

  /**
   * Reads an integer of few digits without a sign. Null if the word is another one. Most numbers are such integers,
   * and a body can have half a million of them, so they are read without regular expressions.
   */
  #shortInteger(): number | null {
    const text = this.#text;
    const start = this.#at;
    let end = start;
    let value = 0;
    let unit = text.charCodeAt(end);
    while (isDigit(unit)) {
      value = value * 10 + unit - DIGIT_ZERO;
      unit = text.charCodeAt(++end);
    }
    const digits = end - start;
    const isShort =
      digits === 1 || (digits > 1 && digits <= EXACT_DIGITS && text.charCodeAt(start) !== DIGIT_ZERO);
    if (!isShort || !endsValue(unit)) return null;
    this.#at = end;
    return value;
  }

  #blanks(): void {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  #unexpected(wanted: string): JsonFault {
    return this.#at < this.#text.length
      ? new JsonFault(`${wanted} is expected here`, this.#at, 'correct the JSON at this place')
      : new JsonFault(`the text ends where ${wanted} is expected`, this.#at, COMPLETE_IT);
  }
}

function isDigit(unit: number): boolean {
  return unit >= DIGIT_ZERO && unit < DIGIT_ZERO + 10;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** True if this character may follow a value directly. NaN: the text ends. */
function endsValue(unit: number): boolean {
  return unit === 0x2c || unit === 0x5d || unit === 0x7d || isBlank(unit) || Number.isNaN(unit);
}
