/** Publishes the data set to the log of a running plane. The audit must return every expected figure. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { type ApiClient, createApiClient } from '@mandate/client';
import { silentLogger } from '@mandate/runtime';
import { agentKey, type MandateDocument, TOPICS } from '@mandate/schemas';
import { byLength, startPlane, temporaryFolder } from '@mandate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDataset, requestsOf } from './dataset.ts';
import { answersTo, readBack } from './read-back.ts';
import type { Scenario } from './scenario.ts';
import { controlOf, mandateOf } from './scenario-mandate.ts';

const dataset = loadDataset();
const scenarios = Object.entries(dataset.scenarios);

type Spend = { total: { spentMicros: number } };

/**
 * The scenarios that run on the plane, in each form of the mandate. `tau-airline-eval.test.ts` always runs all
 * scenarios, without a plane.
 */
const PLAYED = byLength({ short: 1, full: scenarios.length });

type Written = (name: string, scenario: Scenario) => Promise<{ data: string; api: ApiClient }>;

async function planeWith(mandate: MandateDocument) {
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.json');
  writeFileSync(mandates, JSON.stringify(mandate));
  const plane = await startPlane({ data, mandates });
  onTestFinished(async () => {
    await plane.kill();
  });
  return { data, api: createApiClient({ url: plane.url, key: plane.keys.operator }) };
}

const WAYS: Readonly<Record<string, Written>> = {
  'a mandate of a file': (name, scenario) => planeWith(mandateOf(name, scenario, dataset.tools)),

  async 'policies and rules'(name, scenario) {
    const plane = await planeWith({ version: 1, id: 'nobody', agents: ['nobody'] });
    const { policies, rules } = controlOf(name, scenario, dataset.tools);
    for (const policy of policies) await plane.api.put(`/v1/policies/${policy.id}`, policy);
    for (const rule of rules) await plane.api.post('/v1/rules', rule);
    for (const id of new Set(dataset.calls.map(({ agentId }) => agentId)))
      await plane.api.put(`/v1/agents/${id}`, { id });
    return plane;
  },
};

describe.each(Object.entries(WAYS))(`the plane decides ${dataset.origin}, written as %s:`, (_, written) => {
  test.each(scenarios.slice(0, PLAYED))('%s', async (name, scenario) => {
    const { data, api } = await written(name, scenario);
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
