import { createSqliteBus } from '@mandate/bus';
import { dataFolder, silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { startService, temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

test('a gateway in its own process publishes redacted actions to the log of a folder', async () => {
  const folder = dataFolder(temporaryFolder());
  const { key, record } = issueApiKey({ tenant: 'acme', scopes: ['publish'], agents: ['*'], name: 'test' });
  await fileKeyStore(folder.keys).add(record);
  const { url } = await startService('gateway', { DATA_PATH: folder.path });
  const published = await fetch(`${url}/v1/actions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      id: 'a',
      agentId: 'bot',
      type: 'tool_call',
      tool: 'look',
      args: { password: 'hunter2' },
    }),
  });
  expect(published.status).toBe(202);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);

  const bus = await createSqliteBus({ path: folder.log, log: silentLogger() });
  onTestFinished(() => bus.close());
  const { source } = (await published.json()) as { source: { partition: number; offset: number } };
  const lies = await bus.at({
    topic: TOPICS.actions,
    partition: source.partition,
    offset: source.offset,
  });
  expect(JSON.parse(Buffer.from(lies?.value ?? []).toString())).toMatchObject({
    action: { id: 'a', tenant: 'acme', args: { password: '[redacted]' } },
  });
});
