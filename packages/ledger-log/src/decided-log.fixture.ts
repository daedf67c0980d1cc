/** For tests: a log in a file, and decisions of a ledger. */

import { join } from 'node:path';
import { type Bus, createSqliteBus, type Outgoing } from '@mandate/bus';
import { answerBatch } from '@mandate/engine';
import type { Ledger } from '@mandate/ledger';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { manualClock, silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { onTestFinished } from 'vitest';

export const log = silentLogger();
export const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
const loaded = loadMandates('version: 1\nid: m\nagents: ["*"]\ntoolPolicies: { pay: { cost: 0.01 } }\n');
const mandates = loaded.ok ? loaded.mandates : [];

export async function openedLog(
  options: { partitions?: number } = {},
): Promise<{ bus: Bus; folder: string }> {
  const folder = temporaryFolder();
  const bus = await createSqliteBus({ path: join(folder, 'log.sqlite'), log, ...options });
  onTestFinished(() => bus.close());
  return { bus, folder };
}

type Decided = { records: Outgoing[]; operations: Awaited<ReturnType<typeof answerBatch>>['operations'] };

/**
 * Returns `count` decisions of the ledger that are not on the log yet. Each decision is about a call that costs one
 * cent. The call number `from + n` is always the same call.
 */
export async function decided(ledger: Ledger, from: number, count: number): Promise<Decided> {
  const encoder = new TextEncoder();
  const batch = Array.from({ length: count }, (_, n) => {
    const action = { id: `a${from + n}`, agentId: 'payer', type: 'tool_call', tool: 'pay' };
    return {
      source: { topic: TOPICS.actions, partition: 0, offset: from + n },
      appendedAtMs: clock(),
      key: null,
      value: encoder.encode(JSON.stringify({ event: 'action.requested', action })),
    };
  });
  const context = {
    ledger,
    control: () => mandatesOfFile(mandates, 1),
    redact: <A>(action: A) => action,
    clock,
    deadlines: true,
  };
  const { answers, operations } = await answerBatch(batch, context);
  const records = answers.flatMap((answer) =>
    answer.kind === 'record' ? [{ key: answer.key, value: JSON.stringify(answer.record) }] : [],
  );
  return { records, operations };
}

export async function publish(bus: Bus, ledger: Ledger, { records, operations }: Decided): Promise<void> {
  await bus.append(TOPICS.decisions, records);
  await ledger.confirm(ledger.epoch, operations);
}

export async function decide(bus: Bus, ledger: Ledger, from: number, count: number): Promise<void> {
  await publish(bus, ledger, await decided(ledger, from, count));
}
