import fc from 'fast-check';
import { expect, test } from 'vitest';
import { APPROVAL_ID_UNITS, approvalId } from './approval-id.ts';
import { CAPS } from './defaults.ts';
import { readApprovalId } from './read-approval-id.ts';
import { id } from './scalars.ts';

const arbitraryId = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.string({ unit: 'grapheme-ascii' }))
  .filter((text) => id.safeParse(text).success);
const subject = fc.record({ agentId: arbitraryId, actionId: arbitraryId, digest: arbitraryId });

test('reads an id back into its parts, and uses only characters that are safe in a path', () => {
  fc.assert(
    fc.property(subject, (given) => {
      const text = approvalId(given);
      expect(readApprovalId(text)).toEqual(given);
      expect(text).toMatch(/^apv_[A-Za-z0-9_-]+$/);
    }),
  );
});

test('refuses a changed id, or reads it as another question', () => {
  fc.assert(
    fc.property(subject, fc.nat(), fc.constantFrom(...'xyzA0_-=/ '), (given, place, letter) => {
      const text = approvalId(given);
      const at = place % text.length;
      fc.pre(text[at] !== letter);
      const changed = text.slice(0, at) + letter + text.slice(at + 1);
      expect(readApprovalId(changed)).not.toEqual(given);
      for (const other of [`${text}=`, `${text}A`, text.slice(0, -1)])
        expect(readApprovalId(other)).not.toEqual(given);
    }),
  );
});

test('accepts the longest ids, and refuses longer texts', () => {
  const [wide, quoted] = ['語', '"'].map((letter) => letter.repeat(CAPS.idUnits));
  for (const longest of [wide, quoted]) {
    const given = { agentId: longest ?? '', actionId: longest ?? '', digest: longest ?? '' };
    expect(approvalId(given).length).toBeLessThanOrEqual(APPROVAL_ID_UNITS);
    expect(readApprovalId(approvalId(given))).toEqual(given);
  }
  const long = 'a'.repeat(CAPS.idUnits + 1);
  expect(readApprovalId(approvalId({ agentId: 'a', actionId: long, digest: 'd' }))).toBeNull();
  expect(readApprovalId(`apv_${'A'.repeat(APPROVAL_ID_UNITS)}`)).toBeNull();
});

test.each(['', 'apv_', 'dec_01kx', 'apv_W10', 'apv_%00', `apv_${btoa('["a","b"]')}`])(
  'refuses %j, because no approval has this id',
  (text) => expect(readApprovalId(text)).toBeNull(),
);
