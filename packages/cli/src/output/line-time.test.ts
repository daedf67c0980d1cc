import { Writable } from 'node:stream';
import { expect, it, test } from 'vitest';
import { decisionLine } from './decision-line.ts';
import { lineTime } from './line-time.ts';

const AT = '2026-01-30T12:00:00.123Z';

test.each([
  ['2026-01-30T00:00:00.000Z', '12:00:00.123'],
  ['2026-01-30T23:59:59.999Z', '12:00:00.123'],
  ['2026-01-31T00:00:00.000Z', '2026-01-30 12:00:00.123'],
  ['2027-01-30T12:00:00.123Z', '2026-01-30 12:00:00.123'],
])('at %s the text is %s', (now, said) => expect(lineTime(AT, Date.parse(now))).toBe(said));

it('a line of a decision begins with this time', () => {
  const decision = {
    decidedAt: AT,
    verdict: 'ALLOW',
    agentId: 'bot',
    code: 'ALLOWED',
    chargedMicros: 0,
  } as const;
  const line = decisionLine(
    { ...decision, tool: 'search', model: null },
    new Writable(),
    Date.parse(AT) + 86_400_000,
  );
  expect(line).toMatch(/^2026-01-30 12:00:00\.123 {2}ALLOW {2}bot /);
});
