/** Reads the declared outputs of a step from the last answer of the model. */
import type { Json } from '@mandate/schemas';
import { readStrictly } from '../models/read-reply.ts';
import type { DeclaredOutputs } from './step.ts';

type ReadOutput = { ok: true; output: Json } | { ok: false; fault: string };

/** Matches one code fence around the whole text. */
const FENCE = /^```[a-z]*\n(.*)\n```$/is;

export function readOutput(text: string, outputs: DeclaredOutputs | null): ReadOutput {
  if (outputs === null) return { ok: true, output: text };
  const trimmed = text.trim();
  const value = readStrictly(FENCE.exec(trimmed)?.[1] ?? trimmed);
  if (value === undefined) return { ok: false, fault: 'it is not one JSON value, or has keys twice' };
  const fault = outputs.faultOf(value);
  return fault === null ? { ok: true, output: value } : { ok: false, fault };
}

/** The message to the model about an answer that cannot be read. */
export function askToCorrect(fault: string): string {
  return `Your answer cannot be used: ${fault}. Answer again with the corrected JSON value alone.`;
}
