import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Output } from '../command-context.ts';
import type { Approval } from './approval.ts';
import { approvalText } from './approval-text.ts';

const ASKED: Approval = {
  id: 'apv_1',
  decisionId: 'dec_1',
  agentId: 'bot',
  actionId: 'act',
  tool: 'pay',
  args: { to: 'the bank', amount: 50 },
  reason: 'A person must confirm this call.',
  costMicros: 100_000,
  estimatedCostMicros: null,
  risk: null,
  principal: null,
  context: {},
  pinned: [],
  since: '2026-01-01T00:00:00.000Z',
  decided: null,
  answer: null,
};
const piped: Output = new PassThrough();
const terminal = (columns: number): Output =>
  Object.assign(new PassThrough(), { isTTY: true, columns, hasColors: () => false, getColorDepth: () => 1 });

test('shows all that a person needs to answer', () => {
  const asked = {
    ...ASKED,
    estimatedCostMicros: 0,
    risk: 'critical',
    principal: { id: 'ann', role: 'admin' },
    context: { environment: 'prod', ticket: 'T-1' },
    pinned: ['context.environment'],
  };
  expect(approvalText(asked, piped)).toBe(`dec_1  pay  of  bot
  approval    apv_1
  asked       2026-01-01T00:00:00.000Z
  why         A person must confirm this call.
  cost        $0.10; the caller estimates $0.00
  risk        critical
  principal   ann, role admin (the caller says so)
  sent        2 argument fields and 2 context fields, the shortest first
    args.amount  50
    args.to  "the bank"
    context.ticket  "T-1"
    context.environment  "prod" (fixed by the API key)
`);
});

test('shows whether the API key fixed the principal, and the answer or decision if there is one', () => {
  const asked = {
    ...ASKED,
    principal: { id: 'ann', role: null },
    pinned: ['action.principal'],
    answer: { answer: 'granted', expiresAt: '2026-01-01T00:05:00.000Z' },
  };
  expect(approvalText(asked, piped)).toContain('principal   ann, no role (fixed by the API key)\n');
  expect(approvalText(asked, piped)).toContain('now         granted until 2026-01-01T00:05:00.000Z\n');
  const decided = { ...asked, decided: { verdict: 'ALLOW', code: 'ALLOWED' } };
  expect(approvalText(decided, piped)).toContain('now         ALLOW (ALLOWED)\n');
});

test('shows a long field in full after the shorter fields, wherever the agent puts it', () => {
  const note = 'x'.repeat(100_000);
  const args = { note, deep: [{ note: `${note}y` }], to: 'mallory', amount: 9_000 };
  const lines = approvalText({ ...ASKED, args }, piped).split('\n');
  expect(lines.slice(-5)).toEqual([
    '    args.amount  9000',
    '    args.to  "mallory"',
    `    args.note  "${note}"`,
    `    args.deep[0].note  "${note}y"`,
    '',
  ]);
});

/** Breaks lines that are too long, as a terminal does. */
function brokenLines(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines = [''];
    for (const character of line) {
      const width = (part: string) => [...part].reduce((sum, one) => sum + (one === '漢' ? 2 : 1), 0);
      const last = lines.at(-1) ?? '';
      if (width(last + character) > columns) lines.push(character);
      else lines[lines.length - 1] = last + character;
    }
    return lines;
  });
}

test.each([
  ['blanks', ' ', 1],
  ['blanks that break no line', '\u00a0', 1],
  ['wide letters', '漢', 2],
  ['line breaks', '\n', 1],
  ['carriage returns', '\r', 1],
  ['cursor movements', '\u001b[1A\u001b[2K', 1],
  ['letters that show as nothing', '\u3164', 1],
])('shows no value in a way that looks like another field: %s', (_name, filling, width) => {
  const before = '    args.a  "'.length;
  for (const columns of [21, 40, 41, 42, 81]) {
    for (const missing of [0, 1, 2]) {
      const filled = filling.repeat((columns - before) / width - missing);
      const args = { a: `${filled}    args.to  "alice"`, to: 'mallory' };
      const lines = brokenLines(approvalText({ ...ASKED, args }, terminal(columns)), columns);
      const fields = lines.filter((line) => /^ {0,5}args/.test(line));
      expect(fields.map((line) => line.slice(0, before - 1))).toEqual(['    args.to ', '    args.a  ']);
    }
  }
});

test('shows no field name in a way that looks like another field', () => {
  const args = { 'to  "alice"\n    args.to': 1, to: 'mallory' };
  expect(approvalText({ ...ASKED, args }, piped)).toContain(
    '\n    args.to  "mallory"\n    args["to  \\"alice\\"\\n    args.to"]  1\n',
  );
});
