import { describe, expect, it } from 'vitest';
import { CAPS } from './defaults.ts';
import { pattern } from './pattern.ts';

const faultsOf = (text: string) => pattern.safeParse(text).error?.issues.map(({ message }) => message) ?? [];

describe('a pattern', () => {
  it.each(['*', 'get_*', '*_admin', 'mail.send', 'fs/*/read', 'a?b', 'ключ*', `${'x'.repeat(CAPS.idUnits)}`])(
    'may be %s',
    (text) => {
      expect(faultsOf(text)).toEqual([]);
    },
  );

  it.each([
    ['rm ', 'write "rm"'],
    ['\u00a0rm', 'write "rm"'],
    ['delete_*\n', 'write "delete_*"'],
    ['delete_*, drop_*', 'write a list with an entry for each of "delete_*", "drop_*"'],
    ['delete_* drop_*', 'write a list with an entry for each of "delete_*", "drop_*"'],
    ['a\u3000b', 'write a list with an entry for each of "a", "b"'],
    ['a;\tb | c', 'write a list with an entry for each of "a", "b", "c"'],
  ])('%j is refused because it matches nothing, and the error says what to write instead', (text, meant) => {
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(/^must not hold U\+.*, so this matches nothing: /),
    ]);
    expect(faultsOf(text)[0]).toContain(meant);
  });

  it.each(['wipe\u3164', 'cafe\u0301', '*\u200b', '\ufffdl', '\ue000', ' ', '\ufeffrm'])(
    '%j is refused because it matches nothing',
    (text) => {
      expect(faultsOf(text)).toEqual([expect.stringMatching(/^must .*, so this matches nothing$/)]);
    },
  );

  it('must not be empty, and must not be longer than a name may be', () => {
    expect(faultsOf('x'.repeat(CAPS.idUnits + 1))).toHaveLength(1);
    expect(faultsOf('')).toHaveLength(1);
  });
});
