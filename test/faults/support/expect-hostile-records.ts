/** Runs a decider on a log with hostile records among good records, and checks all results. */

import type { Bus } from '@mandate/bus';
import { type Decider, startDecider } from '@mandate/decider';
import { createMemoryLedger } from '@mandate/ledger';
import { compileActionRedaction, mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { silentLogger, systemClock } from '@mandate/runtime';
import { type DeadLetter, readDecisionsRecord, TOPICS } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { MOST_BUSY_MS, quietestOf, watchTurns } from '@mandate/testing/busiest-turn';
import { expect } from 'vitest';
import { type Poison, poison } from './hostile-records.ts';

/** A mandate with rules that read every string. So expensive strings cost time here too. */
const MANDATE = `
version: 1
id: m
agents: ["*"]
toolPolicies:
  look:
    cost: 0.01
    argumentValidation: { validators: [noSystemPaths, { emailDomains: [example.com] }] }
`;

export function decideOn(bus: Bus, topics: readonly string[] = [TOPICS.actions]): Promise<Decider> {
  const loaded = loadMandates(MANDATE);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return startDecider({
    bus,
    ledger: createMemoryLedger({ clock: systemClock, epoch: 'e1' }),
    topics,
    control: () => mandatesOfFile(loaded.mandates, 1),
    redact: compileActionRedaction(),
    clock: systemClock,
    deadlines: false,
    log: silentLogger(),
    metrics: createMetrics({ service: 'decider' }),
  });
}

export function asking(id: string, agentId = 'well', tenant?: string): string {
  const action = { id, tenant, agentId, type: 'tool_call', tool: 'look' };
  return JSON.stringify({ event: 'action.requested', action });
}

/**
 * Returns the decided actions of each agent, each once. If a decider lost its partition, the log may have an answer
 * twice.
 */
export async function decidedOn(bus: Bus): Promise<Map<string, Set<string>>> {
  const byAgent = new Map<string, Set<string>>();
  for (const value of await valuesOf(bus, TOPICS.decisions)) {
    const record = readDecisionsRecord(value);
    if (record.event !== 'action.decided') continue;
    const { agentId, actionId } = record.decision;
    byAgent.set(agentId, (byAgent.get(agentId) ?? new Set()).add(actionId));
  }
  return byAgent;
}

/** Returns each dead letter once, by the log position of its record. */
export async function deadLettersOn(bus: Bus): Promise<Map<string, DeadLetter['deadLetter']>> {
  const letters = (await valuesOf(bus, TOPICS.deadLetters)).map(
    (value): DeadLetter => JSON.parse(Buffer.from(value).toString()),
  );
  return new Map(
    letters.map(({ deadLetter }) => [`${deadLetter.source.topic}/${deadLetter.source.offset}`, deadLetter]),
  );
}

async function valuesOf(bus: Bus, topic: string): Promise<Uint8Array[]> {
  const values: Uint8Array[] = [];
  const reader = await bus.read({
    topics: [topic],
    from: 'earliest',
    onRecords: (records) => void values.push(...records.map(({ value }) => value)),
  });
  await Promise.race([reader.caughtUp, reader.finished]);
  await reader.stop();
  return values;
}

/**
 * Appends all hostile records to the only partition of a topic, each after a good record, and checks every result. A
 * first round is not measured, because it includes the time for compiling the decider.
 */
export async function mustSurvivePoison(
  bus: Bus,
  topic: string,
  append: (records: { key: string | null; value: Buffer }[]) => Promise<void>,
): Promise<void> {
  let appended = 0;
  let doses = 0;
  const take = async () => {
    const prefix = `dose${doses++}`;
    const dose = poison(prefix).flatMap((bad, at) => [well(`${prefix}-${at}`), bad]);
    await append(dose);
    const turns = watchTurns();
    const decider = await decideOn(bus, [topic]);
    await decider.caughtUp(AbortSignal.timeout(120_000));
    const busiestMs = turns.busiestMs();
    await decider.stop();
    const letters = await deadLettersOn(bus);
    const became = dose.map(({ name, reason }, at) => {
      const said = letters.get(`${topic}/${appended + at}`)?.fault.reason ?? null;
      const fits = reason === null || said === null ? reason === said : reason.test(said);
      return { name, said, fits };
    });
    expect(became.filter(({ fits }) => !fits)).toEqual([]);
    appended += dose.length;
    return busiestMs;
  };
  await take();
  const busiestMs = await quietestOf(take);
  const decided = await decidedOn(bus);
  const dose = poison('');
  expect(decided.get('well')?.size).toBe(doses * dose.length);
  expect(decided.get('poison')?.size).toBe(doses * dose.filter(({ reason }) => reason === null).length);
  expect(busiestMs).toBeLessThan(MOST_BUSY_MS);
}

function well(id: string): Poison {
  return { name: 'one that is well', key: 'default/well', value: Buffer.from(asking(id)), reason: null };
}
