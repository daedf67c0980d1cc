/** Runs `mandate runs resume` against a server that answers with this run and these events. */
import type { RunEvent } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { answeringServer } from '../answering-server.fixture.ts';
import { runCommand } from '../run-command.fixture.ts';

const AT = '2026-01-30T12:00:00.000Z';
const OF_RUN = { runId: 'run_1', tenant: 'default', at: AT };
const at = (step: string) => ({ ...OF_RUN, step, visit: 1, attempt: 1 });
const waiting = [{ approvalId: 'apv_1', agentId: 'desk', actionId: 'run_1:pay:1' }];

const begun = (step: string): RunEvent => ({ event: 'step.begun', ...at(step) });
const asked = (step: string): RunEvent => ({ event: 'step.deferred', ...at(step), what: 'step', waiting });
const granted = (step: string): RunEvent => ({ event: 'step.granted', ...at(step) });
const ENDED: RunEvent = { event: 'run.completed', ...OF_RUN, outputs: {} };

/** The server returns the events, and the stream ends after the last event. */
async function resumed(events: readonly RunEvent[], run: object, ...more: string[]) {
  const blocks = events.map((event, index) => {
    const data = JSON.stringify({ id: String(index + 1), data: event });
    return `id: ${index + 1}\nevent: ${event.event}\ndata: ${data}\n\n`;
  });
  const env = await answeringServer(({ url = '' }, response) => {
    if (url.endsWith('/stream')) response.setHeader('content-type', 'text/event-stream').end(blocks.join(''));
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(run));
  });
  return runCommand(['runs', 'resume', 'run_1', ...more], { env });
}

const WAITS = { for: 'approval', step: 'check', approvals: waiting };

test('resume shows answered questions, and stops at the last event if the run waits there', async () => {
  const events = [begun('pay'), asked('pay'), granted('pay'), begun('check'), asked('check')];
  const run = { id: 'run_1', status: 'waiting', waiting: WAITS, events: events.length };
  const { exitCode, stdout } = await resumed(events, run);
  expect(exitCode).toBe(3);
  const lines = stdout.split('\n');
  expect(lines.slice(0, 5).map((line) => line.split(/ +/).slice(1, 3))).toEqual([
    ['step.begun', 'pay'],
    ['step.deferred', 'pay'],
    ['step.granted', 'pay'],
    ['step.begun', 'check'],
    ['step.deferred', 'check'],
  ]);
  expect(lines[5]).toBe('waits for a person: desk asks at the step check');
});

test('resume ends with the run if all its questions are answered', async () => {
  const events = [begun('pay'), asked('pay'), granted('pay'), ENDED];
  const run = { id: 'run_1', status: 'completed', waiting: null, events: events.length };
  const { exitCode, stdout } = await resumed(events, run, '--json');
  expect(exitCode).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(4);
});
