import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFile, decodeText } from './decode-text.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

function faultOf(bytes: Uint8Array) {
  const decoded = decodeFile(bytes);
  return decoded.ok ? null : decoded.fault;
}

describe('bytes that are not UTF-8', () => {
  it.each([
    [
      'Latin-1',
      latin1('a: 1\nb: löschen\n'),
      { offset: 9, line: 2, column: 5 },
      'not UTF-8 at byte 9 (0xF6): the text is probably Latin-1 or Windows-1252, where it is "ö"; save it as UTF-8',
    ],
    [
      'Latin-1 behind characters of several bytes',
      Buffer.concat([Buffer.from('# 🔥é\n# ключ '), latin1('ß\n')]),
      { offset: 20, line: 2, column: 8 },
      'not UTF-8 at byte 20 (0xDF): the text is probably Latin-1 or Windows-1252, where it is "ß"; save it as UTF-8',
    ],
    [
      'Windows-1252',
      Buffer.from([0x93, 0x72, 0x6d, 0x94]),
      { offset: 0, line: 1, column: 1 },
      'not UTF-8 at byte 0 (0x93): the text is probably Windows-1252, or another old encoding, where it is "“"; save it as UTF-8',
    ],
    ['UTF-16 with its mark', Buffer.from('\ufeffid: a', 'utf16le'), { offset: 0 }, /this is UTF-16; save/],
    ['UTF-16 of the other order', utf16be('\ufeffid: a'), { offset: 0 }, /this is UTF-16; save/],
    [
      'UTF-16 without a mark',
      Buffer.from('id: a', 'utf16le'),
      { offset: 0 },
      /UTF-16 without a byte order mark/,
    ],
    ['the same of the other order', utf16be('id: a'), { offset: 0 }, /UTF-16 without a byte order mark/],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), { offset: 0 }, /this is UTF-32; save/],
    ['UTF-32 of the other order', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]), { offset: 0 }, /UTF-32/],
    ['what gzip made', Buffer.from([0x1f, 0x8b, 8, 0]), { offset: 0 }, /compressed by gzip; unpack it first/],
    ['half of a character', Buffer.from([0x61, 0xed, 0xa0, 0x80]), { offset: 1, column: 2 }, /as in CESU-8/],
    ['a NUL of two bytes', Buffer.from([0x61, 0xc0, 0x80]), { offset: 1 }, /takes more bytes than it needs/],
    ['a text that was cut off', Buffer.from('añé').subarray(0, 4), { offset: 3 }, /ends within a character/],
    [
      'a mark, and then Latin-1',
      Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xe9, 0x0a]),
      { offset: 4, column: 2 },
      /"é"/,
    ],
  ])('%s: the error names the byte, its place and the probable encoding', (_what, bytes, place, message) => {
    const fault = faultOf(bytes);
    expect(fault).toMatchObject(place);
    expect(fault?.message).toMatch(message);
  });

  it('are reported at the first byte that the decoder refuses', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (random) => {
        const bytes = Uint8Array.from([
          0x61,
          0x62,
          ...random.map((byte) => (byte < 0x40 ? byte + 0xc0 : byte)),
        ]);
        const decoded = decodeText(bytes);
        const known = new TextDecoder().decode(bytes);
        if (decoded.ok) {
          expect(decoded.text).toBe(known);
          return;
        }
        // A decoder that does not throw writes its first U+FFFD at this place.
        const before = new TextDecoder('utf-8', { fatal: true }).decode(
          bytes.subarray(0, decoded.fault.offset),
        );
        expect(known.startsWith(`${before}\ufffd`)).toBe(true);
      }),
    );
  });
});

describe('a byte order mark of UTF-8', () => {
  const marked = Buffer.from('\ufeffid: a');

  it('is removed once at the beginning of a file', () => {
    expect(decodeFile(marked)).toEqual({ ok: true, text: 'id: a' });
    expect(decodeFile(Buffer.from('\ufeff\ufeffa'))).toEqual({ ok: true, text: '\ufeffa' });
  });

  it('stays in bytes that a program sent', () => {
    expect(decodeText(marked)).toEqual({ ok: true, text: '\ufeffid: a' });
  });
});

it('reads every text that was written as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = `x${text.toWellFormed()}`.replace(/^x\0/, 'x');
      expect(decodeText(Buffer.from(written))).toEqual({ ok: true, text: written });
    }),
  );
});
