/** A recorder, the query service and a growing log, on a ClickHouse server that the test breaks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditClient, openServerAudit } from '@mandate/audit';
import { queryRoutes } from '@mandate/query';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { createHttpServer, createMetrics, issueApiKey, memoryKeyStore } from '@mandate/server';
import type { ClickHouseServer } from '@mandate/testing';
import { expect } from 'vitest';
import type { Recording } from '../../e2e/audit/support/recording.ts';
import { deadLettersOf, decisionOf, type Get, recordsOf } from './audited-traffic.ts';

/**
 * The time limits of an answer, in ms. `meanwhile` is for an answer that may fail during a fault. It is shorter than
 * the shortest fault of a test, so that answers do fail. `afterwards` is for an answer that must come, even on a busy
 * machine.
 */
export const ANSWER_MS = { meanwhile: 2_500, afterwards: 120_000 };

export type Measured = Awaited<ReturnType<Recording['record']>>;

/** Returns the query service, for the operator of the tenant `acme`. */
export async function queryServiceOn({ url }: ClickHouseServer, database: string, timeoutMs: number) {
  const audit = await openAudit(url, database, timeoutMs);
  const { key, record } = issueApiKey({
    tenant: 'acme',
    scopes: ['audit', 'operate', 'operate:all'],
    agents: ['*'],
    name: 'operator',
  });
  const log = silentLogger();
  const metrics = createMetrics({ service: 'query' });
  const keys = memoryKeyStore([record]);
  const readiness = async () => [];
  const server = await createHttpServer({ service: 'query', version: '0', log, metrics, keys, readiness });
  await server.register(queryRoutes({ audit, bus: null, log, metrics, clock: Date.now, timeoutMs }));
  const get: Get = async (path, query = {}) => {
    const answer = await server.inject({ method: 'GET', url: path, query, headers: { 'x-api-key': key } });
    if (answer.statusCode === 503) throw new Away(answer.body);
    expect({ path, status: answer.statusCode }).toEqual({ path, status: 200 });
    return answer.json();
  };
  return {
    get,
    async [Symbol.asyncDispose]() {
      await server.close();
      await audit.close();
    },
  };
}

/** The error of a request that the query service cannot answer at the moment. */
export class Away extends Error {}

export function openAudit(
  url: string,
  database: string,
  timeoutMs: number,
  username = 'default',
): Promise<AuditClient> {
  // Requests are not compressed. So a test can read from a request which insert it is.
  return openServerAudit({ url, username, password: '', database, timeoutMs, compress: false });
}

/** Appends the records of one number after the other until `stop` is called. Some decisions are appended twice. */
export function produce(recording: Recording) {
  let isOn = true;
  let next = 0;
  let appendedOnce = 0;
  const done = (async () => {
    while (isOn) {
      const numbers = Array.from({ length: 10 }, (_, at) => next + at);
      const letters = numbers
        .flatMap(deadLettersOf)
        .map((letter) => ({ key: null, value: JSON.stringify(letter) }));
      if (letters.length > 0) await recording.bus.append(TOPICS.deadLetters, letters);
      const records = [...numbers.flatMap(recordsOf), decisionOf(Math.max(0, next - 30))];
      await recording.append(records);
      appendedOnce += records.filter(({ event }) => event !== 'action.decided').length;
      next += 10;
      await sleep(50);
    }
  })();
  return {
    numbers: () => next,
    /** The number of records on the log that are appended only once. All records except decisions are. */
    appendedOnce: () => appendedOnce,
    stop() {
      isOn = false;
      return done;
    },
  };
}

/** Returns the sum of a metric over all its labels. */
export async function metric({ metrics }: Measured, name: string): Promise<number> {
  const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.reduce((sum, { value }) => sum + value, 0);
}
