/**
 * Tests that a deleted audit comes back. Its tables are computed from the log, so a recorder fills them again from
 * the start of the log, without help.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { type PlaneProcess, startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

type Page = { decisions: readonly { id: string }[] };

test('an audit that was deleted and filled again gives the same answers as before', async () => {
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, 'version: 1\nid: all\nagents: ["*"]\ntoolPolicies: { pay: { cost: 0.01 } }\n');
  const first = await startPlane({ data, mandates });
  const key = first.keys.operator;
  const before = createApiClient({ url: first.url, key });
  const actions = Array.from({ length: 100 }, (_, n) => ({
    id: `a${n}`,
    agentId: `agent-${n % 7}`,
    type: 'tool_call',
    tool: 'pay',
  }));
  await before.post('/v1/actions', actions, { query: { waitMs: 20_000 } });
  const recorded = await idsOnRecord(before);
  await first.kill();
  rmSync(join(data, 'audit'), { recursive: true });

  const second = await startPlane({ data, mandates });
  stopAtTheEnd(second);
  expect(await idsOnRecord(createApiClient({ url: second.url, key }))).toEqual(recorded);
});

async function idsOnRecord(api: ReturnType<typeof createApiClient>): Promise<string[]> {
  return waitUntil('all 100 decisions on record', async () => {
    const { decisions } = await api.get<Page>('/v1/audit/decisions', { limit: 1_000 });
    return decisions.length === 100 && decisions.map(({ id }) => id);
  });
}

function stopAtTheEnd(plane: PlaneProcess): void {
  onTestFinished(async () => {
    await plane.kill();
  });
}
