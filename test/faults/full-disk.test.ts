/**
 * Fills the disk under a running plane, and starts a plane on a full disk. Nothing is allowed that is not on the log,
 * the plane says what is wrong, and freeing space is enough to continue (docs/adr/0006).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { createApiClient } from '@mandate/client';
import { reconcilePlane } from '@mandate/reconcile';
import { silentLogger } from '@mandate/runtime';
import { type PlaneProcess, startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { expectLaws } from './support/expect-laws.ts';
import { NO_DISK, smallDisk } from './support/small-disk.ts';

const MANDATES = 'version: 1\nid: all\nagents: ["*"]\ntoolPolicies: { look: { cost: 0.01 } }\n';
const DISK_MIB = 64;

test('with a full disk, publishers get 503 and the plane is not ready; with space again everything continues', async (context) => {
  const disk = smallDisk(DISK_MIB);
  if (disk === null) return context.skip(NO_DISK);
  onTestFinished(() => disk[Symbol.dispose]());
  const mandates = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(mandates, MANDATES);
  const start = () => startPlane({ data: join(disk.path, 'plane'), mandates });
  let plane = await start();
  onTestFinished(async () => {
    await plane.kill();
  });
  const { keys } = plane;
  let asked = 0;
  const ask = async (id = `look-${++asked}`) => {
    const action = {
      id,
      agentId: 'busy',
      type: 'tool_call',
      tool: 'look',
      args: { text: 'x'.repeat(5_000) },
    };
    return { id, ...(await post(plane, keys.publisher, '/v1/actions?waitMs=2000', action)) };
  };
  const refused = () =>
    waitUntil('the disk is full', async () => {
      const reply = await ask();
      return reply.status === 503 && reply;
    });

  expect(await ask()).toMatchObject({ status: 200, body: { decision: { verdict: 'ALLOW' } } });
  // This waits for the insert. If the insert failed on the full disk, it would free its space again.
  await waitUntil('it is recorded', async () =>
    /mandate_recorder_rows_total\{[^}]*table="decisions"[^}]*\} 1/.test(
      await (await fetch(`${plane.url}/metrics`)).text(),
    ),
  );
  disk.fill();
  const { id, body } = await refused();
  expect(body).toMatchObject({ code: 'BUS_UNAVAILABLE', detail: expect.stringContaining('disk is full') });
  // A refused record may have left a page with some free room. The plane first fills this page, so it notices the
  // full disk only later.
  const { body: unready } = await waitUntil('it says so', async () => {
    const reply = await readiness(plane);
    return reply.status === 503 && reply;
  });
  expect(unready).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'log', ok: false })]),
  });
  const killed = await post(plane, keys.operator, '/v1/agents/runaway/kill', {});
  expect(killed).toMatchObject({ status: 503, body: { code: 'KILL_IN_FORCE_NOT_ON_LOG' } });

  disk.free();
  await waitUntil('it is ready again', async () => (await readiness(plane)).status === 200);
  expect(await ask(id)).toMatchObject({ body: { decision: { kind: 'first', verdict: 'ALLOW' } } });
  const client = createApiClient({ url: plane.url, key: keys.operator });
  await waitUntil('the kill is on the log', async () => {
    const { events } = await client.get<{ events: unknown[] }>('/v1/audit/control-events?event=agent.killed');
    return events.length === 1;
  });

  disk.fill();
  await refused();
  await plane.kill('SIGKILL');
  await expect(start()).rejects.toThrow(/ended with 1:\n[\s\S]*disk is full/);

  disk.free();
  plane = await start();
  expect(await ask('look-1')).toMatchObject({ body: { decision: { code: 'DUPLICATE_ACTION' } } });
  const bus = await createSqliteBus({ path: join(disk.path, 'plane/log.sqlite'), log: silentLogger() });
  onTestFinished(() => bus.close());
  const report = await reconcilePlane(bus, createApiClient({ url: plane.url, key: keys.operator }));
  expectLaws(report);
});

async function post({ url }: PlaneProcess, key: string | undefined, path: string, body: unknown) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as unknown };
}

async function readiness({ url }: PlaneProcess) {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, body: (await response.json()) as unknown };
}
