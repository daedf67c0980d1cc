/** Tests search by text. The search covers the names and values of arguments, but not JSON syntax. */
import type { Decision } from '@mandate/schemas';
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { decisionOf, recordedDecision } from '../arbitrary-history.ts';
import { type AuditClient, ask, recordDecisions, searchDecisions } from '../index.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

type Args = Extract<Decision['action'], { type: 'tool_call' }>['args'];

export function searchingText(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  async function recorded(tenant: string, args: readonly Args[]): Promise<void> {
    const decisions = args.map((one, index) => {
      const decision = decisionOf(tenant, index);
      const action = { id: 'x', agentId: 'a-1', type: 'tool_call' as const, tool: 'get_user', args: one };
      return recordedDecision({ ...decision, action, reason: 'ok' }, index);
    });
    await recordDecisions(audit, decisions);
  }

  /** Returns the offsets of the decisions that a search finds. */
  async function found(tenant: string, text: string): Promise<number[]> {
    const rows = await ask(audit, searchDecisions, { tenant, text, limit: 1_000 });
    return rows.map(({ logOffset }) => logOffset).toSorted((a, b) => a - b);
  }

  const ARGS: readonly Args[] = [
    { note: 'he said "hi"' },
    { path: 'c:\\new' },
    { note: 'two\nlines' },
    { note: 'a\\\nb' },
    { note: 'bell \u0007, nul \0' },
    { note: '50%_off' },
    { note: 'Zo\u00eb 漢字 😀' },
    { amount: 7.25, flags: [true, { 'The "Key"': null }] },
    {},
  ];

  test('finds text that people see, and ignores text that only the JSON syntax contains', async () => {
    await recorded('seen', ARGS);
    const expected: [string, number[]][] = [
      ['"', [0, 7]],
      ['SAID "HI"', [0]],
      ['\\', [1, 3]],
      ['c:\\NEW', [1]],
      ['\n', [2, 3]],
      ['two\nLines', [2]],
      ['\\n', [1]],
      ['\\\n', [3]],
      ['\u0007, nul \0', [4]],
      ['u0007', []],
      ['0%_O', [5]],
      ['5_%', []],
      ['zo\u00eb', [6]],
      ['zoe\u0308', [6]],
      ['漢', [6]],
      ['😀', [6]],
      ['7.2', [7]],
      ['tru', [7]],
      ['the "key"', [7]],
      ['note', [0, 2, 3, 4, 5, 6]],
      ['":"', []],
      ['{', []],
      ['OK', ARGS.map((_, at) => at)],
    ];
    for (const [text, places] of expected) {
      expect(await found('seen', text), JSON.stringify(text)).toEqual(places);
    }
  });

  test('returns the same decisions as a search of every name and value, for any text', async () => {
    const unit = fc.constantFrom(...'"\\\n\r\t\b\f\0\u001f/%_*?[]{},:\'u0nx é漢\u2028', '\\n', '\\"', '\\\\');
    const text = fc.string({ unit, minLength: 1, maxLength: 6 });
    const texts = fc.sample(fc.array(text, { maxLength: 4 }), { numRuns: 80, seed: 1 });
    const args = texts.map(([name = 'a', ...values]) => ({ [name]: values }));
    await recorded('any', args);
    const pieces = texts.flat().flatMap((one) => [one, one.slice(1, 3), one.slice(-1)]);
    const needles = [...new Set(pieces)]
      .filter((one) => one !== '' && !'ok'.includes(one))
      .slice(0, byLength({ short: 20, full: 60 }));
    for (const needle of needles) {
      const places = args.flatMap((one, at) =>
        Object.entries(one)
          .flat(2)
          .some((held) => held.includes(needle))
          ? [at]
          : [],
      );
      expect(await found('any', needle), JSON.stringify(needle)).toEqual(places);
    }
  });
}
