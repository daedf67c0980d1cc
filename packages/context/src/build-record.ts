/** The record of one request. A skipped request has a record too. It is the event `context.built` of the plane. */
import type { ContextBuild } from '@mandate/schemas';
import { sortableId } from '@mandate/schemas/core';
import { firstCodePoints } from './code-points.ts';

/** A record without its tenant, which the plane knows from the key that reports it. */
export type BuildRecord = Omit<ContextBuild, 'tenant'>;
export type BuilderStep = BuildRecord['steps']['manifest_builder'];

/** The whole conversation with the model. It is recorded only on demand. */
export type PromptDebug = NonNullable<BuilderStep['prompt_debug']>;

/**
 * Why a build failed.
 * - `BLOCKED`: the plane refused the call, or wants to ask a person. `detail` is the code of its decision.
 * - `UNDECIDED`: there was no decision, so no call was made.
 * - `TIMEOUT`: decision and call together took too long.
 * - `PROVIDER_ERROR`: the provider failed. `detail` is the HTTP status, if it answered.
 * - `CANCELLED`: the caller gave up.
 * - `INTERNAL_ERROR`: the builder itself failed. The other codes name the fault in the answer of the model.
 */
export type BuildError = NonNullable<BuilderStep['error']>;
export type BuildErrorCode = BuildError['code'];

/** Makes the id of a record. It begins with its time, so that records sort by time. */
export function newRecordId(atMs: number): string {
  return sortableId('ctx', atMs, crypto.randomUUID().replaceAll('-', ''));
}

/** A record of the log has at most 256 KiB, and sealing makes a text longer. */
const MOST_UNITS = 40_000;
/** A text of this many code points fits, however it is encoded. */
const CODE_POINTS_THAT_FIT = 8_000;

/** Returns the text if its record stays small enough, otherwise its beginning. */
export function recordable(text: string): string {
  const bytes = new TextEncoder().encode(JSON.stringify(text.slice(0, MOST_UNITS))).length;
  const isSmall = text.length <= MOST_UNITS && bytes <= 1.5 * MOST_UNITS;
  return isSmall ? text : firstCodePoints(text, CODE_POINTS_THAT_FIT).toWellFormed();
}
