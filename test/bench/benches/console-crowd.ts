/**
 * 200 people have the console open on one plane, each in a browser of their own. Measures what this takes from
 * decisions: the rival is the same plane with no console open. Measures too how long an event takes to a console.
 */
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { compare, type Sample, stated } from '../measure/compare.ts';
import { type Latencies, latenciesOf } from '../measure/latencies.ts';
import { figuresOf } from '../measure/load-figures.ts';
import { cpuSince } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newActions } from '../workload/actions.ts';
import { type HttpLoad, startHttpLoad } from '../workload/http-load.ts';
import type { To } from '../workload/limit-nothing.ts';
import { planeInProcess } from '../workload/plane-in-process.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';
import { openConsoles } from '../workload/with-consoles.ts';

const CONSOLES = 200;
/** A key has at most 25 streams. */
const KEYS = 10;
const REQUESTS = 2_000;
const CONNECTIONS = 16;
const EVENTS = 30;
/** A busy day: a decision every ten milliseconds. */
const PACED = 1_000;
const EVERY_MS = 10;

export async function consoleCrowd(): Promise<Row[]> {
  using folder = temporaryFolder();
  const { plane, toPlane } = await planeInProcess(folder.path);
  const client = startHttpLoad();
  try {
    const people = await Promise.all(
      Array.from({ length: KEYS }, async (_, n) => {
        const body = { name: `person ${n}`, role: 'operator' };
        return (await sent<{ key: string }>(toPlane, '/v1/keys', body)).key;
      }),
    );
    const keys = Array.from({ length: CONSOLES }, (_, n) => people[n % KEYS] ?? '');
    const crowded = async <Figures>(decide: () => Promise<Figures>, decisions: number): Promise<Figures> => {
      const consoles = await openConsoles({ url: plane.url, keys });
      const figures = await decide();
      await consoles.haveGot(CONSOLES * decisions);
      await consoles.close();
      return figures;
    };
    const paced = () => decidedAtPace(toPlane);
    const atOnce = async () => {
      const figures = await figuresOf(client, loadOf(toPlane));
      await plane.atRest();
      return figures;
    };
    const rival = 'the same plane, no console open';
    const what = `console: decisions while ${CONSOLES} consoles are open`;
    const rows = [
      ...(await compare({
        pairs: 3,
        ours: () => crowded(paced, PACED),
        rival: { what: rival, run: paced },
        figures: {
          p50Ms: { what: `${what}, 100 a second: p50`, unit: 'ms' },
          p99Ms: { what: `${what}, 100 a second: p99`, unit: 'ms' },
        },
      })),
      ...(await compare({
        pairs: 3,
        ours: () => crowded(atOnce, REQUESTS),
        rival: { what: rival, run: atOnce },
        figures: {
          perSecond: { what: `${what}, ${CONNECTIONS} connections: rate`, unit: '/s' },
          p50Ms: { what: `${what}, ${CONNECTIONS} connections: p50`, unit: 'ms' },
          p99Ms: { what: `${what}, ${CONNECTIONS} connections: p99`, unit: 'ms' },
        },
      })),
    ];
    return [...rows, await eventLag(toPlane)];
  } finally {
    client.stop();
    await plane.stop();
  }
}

function loadOf(to: To): Parameters<HttpLoad['send']>[0] {
  const bodies = newActions(REQUESTS).map((action) => JSON.stringify(action));
  const path = '/v1/actions?waitMs=10000';
  return { ...to, path, connections: CONNECTIONS, bodies, expected: '"verdict":"' };
}

/** Asks for decisions at a fixed pace, whatever the answers take. */
async function decidedAtPace(to: To): Promise<Sample<keyof Latencies>> {
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  const timesMs = await Promise.all(
    newActions(PACED).map(async (action, n) => {
      await sleep(n * EVERY_MS);
      const askedAt = began + n * EVERY_MS;
      await sent(to, '/v1/actions?waitMs=10000', action);
      return performance.now() - askedAt;
    }),
  );
  return { ...latenciesOf(timesMs), cpuMicros: cpuSince(cpuBefore) / PACED };
}

/** From the answer with the decision until the event has reached a console. */
async function eventLag(to: To): Promise<Row> {
  const headers = { authorization: `Bearer ${to.key}` };
  const listening = get(new URL('/v1/audit/live?events=decision', to.url), { headers });
  const [answer] = await once(listening, 'response');
  const arrivedAt = new Map<string, number>();
  let told = () => {};
  answer.setEncoding('utf8').on('data', (text: string) => {
    for (const [, id = ''] of text.matchAll(/"id":"(dec_[^"]+)"/g))
      if (!arrivedAt.has(id)) arrivedAt.set(id, performance.now());
    told();
  });
  const lags: number[] = [];
  for (const action of newActions(EVENTS)) {
    const { decision } = await sent<{ decision: { id: string } }>(to, '/v1/actions?waitMs=10000', action);
    const answeredAt = performance.now();
    while (!arrivedAt.has(decision.id)) await new Promise<void>((resolve) => (told = resolve));
    lags.push((arrivedAt.get(decision.id) ?? answeredAt) - answeredAt);
  }
  listening.destroy();
  return stated('console: from the answer with a decision until its event, median', 'ms', lags);
}

async function sent<Answer>({ url, key }: To, path: string, body: object): Promise<Answer> {
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Answer;
}
