/**
 * Parses the values of a topic's records. A record that cannot be read is a result, not an exception. It goes to
 * quarantine, and the later records are recorded.
 */
import type { LogRecord } from '@mandate/bus';
import {
  type AccessRecord,
  type ContextBuilt,
  type DeadLettersRecord,
  type DecisionsRecord,
  readAccessRecord,
  readContextRecord,
  readDeadLettersRecord,
  readDecisionsRecord,
  readSdkRecord,
  type SdkRecord,
  writtenDecision,
} from '@mandate/schemas';
import { z } from 'zod';

export type ReadRecord<R> = { ok: true; record: R } | { ok: false; reason: string };

export function readDecision({ value, written }: LogRecord): ReadRecord<DecisionsRecord> {
  return read(() => writtenDecision(written) ?? readDecisionsRecord(value));
}

export function readDeadLetters({ value }: LogRecord): ReadRecord<DeadLettersRecord> {
  return read(() => readDeadLettersRecord(value));
}

export function readAccess({ value }: LogRecord): ReadRecord<AccessRecord> {
  return read(() => readAccessRecord(value));
}

export function readSdk({ value }: LogRecord): ReadRecord<SdkRecord> {
  return read(() => readSdkRecord(value));
}

export function readContext({ value }: LogRecord): ReadRecord<ContextBuilt> {
  return read(() => readContextRecord(value));
}

function read<R>(reading: () => R): ReadRecord<R> {
  try {
    return { ok: true, record: reading() };
  } catch (error) {
    const said = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return {
      ok: false,
      reason: `Not a record that this version knows. Is its writer newer? Then upgrade the recorder; else keep it off this topic. ${said}`,
    };
  }
}
