import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAPS } from './defaults.ts';
import { JsonFault, placeOf } from './json-fault.ts';
import { findInJson, readJson } from './read-json.ts';
import type { Json } from './scalars.ts';

/** Returns the fault of a text in the form `line:column message`. */
function refusal(text: string): string {
  try {
    readJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    expect(error.remedy).not.toBe('');
    const { line, column } = placeOf(text, error.offset);
    return `${line}:${column} ${error.message}`;
  }
  throw new Error(`was read: ${text.slice(0, 100)}`);
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

function withKeys(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0])));
}

function listOf(count: number): string {
  return JSON.stringify(Array.from({ length: count }, () => 0));
}

const allowedKey = fc
  .string({ unit: 'binary' })
  .filter((key) => key !== '__proto__' && key !== 'constructor');
const allowedNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n)),
);
const { allowedJson } = fc.letrec((tie) => ({
  allowedJson: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    allowedNumber,
    fc.string({ unit: 'binary' }),
    fc.array(tie('allowedJson')),
    fc.dictionary(allowedKey, tie('allowedJson'), { noNullPrototype: true }),
  ),
}));

describe('every accepted value', () => {
  it('is read as JSON.parse reads it, in any layout', () => {
    fc.assert(
      fc.property(allowedJson, fc.constantFrom(0, 2, '\t', '\r\n '), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJson(text)).toEqual(JSON.parse(text));
        expect(readJson(text)).toEqual(value);
      }),
    );
  });

  it('may be written with every escape', () => {
    const text = String.raw`"\" \\ \/ \b \f \n \r \t \u0041 \uD83D\uDE00 \u0000"`;
    expect(readJson(text)).toBe(JSON.parse(text));
  });

  it.each([
    ['depth', nested(CAPS.depth)],
    ['keys', withKeys(CAPS.keys)],
    ['elements', listOf(CAPS.elements)],
    ['a string', JSON.stringify('x'.repeat(CAPS.stringUnits))],
    ['the largest integer', '9007199254740991'],
    ['the smallest integer', '-9007199254740991'],
    ['a fraction as a program prints it', '0.10000000000000001'],
    ['all digits of a binary fraction', '0.1000000000000000055511151231257827021181583404541015625'],
    ['a zero with many digits', `0.${'0'.repeat(1_000)}e-9999`],
    ['zeros at the end', `2.50${'0'.repeat(1_000)}`],
    ['the smallest fraction', '4.9e-324'],
    ['an exponent', '1E+3'],
    ['names that objects inherit', '{"toString":1,"hasOwnProperty":2,"prototype":3}'],
  ])('is accepted up to the cap: %s', (_name, text) => {
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  it('keeps each digit of a number', () => {
    const nonZero = fc
      .string({ unit: fc.constantFrom(...'0123456789'), maxLength: 25 })
      .map((digits) => `1${digits}1`);
    const exponent = fc.integer({ min: -330, max: 280 });
    fc.assert(
      fc.property(nonZero, exponent, (digits, power) => {
        let read: Json;
        try {
          read = readJson(`0.${digits}e${power}`);
        } catch {
          return;
        }
        const [mantissa = ''] = Number(read).toPrecision(digits.length).split('e');
        expect(mantissa.replace(/^0\.0*|\./g, '')).toBe(digits);
      }),
    );
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-300, max: 1 }),
        fc.integer({ min: 17, max: 100 }),
        (number, count) => {
          expect(readJson(number.toPrecision(count))).toBe(number);
        },
      ),
    );
  });

  it('reads or refuses a long row of digits at once', () => {
    for (const row of [`1${'0'.repeat(200_000)}1`, `0.${'0'.repeat(200_000)}1`, '9'.repeat(200_000)]) {
      expect(() => readJson(row)).toThrow(JsonFault);
    }
  });

  it('is never read as a negative zero', () => {
    expect(readJson('[-0, -0.0, -0e5]')).toEqual([0, 0, 0]);
  });
});

describe('a text that breaks the rules of docs/semantics.md, section 8, is refused with its place', () => {
  it.each([
    ['duplicate keys', '{"a":1,\n "a":2}', '2:2 the key "a" is used twice'],
    ['duplicates by an escape', '{"a":1, "\\u0061":2}', '1:9 the key "a" is used twice'],
    ['duplicates deep inside', '{"x":[{"b":1,"c":2,"b":3}]}', '1:20 the key "b" is used twice'],
    ['__proto__', '{"__proto__":{}}', '1:2 the key "__proto__" is refused'],
    ['__proto__ by an escape', '{"\\u005f_proto__":{}}', '1:2 the key "__proto__" is refused'],
    ['constructor', '[{"constructor":1}]', '1:3 the key "constructor" is refused'],
    ['constructor by an escape', '{"c\\u006fnstructor":1}', '1:2 the key "constructor" is refused'],
    ['half a pair, high', '["\\ud83d"]', '1:2 a string contains half of a surrogate pair'],
    ['half a pair, low', '["a\\ude00"]', '1:2 a string contains half of a surrogate pair'],
    ['a pair the wrong way round', '"\\ude00\\ud83d"', '1:1 a string contains half of a surrogate pair'],
    ['half a pair, unescaped', '"\ud83d"', '1:1 a string contains half of a surrogate pair'],
    ['half a pair in a key', '{"\\ud83d":1}', '1:2 a string contains half of a surrogate pair'],
    ['2^53', '9007199254740992', '1:1 the integer "9007199254740992" is beyond 2^53-1 and would be rounded'],
    [
      '-2^53',
      '[-9007199254740992]',
      '1:2 the integer "-9007199254740992" is beyond 2^53-1 and would be rounded',
    ],
    ['an unsafe exponent', '1e17', '1:1 the integer "1e17" is beyond 2^53-1 and would be rounded'],
    [
      'a fraction that would be rounded',
      '0.1000000000000000054',
      '1:1 the number "0.1000000000000000054" would be rounded to 0.1',
    ],
    [
      'cents on a large amount',
      '[90071992547409.93]',
      '1:2 the number "90071992547409.93" would be rounded to 90071992547409.94',
    ],
    ['a fraction too small', '1e-400', '1:1 the number "1e-400" would be rounded to 0'],
    ['1e400', '{"a":1e400}', '1:6 the number "1e400" is too large'],
    ['NaN', '{"a":NaN}', '1:6 "NaN" is not JSON'],
    ['Infinity', 'Infinity', '1:1 "Infinity" is not JSON'],
    ['-Infinity', '-Infinity', '1:1 "-Infinity" is not JSON'],
    ['hexadecimal', '0x10', '1:1 "0x10" is not JSON'],
    ['a leading zero', '[01]', '1:2 "01" is not JSON'],
    ['a plus', '+1', '1:1 "+1" is not JSON'],
    ['no digit before the point', '.5', '1:1 ".5" is not JSON'],
    ['no digit behind the point', '1.', '1:1 "1." is not JSON'],
    ['an unfinished exponent', '1e', '1:1 "1e" is not JSON'],
    ['a minus alone', '-', '1:1 "-" is not JSON'],
    ['a misspelled word', 'True', '1:1 "True" is not JSON'],
    ['words that run together', 'nulltrue', '1:1 "nulltrue" is not JSON'],
    ['too deep', nested(CAPS.depth + 1), '1:33 nested deeper than 32'],
    ['too many keys', withKeys(CAPS.keys + 1), '1:8892 more than 1000 keys in one record'],
    [
      'too many keys over several objects',
      `[${withKeys(500)},\n${withKeys(501)}]`,
      '2:4392 more than 1000 keys in one record',
    ],
    [
      'too many elements',
      listOf(CAPS.elements + 1),
      '1:40002 more than 20000 elements of lists in one record',
    ],
    [
      'too many elements over several lists',
      `{"a":${listOf(10_000)},\n"b":${listOf(10_001)}}`,
      '2:20006 more than 20000 elements of lists in one record',
    ],
    [
      'too long a string',
      `["${'x'.repeat(CAPS.stringUnits + 1)}"]`,
      '1:2 a string of 65537 characters; 65536 are allowed',
    ],
    ['a tab in a string', '"a\tb"', '1:3 a string contains a control character'],
    ['a line break in a string', '["a\nb"]', '1:4 a string contains a control character'],
    ['NUL in a string', '"\0"', '1:2 a string contains a control character'],
    ['a byte order mark', '\ufeff{}', '1:1 the text begins with a byte order mark'],
    ['text behind the end', '{}\n{}', '2:1 more text follows the end of the value'],
    ['NUL behind the end', '{}\0', '1:3 more text follows the end of the value'],
    ['nothing', '', '1:1 the text ends where a JSON value is expected'],
    ['blanks alone', ' \n ', '2:2 the text ends where a JSON value is expected'],
    ['a blank that JSON has not', '\u00a01', '1:1 a JSON value is expected here'],
    ['a lone backslash', '"\\"', '1:1 a string does not end'],
    [
      'a backslash at the end of the text',
      '"\\',
      '1:2 a backslash comes before a character that it cannot escape',
    ],
    [
      'an escape that JSON has not',
      '"\\x41"',
      '1:2 a backslash comes before a character that it cannot escape',
    ],
    ['a short \\u', '"\\u12"', '1:2 \\u needs four hexadecimal digits after it'],
    ['a signed \\u', '"\\u+123"', '1:2 \\u needs four hexadecimal digits after it'],
    ['a comma at the end of a list', '[1,]', '1:4 a JSON value is expected here'],
    ['a comma at the end of an object', '{"a":1,}', '1:8 a key in double quotes is expected here'],
    ['no comma', '[1 2]', '1:4 "," is expected here'],
    ['no colon', '{"a" 1}', '1:6 ":" is expected here'],
    ['the wrong bracket', '[1}', '1:3 "," is expected here'],
    ['single quotes', "{'a':1}", '1:2 a key in double quotes is expected here'],
    ['a comment', '{/* a */}', '1:2 a key in double quotes is expected here'],
    ['half an object', '{"a":1', '1:7 the text ends where "," is expected'],
    ['half a key', '{"a', '1:2 a string does not end'],
  ])('%s', (_name, text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it('cuts long texts and escapes unprintable texts in messages', () => {
    const key = `\u001b[31m${'k'.repeat(5_000)}`;
    const message = refusal(`{${JSON.stringify(key)}:1,${JSON.stringify(key)}:2}`);
    expect(message).toContain('\\u001b[31mkkk');
    expect(message.length).toBeLessThan(120);
  });

  it('refuses 200,000 brackets at once, on any stack', () => {
    for (const open of ['[', '{"a":']) {
      expect(refusal(open.repeat(200_000))).toMatch(/ nested deeper than 32$/);
    }
  });
});

describe('random texts', () => {
  it('are read as JSON.parse reads them, or refused with a place inside them', () => {
    const jsonLike = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u01e-+.9tfn \n_') });
    fc.assert(
      fc.property(fc.oneof(jsonLike, fc.string({ unit: 'binary' }), fc.json()), (text) => {
        try {
          const value = readJson(text);
          expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
        } catch (error) {
          if (!(error instanceof JsonFault)) throw error;
          expect(error.offset).toBeGreaterThanOrEqual(0);
          expect(error.offset).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe('the place of a value', () => {
  const text = '{\n  "a": [10, {"b/c": 20}],\n  "d": null\n}';
  it.each([
    [[], 0, '{'],
    [['a'], text.indexOf('"a"'), '[10'],
    [['a', 0], text.indexOf('10'), '10'],
    [['a', 1, 'b/c'], text.indexOf('"b/c"'), '20'],
    [['d'], text.indexOf('"d"'), 'null'],
    [['a', 1, 'missing'], text.indexOf('{"b/c"'), '{"b/c"'],
    [['missing', 'b'], 0, '{'],
  ])('%j', (path, key, begins) => {
    const place = findInJson(text, path);
    expect(place.key).toBe(key);
    expect(text.slice(place.value, place.value + begins.length)).toBe(begins);
  });
});

it('keeps only the value in memory, however long the whole text was', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heldBy = (idOf: (nth: number) => string) => {
    collect();
    const before = process.memoryUsage().heapUsed;
    const kept: unknown[] = [];
    for (let nth = 0; nth < 1_000; nth += 1) {
      const text = Buffer.from(`{"id":"${idOf(nth)}","text":"${'x'.repeat(10_000)}"}`).toString();
      kept.push((readJson(text) as { id: string }).id);
    }
    collect();
    return (process.memoryUsage().heapUsed - before) / kept.length;
  };
  expect(heldBy((nth) => `an-action-with-a-long-id-${nth}`)).toBeLessThan(1_000);
  expect(heldBy((nth) => `an action with an escape: \\u00e9 ${nth}`)).toBeLessThan(1_000);
});
