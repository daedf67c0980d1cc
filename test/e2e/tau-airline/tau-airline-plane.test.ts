/** The data set published through the log of a running plane; every figure of the oracle read back from ClickHouse. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { createApiClient } from '@mandate/cli';
import { silentLogger } from '@mandate/runtime';
import { agentKey, TOPICS } from '@mandate/schemas';
import { startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDataset, requestsOf } from './dataset.ts';
import { mandateOf } from './scenario-mandate.ts';

const dataset = loadDataset();

type Found = { actionId: string; agentId: string; verdict: string; code: string; kind: string };
type Page = { decisions: readonly Found[]; next: string | null };
type Codes = { codes: readonly { code: string; decisions: number }[] };
type Spend = { total: { spentMicros: number } };

describe(`the plane decides ${dataset.origin}`, () => {
  test.each(Object.entries(dataset.scenarios))('%s', async (name, scenario) => {
    const data = temporaryFolder();
    const mandates = join(data, 'mandates.json');
    writeFileSync(mandates, JSON.stringify(mandateOf(name, scenario, dataset.tools)));
    const plane = await startPlane({ data, mandates });
    onTestFinished(async () => {
      await plane.kill();
    });
    const api = createApiClient({ url: plane.url, key: plane.keys.operator });
    const bus = await createSqliteBus({ path: join(data, 'log.sqlite'), log: silentLogger() });
    onTestFinished(() => bus.close());

    const requests = requestsOf(dataset);
    await bus.append(
      TOPICS.actions,
      requests.map((record) => ({
        key: agentKey('default', record.action.agentId),
        value: JSON.stringify(record),
      })),
    );
    const counted = await waitUntil('every decision on record', async () => {
      const { codes } = await api.get<Codes>('/v1/audit/analytics/codes');
      return codes.reduce((sum, { decisions }) => sum + decisions, 0) >= requests.length && codes;
    });

    const found = new Map<string, Found>();
    for (let cursor: string | undefined, more = true; more; ) {
      const page: Page = await api.get('/v1/audit/decisions', { limit: 200, cursor });
      for (const decision of page.decisions) found.set(decision.actionId, decision);
      cursor = page.next ?? undefined;
      more = cursor !== undefined;
    }
    const sequence = requests.map(({ action }) => {
      const decision = found.get(action.id);
      return decision?.verdict === 'ALLOW' ? 'ALLOW' : decision?.code;
    });
    expect(createHash('sha256').update(sequence.join('\n')).digest('hex')).toBe(scenario.sequenceSha256);
    expect(tally(counted)).toEqual(scenario.decisions);
    const blocked = new Set(
      [...found.values()].filter(({ verdict }) => verdict !== 'ALLOW').map(({ agentId }) => agentId),
    );
    expect(blocked.size).toBe(scenario.agentsWithABlock);
    const { total } = await api.get<Spend>('/v1/audit/analytics/spend');
    expect(total.spentMicros).toBe(scenario.allowedCostMicros);
  });
});

function tally(codes: Codes['codes']): Record<string, number> {
  return Object.fromEntries(
    codes.map(({ code, decisions }) => [code === 'ALLOWED' ? 'ALLOW' : code, decisions]),
  );
}
