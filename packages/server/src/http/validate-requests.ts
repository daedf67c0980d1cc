/**
 * Validates requests by their zod schemas. A fault has the same words as in a record or a file: the position of the
 * fault, the expected value, and the known names closest to an unknown name.
 */
import { pointerStep, readShape } from '@mandate/schemas';
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';

export type RequestFaultAt = { pointer: string; detail: string };

/** A fault of a request. Fastify adds which part of the request has the fault. */
export class RequestFault extends Error {
  readonly faults: readonly RequestFaultAt[];
  validationContext?: string;

  constructor(faults: readonly RequestFaultAt[]) {
    super('a request is not as described');
    this.faults = faults;
  }
}

/** The maximum number of faults in an answer. */
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

/** Returns the path as a JSON pointer (RFC 6901). */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map(pointerStep).join('');
}
