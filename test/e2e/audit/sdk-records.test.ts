/** Tests in a whole plane that decisions of an SDK reach the audit, apart from the decisions of the plane. */
import { openPlane, planeConfig } from '@mandate/plane';
import { dataFolder, silentLogger } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { sdkRecords } from '../support/sdk-records.ts';

type Found = { id: string; keyId: string; event: string; code: string; deltaMicros: number; agentId: string };

const issue = (tenant: string, name: string, scopes: readonly ApiScope[]) =>
  issueApiKey({ tenant, name, scopes, agents: ['*'] });

test('decisions of an SDK are listed once, for their tenant only, and no sum or law of the plane counts them', async () => {
  const folder = temporaryFolder();
  const keys = {
    sdk: issue('acme', 'sdk', ['record']),
    other: issue('acme', 'other sdk', ['record']),
    ours: issue('acme', 'ours', ['audit', 'operate', 'publish']),
    theirs: issue('globex', 'theirs', ['audit', 'operate']),
  };
  for (const { record } of Object.values(keys)) await fileKeyStore(dataFolder(folder).keys).add(record);
  const config = planeConfig.parse({ PLANE_DATA_PATH: folder, PLANE_PORT: 0 });
  let plane = await openPlane(config, silentLogger());
  const call = async (key: keyof typeof keys, path: string, body?: unknown) => {
    const answer = await fetch(new URL(path, plane.url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${keys[key].key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const listed = async (key: 'ours' | 'theirs', query = '') =>
    (await call(key, `/v1/audit/sdk${query}`)).body as { records: Found[]; next: string | null };
  try {
    const { allow, settled, block } = await sdkRecords();
    const batch = [allow, settled, block];
    for (let times = 0; times < 3; times += 1)
      expect((await call('sdk', '/v1/audit', batch)).status).toBe(200);
    const last = await sdkRecords('bot-2');
    await call('sdk', '/v1/audit', [last.allow]);
    const found = await waitUntil('four records', async () => {
      const { records } = await listed('ours');
      return records.length === 4 && records;
    });
    const ids = [allow.decision.id, settled.settlement.id, block.decision.id, last.allow.decision.id];
    expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(found[0]?.id).toBe(last.allow.decision.id);
    expect(found.find(({ id }) => id === allow.decision.id)).toMatchObject({
      keyId: keys.sdk.record.id,
      event: 'sdk.decided',
      code: 'ALLOWED',
      deltaMicros: 5_000_000,
    });
    expect((await listed('theirs')).records).toEqual([]);
    expect((await listed('ours', '?agent=bot-2')).records).toHaveLength(1);

    // Another key cannot replace the record, only add one that names the other key.
    await call('other', '/v1/audit', [allow]);
    await waitUntil('five records', async () => (await listed('ours')).records.length === 5);
    const pages: Found[] = [];
    for (let cursor = ''; ; ) {
      const page = await listed('ours', `?limit=2${cursor}`);
      pages.push(...page.records);
      if (page.next === null) break;
      cursor = `&cursor=${encodeURIComponent(page.next)}`;
    }
    expect(pages).toEqual((await listed('ours')).records);

    const expectNothing = async () => {
      expect((await call('ours', '/v1/audit/decisions')).body.decisions).toEqual([]);
      expect((await call('ours', '/v1/audit/settlements')).body.settlements).toEqual([]);
      expect((await call('ours', '/v1/ledger/balances')).body.balances).toEqual([]);
      expect((await call('ours', '/v1/approvals')).body.approvals).toEqual([]);
    };
    await expectNothing();
    // After a restart the ledger is rebuilt from the log.
    await plane.stop();
    plane = await openPlane(config, silentLogger());
    await expectNothing();
    expect((await listed('ours')).records).toHaveLength(5);
  } finally {
    await plane.stop();
  }
});
