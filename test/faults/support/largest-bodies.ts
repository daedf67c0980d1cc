/**
 * Makes bodies of the maximum size for a route, from hostile pieces. The pieces are alone or inside an example of the
 * route's body.
 */
import { CAPS } from '@mandate/schemas';
import { type Hostile, KNOWN_HOSTILE, TOKENS, textAt } from '../../laws/arbitrary-hostile.ts';

/**
 * Where the hostile text is. `bare`: there is only the hostile text. `list`: the example is repeated as often as it
 * fits. `text`: each text of the example is replaced. `elements`: the elements of each list of the example are
 * replaced. `members`: the text is in a new member of the example.
 */
const WITHIN = ['bare', 'list', 'text', 'elements', 'members'] as const;
type Within = (typeof WITHIN)[number];

export type Body = { within: Within; hostile: Hostile };

/** The size of a body in bytes, a little less than the limit of 1 MiB. */
const MOST_BYTES = 1024 * 1024 - 2_000;

const grows = (...texts: string[]): Hostile => texts.map((text) => ({ text, grows: true }));

export const KNOWN_BODIES: readonly Body[] = [
  ...KNOWN_HOSTILE.map((hostile) => ({ within: 'bare' as const, hostile })),
  { within: 'bare', hostile: grows('{"a":1},') },
  { within: 'list', hostile: [] },
  { within: 'text', hostile: grows('\\') },
  { within: 'elements', hostile: grows('1,') },
  { within: 'members', hostile: grows('[],') },
];

export function drawnBody(random: () => number): Body {
  return { within: pick(WITHIN, random), hostile: drawnHostile(random) };
}

/** Returns a random variation of the body. */
export function changedBody({ within, hostile }: Body, random: () => number): Body {
  if (hostile.length === 0 || random() < 0.25) return { within: pick(WITHIN, random), hostile };
  const at = Math.floor(random() * hostile.length);
  const other = drawnHostile(random);
  if (random() < 0.5)
    return { within, hostile: [...hostile.slice(0, at), ...other.slice(0, 1), ...hostile.slice(at)] };
  return { within, hostile: hostile.with(at, other[0] ?? { text: 'a', grows: true }) };
}

function drawnHostile(random: () => number): Hostile {
  const pieces = 1 + Math.floor(random() * 4);
  return Array.from({ length: pieces }, () => ({
    text: Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(TOKENS, random)).join(''),
    grows: random() < 0.7,
  }));
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Returns the body as text. */
export function written({ within, hostile }: Body, example: unknown): string {
  const one = JSON.stringify(example);
  if (within === 'bare') return grown(hostile, MOST_BYTES);
  if (within === 'list')
    return `[${Array(Math.floor(MOST_BYTES / (one.length + 1)))
      .fill(one)
      .join()}]`;
  const room = MOST_BYTES - one.length;
  if (within === 'text') {
    // The hostile text gets a sixth of the room, because a character takes up to six bytes when it is escaped.
    const text = grown(hostile, Math.min(CAPS.stringUnits, Math.floor(room / 6)));
    return JSON.stringify(replaced(example, (value) => (typeof value === 'string' ? text : undefined)));
  }
  const elements = grown(hostile, room).replace(/,$/, '');
  const marked =
    within === 'elements'
      ? replaced(example, (value) => (Array.isArray(value) ? [MARK] : undefined))
      : { ...Object(example), [MARK]: [MARK] };
  return JSON.stringify(marked).replace(`"${MARK}"]`, () => `${elements}]`);
}

const MARK = 'hostile-elements';

/** Returns the longest form of the hostile text that fits into this number of bytes. */
function grown(hostile: Hostile, bytes: number): string {
  const [none, one] = [0, 1].map((times) => Buffer.byteLength(textAt(hostile, times))) as [number, number];
  const times = one > none ? Math.floor((bytes - none) / (one - none)) : 1;
  return textAt(hostile, Math.max(0, times));
}

/** Returns a copy with some values replaced: each value for which `by` returns another value. */
function replaced(value: unknown, by: (value: unknown) => unknown): unknown {
  const other = by(value);
  if (other !== undefined) return other;
  if (Array.isArray(value)) return value.map((element) => replaced(element, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, by)]));
}
