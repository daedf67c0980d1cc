/** Changes one value in JSON at a JSON pointer (RFC 6901): `/action/args/amount=50`. */
import { type Json, JsonFault, keysIn, readJson } from '@mandate/schemas';
import { CommandFailure } from '../exit-codes.ts';

/** `value: undefined` removes the field. */
export type Change = { pointer: string; value: Json | undefined };

/** Reads `/pointer=value`. The value is JSON, or otherwise a text. null if the form differs. */
export function changeIn(text: string): Change | null {
  const [, pointer, written = ''] = /^((?:\/[^=]*)+)=([\s\S]*)$/.exec(text) ?? [];
  return pointer === undefined ? null : { pointer, value: writtenValue(written, pointer) };
}

/** JSON that the plane refuses, such as a number that would be rounded, does not count as a text. */
function writtenValue(written: string, pointer: string): Json {
  try {
    return readJson(written);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    if (isJson(written)) throw new CommandFailure(2, `${pointer}: ${error.message}`, error.remedy);
    return written;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The same JSON with the change. All fields on the way must exist; the last field may be missing. */
export function changed(json: Json, { pointer, value }: Change): Json {
  return changedAt(json, keysIn(pointer), { pointer, value });
}

function changedAt(json: Json, [step, ...deeper]: readonly string[], change: Change): Json {
  if (step === undefined) return change.value ?? null;
  const last = deeper.length === 0;
  if (Array.isArray(json)) {
    const at = step === '-' && last ? json.length : Number(step);
    const isThere =
      /^\d{1,9}$|^-$/.test(step) && at < json.length + (last && change.value !== undefined ? 1 : 0);
    if (!isThere) throw nothingThere(change.pointer, step);
    if (last && change.value === undefined) return json.toSpliced(at, 1);
    return json.toSpliced(at, 1, changedAt(json[at] ?? null, deeper, change));
  }
  if (typeof json !== 'object' || json === null) throw nothingThere(change.pointer, step);
  const isThere = Object.hasOwn(json, step);
  if (!isThere && !(last && change.value !== undefined)) throw nothingThere(change.pointer, step);
  const entries = Object.entries(json);
  if (last && change.value === undefined) return Object.fromEntries(entries.filter(([key]) => key !== step));
  const inside = changedAt(json[step] ?? null, deeper, change);
  return Object.fromEntries(
    isThere
      ? entries.map(([key, kept]) => [key, key === step ? inside : kept])
      : [...entries, [step, inside]],
  );
}

function nothingThere(pointer: string, step: string): CommandFailure {
  return new CommandFailure(2, `${pointer} leads nowhere: the record has no ${JSON.stringify(step)} there`);
}
