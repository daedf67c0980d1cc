/** Runs `mandate dead-letters list` against a server that answers with these dead letters. */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sortableId } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { answeringServer } from '../answering-server.fixture.ts';
import { runProgram } from '../program.ts';

const AT = '2026-01-30T12:00:00.000Z';
const ID = sortableId('dlq', Date.parse(AT), 'a'.repeat(20));
const REASON = 'action.type: Invalid option: expected one of "tool_call"|"llm_call"';
const KEY = 'default/an-agent-with-a-long-name';
const LISTED = {
  ...{ id: ID, partition: 11, offset: 1_234_567, key: KEY, bytes: 312, at: AT },
  fault: { line: 3, column: 13, reason: REASON },
};
const OPEN = { id: ID, foundAt: AT, reason: REASON, log: { partition: 11, offset: 1_234_567 } };

async function listed(args: readonly string[], terminal: { isTTY?: boolean; columns?: number }) {
  const env = await answeringServer((request, response) => {
    const deadLetters = [request.url?.startsWith('/v1/audit/') ? OPEN : LISTED];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ deadLetters, next: null }));
  });
  const colours = { hasColors: () => false, getColorDepth: () => 1 };
  const stdout = Object.assign(new PassThrough(), { ...colours, ...terminal });
  const said = text(stdout);
  await runProgram(['dead-letters', 'list', ...args], {
    ...{ stdin: Readable.from([]), stdout, stderr: new PassThrough(), signal: new AbortController().signal },
    env,
  });
  stdout.end();
  return (await said).trimEnd().split('\n');
}

test.each([[[]], [['--open']]])(
  'shows the log position, id and reason in 80 columns: list %s',
  async (args) => {
    const [titles = '', row = ''] = await listed(args, { isTTY: true, columns: 80 });
    expect(titles).toMatch(/^PLACE +ID +WRONG$/);
    expect(row).toMatch(new RegExp(`^11/1234567  ${ID}  .{23,}…$`));
    expect(row.length).toBeLessThanOrEqual(80);
  },
);

test('shows everything in full if the output is not a terminal', async () => {
  const [titles, row = ''] = await listed([], {});
  expect(titles?.split(/ {2,}/)).toEqual(['PLACE', 'ID', 'AT', 'KEY', 'BYTES', 'WRONG']);
  for (const value of ['11/1234567', ID, AT, KEY, '312', `3:13 ${REASON}`]) expect(row).toContain(value);
});
