import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNameCharacter } from './name-characters.ts';
import { nameFault } from './name-fault.ts';

const ALL = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint);
const seen = (codePoint: number) =>
  !/[\p{C}\p{Z}\p{White_Space}\p{Default_Ignorable_Code_Point}]/u.test(String.fromCodePoint(codePoint));

describe('the characters of names', () => {
  it('are all visible, and known to this version of Node', () => {
    expect(ALL.filter((codePoint) => isNameCharacter(codePoint) && !seen(codePoint))).toEqual([]);
  });

  it('include every visible character of Unicode 16 that has no blank glyph', () => {
    const refused = ALL.filter((codePoint) => seen(codePoint) && !isNameCharacter(codePoint));
    const known = [0x2800, 0xfffc, 0xfffd, 0x1107f, 0x13441, 0x13442, 0x16fe4, 0x1bc9d, 0x1d159];
    expect(refused).toEqual(expect.arrayContaining(known));
    // Unicode 17 has 4,803 characters more than Unicode 16.
    const later = process.versions.unicode === '17.0' ? 4_803 : 0;
    if (/^1[67]\.0$/.test(process.versions.unicode ?? '')) expect(refused).toHaveLength(known.length + later);
  });
});

describe('a name', () => {
  it.each([
    ['an ordinary one', 'delete_file'],
    ['one of two scripts', 'ключ-鍵'],
    ['an emoji of one code point', '🔥'],
    ['an accent that no letter is composed with', 'x\u0301'],
    ['Korean in syllables', '한글'],
  ])('may be %s', (_what, text) => {
    expect(nameFault(text)).toBeNull();
  });

  it.each([
    ['wipe\u3164', 'must not hold U+3164 (character 5): it cannot be seen'],
    ['wi\u115fpe', 'must not hold U+115F (character 3): it cannot be seen'],
    ['wipe\u200b', 'must not hold U+200B (character 5): it cannot be seen'],
    ['wipe\ufe0f', 'must not hold U+FE0F (character 5): it cannot be seen'],
    ['wipe\u{e0041}', 'must not hold U+E0041 (character 5): it cannot be seen'],
    ['wipe\u{1d159}', 'must not hold U+1D159 (character 5): it cannot be seen'],
    ['wipe\u2800', 'must not hold U+2800 (character 5): a name holds no blank'],
    ['wipe\u00a0', 'must not hold U+00A0 (character 5): a name holds no blank'],
    ['wipe ', 'must not hold U+0020 (character 5): a name holds no blank'],
    ['🔥\n', 'must not hold U+000A (character 2): a name holds no line break'],
    ['a\u2028b', 'must not hold U+2028 (character 2): a name holds no line break'],
    ['a\tb', 'must not hold U+0009 (character 2): a name holds no tab'],
    ['\u001b[31m', 'must not hold U+001B (character 1): it is a control character'],
    ['a\u202eb', 'must not hold U+202E (character 2): it cannot be seen'],
    ['a\ud800', 'must not hold U+D800 (character 2): it is half of a character'],
    ['a\ue000', 'must not hold U+E000 (character 2): each font shows a private character in its own way'],
    ['a\u0378', 'must not hold U+0378 (character 2): Unicode 16.0 has no such character'],
    [
      'l\ufffdschen',
      'must not hold U+FFFD (character 2): it replaces bytes that a program could not read: find out where the name was damaged',
    ],
    ['cafe\u0301_x', "must be composed (Unicode's form NFC): write U+00E9 for U+0065 U+0301 (character 4)"],
    ['\u212b', "must be composed (Unicode's form NFC): write U+00C5 for U+212B (character 1)"],
    [
      'a\u0301\u0323',
      "must be composed (Unicode's form NFC): write U+1EA1 U+0301 for U+0061 U+0301 U+0323 (character 1)",
    ],
  ])('%j is refused: %s', (text, fault) => {
    expect(nameFault(text)).toBe(fault);
  });

  it('is refused if an invisible character is anywhere in it', () => {
    const refused = ALL.filter((codePoint) => !isNameCharacter(codePoint));
    const unseen = fc.nat(refused.length - 1).map((at) => refused[at] as number);
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z_]{0,9}$/),
        unseen,
        fc.stringMatching(/^[a-z_]{0,9}$/),
        (a, one, b) => {
          expect(nameFault(a + String.fromCodePoint(one) + b)).not.toBeNull();
        },
      ),
    );
  });

  it('differs from every other name that Unicode calls canonically equal to it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const forms = new Set([text, text.normalize('NFC'), text.normalize('NFD')]);
        expect([...forms].filter((form) => nameFault(form) === null).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
