/**
 * Tests that no call runs without a decision after the server of a mode, Redis or the plane, has died. Calls run, wait
 * and stream at that time. The modes with a server run this test. Only tests import this file.
 */
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { openClients } from './model-scene.ts';
import { type AgentUnder, atOnce, codeOf, tally } from './scene.ts';

type Server = {
  agentUnder: AgentUnder;
  /** Ends the server at once. */
  kill(): Promise<unknown>;
  /** The errors that `onError` got. */
  errors: readonly unknown[];
};

/** The maximum time until a call is blocked. */
const MOST_MS = 20_000;

export function serverDies(name: string, open: () => Promise<Server>): void {
  test(`${name} dies in the middle: allowed calls finish, and no other call runs`, async () => {
    const { agentUnder, kill, errors } = await open();
    const { tools } = await agentUnder({ maxCostTotal: 100, toolPolicies: { pay: { cost: 1 } } });
    const clients = await openClients(agentUnder);
    const dead = Promise.withResolvers<void>();
    let running = 0;
    let runs = 0;

    const held = Array.from({ length: 5 }, () =>
      tools.run('pay', {}, async () => {
        running += 1;
        await dead.promise;
        return 'paid';
      }),
    );
    const read: Record<string, string> = {};
    const streams = clients.map(({ name, server, stream }) => {
      server.script({ text: ['abc', 'def', 'ghi'], eventDelayMs: 5 });
      return stream(async (text) => {
        if (text === '') return;
        if (read[name] === undefined) running += 1;
        read[name] = text;
        await dead.promise;
      });
    });
    await waitUntil('the calls to run', () => running === held.length + clients.length, MOST_MS);

    const pay = async () => {
      runs += 1;
    };
    const burst = atOnce(400, () => tools.run('pay', {}, pay));
    await waitUntil('the first calls of many', () => runs > 0);
    const beganMs = performance.now();
    await kill();
    dead.resolve();

    expect(await Promise.all(held)).toEqual(held.map(() => 'paid'));
    await Promise.all(streams);
    expect(read).toEqual({ 'openai 7': 'abcdefghi', 'openai 6': 'abcdefghi', anthropic: 'abcdefghi' });
    const codes = tally(await burst);
    expect(Object.keys(codes)).toContain('INTERNAL_ERROR');
    expect(['ran', 'INTERNAL_ERROR', 'COST_LIMIT_EXCEEDED']).toEqual(
      expect.arrayContaining(Object.keys(codes)),
    );
    expect(codes.ran).toBe(runs);
    expect(runs).toBeLessThanOrEqual(95);

    const before = runs;
    expect(tally(await atOnce(20, () => tools.run('pay', {}, pay)))).toEqual({ INTERNAL_ERROR: 20 });
    const calls = clients.map(({ create }) => codeOf(create()));
    expect(await Promise.all(calls)).toEqual(clients.map(() => 'INTERNAL_ERROR'));
    expect(runs).toBe(before);
    expect(clients.map(({ server }) => server.requests.length)).toEqual(clients.map(() => 1));
    expect(performance.now() - beganMs).toBeLessThan(MOST_MS);
    // The outcomes of the calls could not be reported. `onError` must get an error about this.
    await waitUntil('an error', () => errors.length > 0);
    await Promise.all(clients.map(({ server }) => server.close()));
  });
}
