/**
 * Validates requests by their zod schemas. A fault is reported in the same words as in a record or a file: its place,
 * what belongs there, and the known names beside an unknown one.
 */
import { pointerStep, readShape } from '@mandate/schemas';
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';

export type RequestFaultAt = { pointer: string; detail: string };

/** Fastify adds which part of the request it was. */
export class RequestFault extends Error {
  readonly faults: readonly RequestFaultAt[];
  validationContext?: string;

  constructor(faults: readonly RequestFaultAt[]) {
    super('a request is not as described');
    this.faults = faults;
  }
}

/** How many faults of a request an answer names at most. */
const MOST = 50;

export const validateRequests: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (value) => {
    const read = readPart(schema, value);
    return read.ok ? { value: read.value } : { error: new RequestFault(read.faults) };
  };

export function readPart<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { ok: true; value: T } | { ok: false; faults: readonly RequestFaultAt[] } {
  const read = readShape(schema, value, MOST);
  if (read.ok) return read;
  const faults = read.faults.map(({ path, message }) => ({ pointer: jsonPointer(path), detail: message }));
  return { ok: false, faults };
}

/** RFC 6901. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map(pointerStep).join('');
}
