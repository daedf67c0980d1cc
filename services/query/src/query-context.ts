/** The parts that all routes use. */
import type { Clock } from '@mandate/runtime';
import type { LogPosition } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import type { Asker, BoundedAsk, BoundedExport } from './bounded-ask.ts';

export type QueryContext = { ask: BoundedAsk; file: BoundedExport; clock: Clock };

/** Adds one route, or several related routes. */
export type Route = (server: HttpServer, context: QueryContext) => void;

/**
 * Returns who asks a question: the tenant of the request's key, and a signal that aborts when the connection ends.
 */
export function askerOf(request: Parameters<typeof callerOf>[0]): Asker {
  return { tenant: callerOf(request).tenant, gone: request.signal };
}

/** Moves the log position of a row into one field, `log`. */
export function withLogPosition<Row extends { logTopic: string; logPartition: number; logOffset: number }>(
  row: Row,
): Omit<Row, 'logTopic' | 'logPartition' | 'logOffset'> & { log: LogPosition } {
  const { logTopic: topic, logPartition: partition, logOffset: offset, ...rest } = row;
  return { ...rest, log: { topic, partition, offset } };
}
