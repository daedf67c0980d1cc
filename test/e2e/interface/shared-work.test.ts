/**
 * Tests that no request owns work that a shared part of the process leaves running: a timer, a socket or a promise.
 * If a request owned such work, a later fault would be blamed on this request, and the process would continue in an
 * unknown state. The test calls every operation of a plane. An async hook reports which code starts such work during
 * a request.
 */
import { createHook } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPlane, planeConfig } from '@mandate/plane';
import { requestInHand, silentLogger } from '@mandate/runtime';
import { startModelServer } from '@mandate/testing/model-server';
import { afterAll, expect, test } from 'vitest';
import { examplesOf, isStream, type OpenApi, operationsOf, requiredValues, urlOf } from './described.ts';

const ROOT = join(import.meta.dirname, '../../..');
/**
 * The number of stack frames to keep. Between a shared part and the work that it starts, there are fewer frames than
 * this.
 */
const FRAMES = 40;

/** Code that runs for one request: the HTTP code, and the routes of the services. */
const OF_REQUESTS =
  /^(packages\/(server\/src\/http\/|runtime\/src\/request-scope)|services\/(alerter|console|control|gateway|model-gateway|query|runner)\/)/;
/** Code of the same services that also runs between requests. */
const BETWEEN_REQUESTS =
  /^services\/(alerter\/src\/(alerter|append-alerts|deliver\/)|console\/src\/oidc\/oidc-file|gateway\/src\/(journal\/|persons\/follow))/;

/** Files with shared code that a request calls and awaits. When the request ends, this code has no work running. */
const AWAITED: ReadonlySet<string> = new Set([
  'packages/audit/src/live/follow.ts',
  'packages/audit/src/question.ts',
  'packages/access-log/src/record-http-reads.ts',
  'packages/control-log/src/published-manifests.ts',
  'packages/plane/src/open-plane.ts',
  'packages/ledger/src/kill-broadcast.ts',
  'packages/ledger/src/ledger-readiness.ts',
  'packages/runtime/src/turns.ts',
  'packages/sdk/src/adapters/count-tokens.ts',
  'packages/sdk/src/openai/plan-call.ts',
  'packages/sdk/src/openai/running-call.ts',
  'packages/sdk/src/openai/watch-reply.ts',
  'packages/sdk/src/proxy/model-protocol.ts',
  'packages/sdk/src/proxy/openai-protocol.ts',
  'packages/server/src/upstream/send-upstream.ts',
]);
/** Kinds of work that start and end within one call. */
const AT_ONCE: ReadonlySet<string> = new Set(['RANDOMBYTESREQUEST']);

const folder = mkdtempSync(join(tmpdir(), 'mandate-shared-'));
const stackTraceLimit = Error.stackTraceLimit;
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
  rmSync(folder, { recursive: true });
});

/** Returns the innermost file of the stack that belongs to a package or a service. Null if no file does. */
function madeBy(stack: string): string | null {
  for (const [, place = ''] of stack.matchAll(/\(?((?:file:\/\/)?\/[^()\s]+\.ts):\d+:\d+\)?$/gm)) {
    const file = relative(ROOT, place.startsWith('file:') ? fileURLToPath(place) : place);
    if (/^(packages|services)\//.test(file)) return file;
  }
  return null;
}

test('work that shared parts start, and that outlives a request, belongs to no request', async () => {
  await using models = await startModelServer();
  const openai = { protocol: 'openai', baseUrl: models.openaiUrl };
  const document = { version: 1, upstreams: { openai }, defaults: { openai: 'openai' } };
  writeFileSync(join(folder, 'models.yaml'), JSON.stringify(document));
  writeFileSync(join(folder, 'mandates.yaml'), 'version: 1\nid: all\nagents: [bot]\n');
  const config = planeConfig.parse({ PLANE_DATA_PATH: folder, PLANE_PORT: 0 });
  const plane = await openPlane(config, silentLogger());
  const key = plane.firstKeys.find(({ name }) => name === 'operator')?.key;
  const operations = operationsOf((await (await fetch(`${plane.url}/openapi.json`)).json()) as OpenApi);
  const ofRequests = new Set<string>();
  const ofShared = new Set<string>();
  Error.stackTraceLimit = FRAMES;
  const hook = createHook({
    init(_id, type) {
      if (requestInHand() === null || AT_ONCE.has(type)) return;
      const file = madeBy(new Error('made here').stack ?? '');
      if (file === null) return;
      if (OF_REQUESTS.test(file) && !BETWEEN_REQUESTS.test(file)) ofRequests.add(file);
      else if (type !== 'PROMISE' || !AWAITED.has(file)) ofShared.add(`${type} ${file}`);
    },
  }).enable();
  for (const operation of operations) {
    for (const example of examplesOf(operation)) {
      const answer = await fetch(new URL(urlOf(operation, requiredValues(operation)), plane.url), {
        method: operation.method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(example !== null && { 'content-type': 'application/json' }),
        },
        body: example === null ? null : JSON.stringify(example),
      });
      if (isStream(operation)) await answer.body?.cancel();
      else await answer.text();
    }
  }
  // The description contains no call in the protocol of a provider.
  const asked = { model: 'gpt-4o-mini', messages: [], max_tokens: 5 };
  for (const body of [asked, { ...asked, stream: true }]) {
    const answer = await fetch(`${plane.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'x-mandate-agent': 'bot',
      },
      body: JSON.stringify(body),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('chat.completion')]);
  }
  hook.disable();
  await plane.stop();
  expect([...ofShared].sort()).toEqual([]);
  // The hook must have seen work of requests. Otherwise the test proves nothing.
  expect(ofRequests.size).toBeGreaterThan(50);
  expect([...ofRequests]).toEqual(
    expect.arrayContaining(['services/gateway/src/publish/publish-records.ts']),
  );
});
