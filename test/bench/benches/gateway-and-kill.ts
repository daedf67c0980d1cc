/**
 * Measures the whole plane over HTTP. 64 connections each wait for a decision, and an operator uses the kill switch.
 * The rival is a bare fastify route that echoes the body.
 */

import type { Plane } from '@mandate/plane';
import { fastify } from 'fastify';
import { compare, stated } from '../measure/compare.ts';
import { figuresOf } from '../measure/load-figures.ts';
import type { Row } from '../row.ts';
import { newActions } from '../workload/actions.ts';
import { type HttpLoad, startHttpLoad } from '../workload/http-load.ts';
import type { To } from '../workload/limit-nothing.ts';
import { planeInProcess } from '../workload/plane-in-process.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const REQUESTS = 4_000;
const CONNECTIONS = 64;
const KILLS = 300;

export async function gatewayAndKill(): Promise<Row[]> {
  using folder = temporaryFolder();
  const { plane, toPlane } = await planeInProcess(folder.path);
  const bare = fastify();
  bare.post('/echo', async (request) => request.body);
  const echo = await bare.listen({ host: '127.0.0.1', port: 0 });
  const client = startHttpLoad();
  try {
    const toEcho = { url: echo, key: null, path: '/echo' };
    return [
      ...(await publishing(plane, client, toPlane, toEcho)),
      ...(await killing(client, toPlane, toEcho)),
      await flagInForce(plane),
    ];
  } finally {
    client.stop();
    await bare.close();
    await plane.stop();
  }
}

type Echo = To & { path: string };

function publishing(plane: Plane, client: HttpLoad, toPlane: To, toEcho: Echo): Promise<Row[]> {
  const load = () => ({
    connections: CONNECTIONS,
    bodies: newActions(REQUESTS).map((action) => JSON.stringify(action)),
  });
  const what = 'POST /v1/actions?waitMs, 64 connections';
  return compare({
    pairs: 5,
    ours: async () => {
      const figures = await figuresOf(client, {
        ...toPlane,
        ...load(),
        path: '/v1/actions?waitMs=10000',
        expected: '"verdict":"',
      });
      // Waits for the recorder to finish, so that it takes no CPU time from the rival.
      await plane.atRest();
      return figures;
    },
    rival: {
      what: 'bare fastify echo, the same bodies',
      run: () => figuresOf(client, { ...toEcho, ...load(), expected: '"agentId":"' }),
    },
    figures: {
      perSecond: { what: `${what}: rate`, unit: '/s' },
      p50Ms: { what: `${what}: p50`, unit: 'ms' },
      p99Ms: { what: `${what}: p99`, unit: 'ms' },
    },
  });
}

function killing(client: HttpLoad, toPlane: To, toEcho: Echo): Promise<Row[]> {
  let round = 0;
  const load = { connections: 1, bodies: Array<string>(KILLS).fill('{"reason":"it ran away"}') };
  return compare({
    pairs: 5,
    ours: () =>
      figuresOf(client, {
        ...toPlane,
        ...load,
        path: `/v1/agents/runaway-${round++}-{{n}}/kill`,
        expected: '"revision":',
      }),
    rival: {
      what: 'bare fastify echo, one connection',
      run: () => figuresOf(client, { ...toEcho, ...load, expected: 'ran away' }),
    },
    figures: {
      perSecond: { what: 'kill answered over HTTP, one after the other', unit: '/s' },
      p50Ms: { what: 'kill answered over HTTP: p50', unit: 'ms' },
      p99Ms: { what: 'kill answered over HTTP: p99', unit: 'ms' },
    },
  });
}

/** Measures the time from the kill until no ALLOW can follow. In one process, the kill is a method call. */
async function flagInForce({ ledger }: Plane): Promise<Row> {
  const timesMicros: number[] = [];
  for (let index = 0; index < 20 * KILLS; index++) {
    const startMs = performance.now();
    await ledger.kill(
      { scope: 'agent', tenant: 'default', agentId: `stray-${index}` },
      { id: `kil_bench_${index}`, by: 'bench', reason: 'it ran away' },
    );
    timesMicros.push((performance.now() - startMs) * 1_000);
  }
  return stated('kill: flag in force in the ledger', 'µs', timesMicros);
}
