/**
 * Deciders are replaced one by one by others that have newer mandates, while actions flow. Old and new decide side by side,
 * and of one action only one of them does: what was decided under one is a duplicate to the other.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, startRedis, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { decisionsBy, serverPlane } from '../e2e/distributed/server-plane.ts';
import { request } from './agents-at-work.ts';
import { openTestLog, SHORT_SESSION, startBreakable } from './breakable-servers.ts';
import { followLog } from './follow-log.ts';

const PATIENCE_MS = 120_000;
const [AGENTS, SHARE] = [50, 1_000];
const [OLD_MICROS, NEW_MICROS] = [10_000, 20_000];

type Balances = { balances: readonly { spentMicros: number }[] };

describeWithOwnServers(['kafka', 'redis'], 'deciders replaced one by one', () => {
  test('decide each action once, under the old mandates or the new', async () => {
    const servers = await startBreakable(() => startRedis({ appendonly: true }));
    const plane = serverPlane(servers, mandates(OLD_MICROS));
    const newMandates = join(temporaryFolder(), 'mandates.yaml');
    writeFileSync(newMandates, mandates(NEW_MICROS));
    const bus = await openTestLog(servers);
    const startOld = () => plane.start('decider', { ...SHORT_SESSION, BATCH_RECORDS: '20' });
    const startNew = () =>
      plane.start('decider', { ...SHORT_SESSION, BATCH_RECORDS: '20', MANDATES_PATH: newMandates });
    const [gateway, ...old] = await Promise.all([plane.start('gateway'), startOld(), startOld()]);
    const log = await followLog(bus);
    let asked = 0;
    const calls = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) =>
        request({ id: `act-${from + at}`, agentId: `agent-${(from + at) % AGENTS}`, tool: 'look' }),
      );
    const ask = async () => {
      await bus.append(TOPICS.actions, calls(asked, SHARE));
      asked += SHARE;
    };

    for (const decider of old) {
      await ask();
      const young = await startNew();
      await ask();
      // Side by side until both have decided something.
      await waitUntil(
        'the new one to be at work',
        async () => {
          if (log.decisions.size === asked) await ask();
          return (await decisionsBy(young)) > 0;
        },
        PATIENCE_MS,
      );
      await decider.kill('SIGTERM');
    }
    // Every request once more: the last ones to decide have not met most of them.
    await bus.append(TOPICS.actions, calls(0, asked));
    await waitUntil(
      'an answer to every request',
      () => log.decisions.size + log.duplicates() === 2 * asked,
      PATIENCE_MS,
    );

    expect(log.decisions.size).toBe(asked);
    expect(log.contradictions).toEqual([]);
    const decisions = [...log.decisions.values()];
    const charges = Map.groupBy(decisions, ({ mandate }) => mandate?.hash);
    expect([...charges.values()].map((of) => new Set(of.map(({ chargedMicros }) => chargedMicros)))).toEqual(
      expect.arrayContaining([new Set([OLD_MICROS]), new Set([NEW_MICROS])]),
    );
    expect(charges.size).toBe(2);
    const api = plane.api(gateway.url, await plane.issueKey('default'));
    const { balances } = await api.get<Balances>('/v1/ledger/balances');
    const sum = (amounts: readonly number[]) => amounts.reduce((total, micros) => total + micros, 0);
    expect(sum(balances.map(({ spentMicros }) => spentMicros))).toBe(
      sum(decisions.map(({ chargedMicros }) => chargedMicros)),
    );
  });
});

function mandates(costMicros: number): string {
  const cost = costMicros / 1_000_000;
  return `version: 1\nid: all\nagents: ["*"]\nmaxCostTotal: 1000\ntoolPolicies: { look: { cost: ${cost} } }\n`;
}
