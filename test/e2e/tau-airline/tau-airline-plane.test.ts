/** The data set published through the log of a running plane; every figure of the oracle read back from ClickHouse. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { createApiClient } from '@mandate/cli';
import { silentLogger } from '@mandate/runtime';
import { agentKey, TOPICS } from '@mandate/schemas';
import { startPlane, temporaryFolder } from '@mandate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDataset, requestsOf } from './dataset.ts';
import { answersTo, readBack } from './read-back.ts';
import { mandateOf } from './scenario-mandate.ts';

const dataset = loadDataset();

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
    const found = await readBack(api, requests.length);
    expect(answersTo(requests, found)).toEqual({
      decisions: scenario.decisions,
      agentsWithABlock: scenario.agentsWithABlock,
      sequenceSha256: scenario.sequenceSha256,
    });
    const { total } = await api.get<Spend>('/v1/audit/analytics/spend');
    expect(total.spentMicros).toBe(scenario.allowedCostMicros);
  });
});
