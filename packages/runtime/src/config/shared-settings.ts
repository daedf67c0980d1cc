/** Settings that several services use with their own prefix: `<AREA>_PORT`, `<AREA>_HASH_KEY` and so on. */
import { z } from 'zod';

/** Returns the setting for the port of a service's HTTP server. */
export const port = (standard: number) =>
  z.int().min(0).max(65_535).default(standard).describe('the port to listen at; 0 takes any free one');

/** The setting that decides how a log in a file is written to the disk. */
export const synchronous = z
  .enum(['NORMAL', 'FULL'])
  .default('NORMAL')
  .describe(
    'NORMAL survives kill -9. FULL also survives a power loss, at the cost of one disk sync for each commit',
  );

export const redactFields = z
  .array(z.string().min(1))
  .optional()
  .describe('names of fields whose values are never published. When absent: the usual names of secrets');

export const hashFields = z
  .array(z.string().min(1))
  .default([])
  .describe('names of fields that are published as a keyed hash, so that equal values stay equal');

export const hashKey = z
  .string()
  .min(16)
  .optional()
  .meta({ secret: true })
  .describe('the key of the hash of these fields');
