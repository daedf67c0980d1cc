/**
 * Measures grants issued over HTTP to 10,000 agents under 1,000 policies and 5,000 rules. The control service is
 * alone in its process. The rival is a bare route that appends a record of the same size to the same kind of log, and
 * answers.
 */
import { TOPICS } from '@mandate/schemas';
import { fastify } from 'fastify';
import { compare } from '../measure/compare.ts';
import { figuresOf } from '../measure/load-figures.ts';
import type { Row } from '../row.ts';
import { agentNumber, controlRecords, SIZE, TENANT } from '../workload/control.ts';
import { controlAlone } from '../workload/control-alone.ts';
import { startHttpLoad } from '../workload/http-load.ts';
import { appendAll, temporaryLog } from '../workload/temporary-log.ts';

/**
 * The number of requests in a sample. The requests of all samples together are fewer than the grants that may be
 * valid at the same time.
 */
const REQUESTS = 1_000;
const PAIRS = 6;
const CONNECTIONS = 8;
/** The size in bytes, on the log, of a grant that is composed from five rules. */
const RECORD_BYTES = 1_100;

export async function issueGrants(): Promise<Row[]> {
  await using log = await temporaryLog();
  const changes = controlRecords().map((record) => JSON.stringify(record));
  await appendAll(
    log.bus,
    TOPICS.control,
    changes.map((value) => ({ key: TENANT, partition: 0, value })),
  );
  await using control = await controlAlone(log.bus);
  await using other = await temporaryLog();
  await using stack = new AsyncDisposableStack();
  const bare = fastify();
  stack.defer(() => bare.close());
  const value = 'x'.repeat(RECORD_BYTES);
  bare.post('/append', async (request) => {
    await other.bus.append(TOPICS.control, [{ key: TENANT, partition: 0, value }]);
    return request.body;
  });
  const echo = await bare.listen({ host: '127.0.0.1', port: 0 });
  const client = startHttpLoad();
  stack.defer(() => client.stop());
  const load = { connections: CONNECTIONS };
  const what = `grant issued over HTTP, ${CONNECTIONS} connections`;
  return await compare({
    pairs: PAIRS,
    ours: () =>
      figuresOf(client, {
        ...{ ...load, url: control.url, key: control.key, path: '/v1/grants/issue' },
        ...{ bodies: bodies(), expected: '"grant":' },
      }),
    rival: {
      what: 'bare fastify route that appends as many bytes',
      run: () =>
        figuresOf(client, {
          ...{ ...load, url: echo, key: null, path: '/append' },
          ...{ bodies: bodies(), expected: '"agentId":' },
        }),
    },
    figures: {
      perSecond: { what: `${what}: rate`, unit: '/s' },
      p50Ms: { what: `${what}: p50`, unit: 'ms' },
      p99Ms: { what: `${what}: p99`, unit: 'ms' },
    },
  });
}

let issued = 0;

function bodies(): string[] {
  return Array.from({ length: REQUESTS }, () => {
    const agentId = agentNumber((issued++ * 7) % SIZE.agents);
    return JSON.stringify({ agentId, context: { environment: 'prod' } });
  });
}
