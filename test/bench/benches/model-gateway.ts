/**
 * Measures calls of a model through the model gateway of a whole plane in this process. Each call is decided, forwarded
 * and settled. The model is in another process, and answers at once. The rival passes the same calls to the same model.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPlane, type Plane, planeConfig } from '@mandate/plane';
import { silentLogger } from '@mandate/runtime';
import { compare } from '../measure/compare.ts';
import { figuresOf } from '../measure/load-figures.ts';
import type { Row } from '../row.ts';
import { startBareProxy } from '../workload/bare-proxy.ts';
import { type HttpLoad, startHttpLoad } from '../workload/http-load.ts';
import { limitNothing, type To } from '../workload/limit-nothing.ts';
import { startModelProcess } from '../workload/model-process.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const CALLS = 2_000;
const CONNECTIONS = 64;
const PATH = '/openai/v1/chat/completions';
const MANDATE = { version: 1, id: 'bench', agents: ['bot'], maxCostTotal: 1_000_000 };

export async function modelGateway(): Promise<Row[]> {
  using folder = temporaryFolder();
  using model = await startModelProcess();
  using proxy = await startBareProxy(model.url);
  const files = { models: join(folder.path, 'models.json'), mandates: join(folder.path, 'mandates.json') };
  const openai = { protocol: 'openai', baseUrl: `${model.url}/openai/v1` };
  const document = { version: 1, upstreams: { openai }, defaults: { openai: 'openai' } };
  writeFileSync(files.models, JSON.stringify(document));
  writeFileSync(files.mandates, JSON.stringify(MANDATE));
  const plane = await openPlane(
    planeConfig.parse({
      ...{ PLANE_DATA_PATH: folder.path, PLANE_MANDATES_PATH: files.mandates, PLANE_PORT: 0 },
      ...{ MODELS_CONFIG_PATH: files.models, PLANE_REQUESTS_PER_KEY_PER_SECOND: 1_000_000 },
    }),
    silentLogger(),
  );
  const client = startHttpLoad();
  try {
    const keyOf = (wanted: string) => plane.firstKeys.find(({ name }) => name === wanted)?.key ?? null;
    await limitNothing({ url: plane.url, key: keyOf('operator') });
    const [ours, theirs] = [
      { url: plane.url, key: keyOf('publisher') },
      { url: proxy.url, key: null },
    ];
    return [
      ...(await calling(plane, client, { ours, theirs }, false)),
      ...(await calling(plane, client, { ours, theirs }, true)),
    ];
  } finally {
    client.stop();
    await plane.stop();
  }
}

function calling(
  plane: Plane,
  client: HttpLoad,
  { ours, theirs }: { ours: To; theirs: To },
  stream: boolean,
): Promise<Row[]> {
  const messages = [{ role: 'user', content: 'What does the report say about tea? '.repeat(25) }];
  const body = JSON.stringify({
    ...{ model: 'gpt-4o-mini', messages, max_tokens: 100, stream },
    // Both pass the same bytes on.
    ...(stream && { stream_options: { include_usage: true } }),
  });
  const load = {
    ...{ path: PATH, connections: CONNECTIONS, bodies: Array<string>(CALLS).fill(body) },
    expected: stream ? '[DONE]' : '"chat.completion"',
  };
  const what = `${stream ? 'streams of 20 events' : 'calls of a model'}, ${CONNECTIONS} connections`;
  return compare({
    pairs: 5,
    ours: async () => {
      const figures = await figuresOf(client, { ...ours, ...load });
      // Waits for the recorder to finish, so that it takes no CPU time from the rival.
      await plane.atRest();
      return figures;
    },
    rival: { what: 'a bare pass-through', run: () => figuresOf(client, { ...theirs, ...load }) },
    figures: {
      perSecond: { what: `${what}: rate`, unit: '/s' },
      p50Ms: { what: `${what}: p50`, unit: 'ms' },
      p99Ms: { what: `${what}: p99`, unit: 'ms' },
    },
  });
}
