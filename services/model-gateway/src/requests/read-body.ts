/** Reads the body of a request, and changes single values of it. All other bytes reach the upstream as they came. */
import { decodeText } from '@mandate/schemas';
import { fieldsOf } from '@mandate/sdk/proxy';
import { HttpProblem } from '@mandate/server';
import { type ObjectText, objectText, repeatedName } from './top-level-members.ts';

export type Body = {
  bytes: Uint8Array;
  fields: Readonly<Record<string, unknown>>;
  /** Returns the bytes with other values of these members. A member that is absent is added. */
  with(values: Readonly<Record<string, unknown>>): Uint8Array;
};

/** @throws HttpProblem 400 INVALID_JSON */
export function readBody(bytes: Uint8Array): Body {
  const decoded = decodeText(bytes);
  if (!decoded.ok) throw invalid(`it is ${decoded.fault.message}`);
  const { text } = decoded;
  const fields = parsed(text);
  const object = objectText(text);
  if (object === null) throw invalid('it is no object');
  const repeated = repeatedName(object);
  if (repeated !== null) throw invalid(`it has the field ${JSON.stringify(repeated)} twice`);
  return {
    bytes,
    fields,
    with: (values) => (Object.keys(values).length === 0 ? bytes : changed(text, object, values)),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'it cannot be parsed');
  }
}

function changed(text: string, { begin, members }: ObjectText, values: Readonly<Record<string, unknown>>) {
  const pieces: string[] = [];
  let at = begin;
  for (const { name, start, end } of members) {
    if (!Object.hasOwn(values, name)) continue;
    pieces.push(text.slice(at, start), JSON.stringify(values[name]));
    at = end;
  }
  pieces.push(text.slice(at));
  const present = new Set(members.map(({ name }) => name));
  const added = Object.entries(values).flatMap(([name, value]) =>
    present.has(name) ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`],
  );
  if (added.length > 0 && members.length > 0) added.push('');
  return new TextEncoder().encode(text.slice(0, begin) + added.join(',') + pieces.join(''));
}

function invalid(why: string): HttpProblem {
  return new HttpProblem(400, 'INVALID_JSON', `the body is not acceptable JSON: ${why}`, {
    remedy: 'Send one JSON object in UTF-8, with each field once.',
  });
}
