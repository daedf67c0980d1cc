/** Reads the body of a request, and changes single values of it. All other bytes reach the upstream as they came. */
import { decodeText } from '@mandate/schemas';
import { foldedKey, type JsonMember, membersOf, replaceSpans } from '@mandate/schemas/json-spans';
import { fieldsOf } from '@mandate/sdk/proxy';
import { HttpProblem } from '@mandate/server';

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
  const members = membersOf(text);
  if (members === null) throw invalid('it is no object');
  const repeated = repeatedKey(members);
  if (repeated !== null) throw invalid(`it has the field ${JSON.stringify(repeated)} twice`);
  return {
    bytes,
    fields,
    with: (values) => (Object.keys(values).length === 0 ? bytes : changed({ text, members }, values)),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'it cannot be parsed');
  }
}

/** The text of an object, and where its members are in it. */
type ObjectText = { text: string; members: readonly JsonMember[] };

function changed({ text, members }: ObjectText, values: Readonly<Record<string, unknown>>): Uint8Array {
  const edits = members.flatMap(({ key, start, end }) =>
    Object.hasOwn(values, key) ? [{ start, end, by: JSON.stringify(values[key]) }] : [],
  );
  const present = new Set(members.map(({ key }) => key));
  const added = Object.entries(values).flatMap(([key, value]) =>
    present.has(key) ? [] : [`${JSON.stringify(key)}:${JSON.stringify(value)}`],
  );
  if (added.length > 0 && members.length > 0) added.push('');
  const begin = text.indexOf('{') + 1;
  return new TextEncoder().encode(
    replaceSpans(text, [...edits, { start: begin, end: begin, by: added.join(',') }]),
  );
}

/**
 * Returns a key that occurs twice. Some servers read the first of two equal keys, and others the last one. Some ignore
 * upper and lower case. So the model that was decided might not be the model that is called.
 */
function repeatedKey(members: readonly JsonMember[]): string | null {
  const seen = new Set<string>();
  for (const { key } of members) {
    const folded = foldedKey(key);
    if (seen.has(folded)) return key;
    seen.add(folded);
  }
  return null;
}

function invalid(why: string): HttpProblem {
  return new HttpProblem(400, 'INVALID_JSON', `the body is not acceptable JSON: ${why}`, {
    remedy: 'Send one JSON object in UTF-8, with each field once.',
  });
}
