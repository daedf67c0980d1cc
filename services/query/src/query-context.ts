/** What all routes share. */
import type { Clock } from '@mandate/runtime';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Asker, BoundedAsk, BoundedExport } from './bounded-ask.ts';

export type QueryContext = { ask: BoundedAsk; file: BoundedExport; clock: Clock };

/** A route, or several that belong together. */
export type Route = (server: HttpServer, context: QueryContext) => void;

/** Returns the caller of a request. Its signal aborts when the connection ends. */
export function askerOf(request: Parameters<typeof callerOf>[0]): Asker {
  return { tenant: callerOf(request).tenant, gone: request.signal };
}

/** The log position of a record. */
export const logPosition = z.object({ topic: z.string(), partition: z.int(), offset: z.int() });

/** Moves the log position of a row into the field `log`. */
export function withLogPosition<Row extends { logTopic: string; logPartition: number; logOffset: number }>(
  row: Row,
): Omit<Row, 'logTopic' | 'logPartition' | 'logOffset'> & { log: z.output<typeof logPosition> } {
  const { logTopic: topic, logPartition: partition, logOffset: offset, ...rest } = row;
  return { ...rest, log: { topic, partition, offset } };
}
