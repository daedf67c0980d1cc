/** Tests that a large manifest does not hold up other requests, and that a manifest of any size gets an answer. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MOST_BUSY_MS, quietestOf, watchTurns } from '@mandate/testing/busiest-turn';
import { expect, test } from 'vitest';
import { controlOn, openLog } from './control-server.fixture.ts';

/** The tests are about the event loop and about sizes, so the thread beside the loop may be as slow as the machine. */
const PATIENT = { bounds: { runMs: 60_000 } };
const SENTENCE = 'The customer wrote to us, and we answer with care and in full sentences. ';

/** Returns a manifest with this many agents, each with two tools. */
function fleet(agents: number, { name = 'fleet', sentences = 10 } = {}): string {
  const definitions = Array.from({ length: agents }, (_, at) => {
    const tools = `[t${at}, t${(at + 1) % agents}]`;
    return [
      `  t${at}: { type: tool, name: T${at}, uri: "mcp://s${at}.example/v1", risk_level: critical }`,
      `  a${at}: { type: agent, name: A${at}, role: clerk, goal: "${SENTENCE.repeat(sentences)}", model: claude-haiku-4-5, tools: ${tools} }`,
    ];
  });
  const head = `apiVersion: coreason.ai/v2\nkind: Agent\nmetadata: { name: ${name}, requires_auth: true }\ndefinitions:`;
  return [head, ...definitions.flat()].join('\n');
}

test('publishing a thousand agents at once takes no long turn of the event loop', async () => {
  const large = fleet(1_000);
  const next = fleet(1_000, { sentences: 9 });
  expect(large.length).toBeGreaterThan(900_000);
  const busiestMs = await quietestOf(async () => {
    const { call, followed } = await controlOn(await openLog(), PATIENT);
    const publish = (manifest: string) => call('author', 'POST', '/v1/manifests', { body: { manifest } });
    expect(await publish(fleet(50, { name: 'warm' }))).toMatchObject({ status: 201 });
    const turns = watchTurns();
    const first = await publish(large);
    // The next request is written in a turn of its own, because the service does not do that work.
    await nextTurn();
    const second = await publish(next);
    const longestMs = turns.busiestMs();
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(followed.tenant('acme').agents.size).toBe(1_052);
    return longestMs;
  });
  expect(busiestMs).toBeLessThan(MOST_BUSY_MS);
});

test('refuses a manifest that is too large for the log, and a body that is too large', async () => {
  const { call, followed } = await controlOn(await openLog(), PATIENT);
  const publish = (body: object) => call('author', 'POST', '/v1/manifests', { body });
  expect(await publish({ manifest: fleet(1_600, { sentences: 6 }) })).toMatchObject({
    status: 413,
    body: { code: 'CHANGE_TOO_LARGE', remedy: expect.stringContaining('Split the manifest') },
  });
  expect(await publish({ manifest: 'x'.repeat(1024 * 1024 + 1) })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/manifest' }] },
  });
  const files = { 'a.md': 'x'.repeat(1024 * 1024), 'b.md': 'x'.repeat(1024 * 1024) };
  const more = { ...files, 'c.md': 'x'.repeat(1024 * 1024), 'd.md': 'x'.repeat(1024 * 1024) };
  expect(await publish({ manifest: 'a: 1', files: more })).toMatchObject({ status: 413 });
  expect(followed.revision()).toBe(0);
}, 120_000);
