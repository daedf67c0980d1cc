/**
 * Records that an attacker or a broken program may put on an actions topic. Each has its expected result: a dead
 * letter, or a decision if it can still be read.
 */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { CAPS } from '@mandate/schemas';

export type Poison = {
  name: string;
  key: string | null;
  value: Buffer;
  /** The reason that the record's dead letter must give. Null if the record is decided. */
  reason: RegExp | null;
};

/** Returns a request of the agent `poison`. `fields` is JSON for fields other than `args`. */
function asking(args: string, fields = ''): string {
  return `{"event":"action.requested","action":{"id":"${ID}","agentId":"poison","type":"tool_call","tool":"look"${fields},"args":${args}}}`;
}
/** A placeholder for an id. In each record it is replaced by an id that no other record has. */
const ID = 'POISON';

const harmless = asking('{}');
const half = String.raw`\ud83d`;
const nested = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times);
const keys = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":1`).join();
const items = (item: string) =>
  Array<string>(Math.floor(CAPS.recordBytes / (item.length + 1)) - 200).fill(item);
const spoilt = (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  copy.fill(0xa5, copy.length >> 1, (copy.length >> 1) + 8);
  return copy;
};

const REFUSED: readonly (readonly [name: string, value: string | Buffer, reason: RegExp])[] = [
  ['nothing', '', /empty/],
  ['blanks', ' \n\t ', /JSON value is expected/],
  ['half an object', harmless.slice(0, -2), /ends where/],
  ['two objects', `${harmless}\n${harmless}`, /more text follows the end/],
  ['a list of records', `[${harmless}]`, /must be an object/],
  ['null', 'null', /must be an object/],
  ['10 MB of blanks', Buffer.alloc(10_000_000, ' '), /10000000 bytes/],
  ['10 MB of brackets', Buffer.alloc(10_000_000, '['), /10000000 bytes/],
  ['more than is allowed', harmless.padEnd(CAPS.recordBytes + 10), /262144 are allowed/],
  ['zstd', zstdCompressSync(harmless), /not UTF-8/],
  ['zstd, damaged', spoilt(zstdCompressSync(harmless)), /not UTF-8/],
  ['gzip', gzipSync(harmless), /not UTF-8/],
  ['UTF-16', Buffer.from(harmless, 'utf16le'), /not UTF-8/],
  ['a byte order mark', `\ufeff${harmless}`, /byte order mark/],
  ['a byte that is no UTF-8', Buffer.concat([Buffer.from(harmless), Buffer.of(0xff)]), /not UTF-8/],
  ['a character written too long', Buffer.from('7b22c0af223a317d', 'hex'), /not UTF-8/],
  ['half a character as UTF-8', Buffer.from('22eda0bd22', 'hex'), /not UTF-8/],
  ['NUL bytes', Buffer.alloc(1_000), /JSON value is expected/],
  ['NUL behind the end', `${harmless}\0`, /more text follows the end/],
  ['NUL in a text', asking('{"a":"\0"}'), /control character/],
  ['depth 10,000 of lists', asking(`{"a":${nested('[', ']', 10_000)}}`), /deeper than 32/],
  ['depth 10,000 of objects', asking(nested('{"a":', '}', 10_000).replace(':}', ':1}')), /deeper than 32/],
  ['depth 200,000, never closed', '['.repeat(200_000), /deeper than 32/],
  ['duplicate keys', asking('{"amount":1,"amount":1000}'), /is used twice/],
  ['duplicate keys by an escape', asking(String.raw`{"amount":1,"\u0061mount":1000}`), /is used twice/],
  ['two actions', harmless.replace('"action"', '"action":{},"action"'), /is used twice/],
  ['__proto__', asking('{"__proto__":{"admin":true}}'), /__proto__/],
  ['__proto__ by an escape', asking(String.raw`{"__pro\u0074o__":{}}`), /__proto__/],
  ['constructor', asking('{"constructor":{"prototype":{}}}'), /constructor/],
  ['half a pair', asking(`{"a":"${half}"}`), /half of a surrogate pair/],
  ['half a pair in a key', asking(`{"${half}":1}`), /half of a surrogate pair/],
  ['half a pair in an id', harmless.replace(ID, half), /half of a surrogate pair/],
  ['NaN', asking('{"a":NaN}'), /not JSON/],
  ['Infinity', asking('{"a":-Infinity}'), /not JSON/],
  ['hexadecimal', asking('{"a":0x10}'), /not JSON/],
  ['1e400', asking('{"a":1e400}'), /too large/],
  ['2^53 + 1', asking('{"a":9007199254740993}'), /beyond 2\^53-1/],
  ['a cost of 2^53', asking('{}', ',"estimatedCostMicros":9007199254740992'), /beyond 2\^53-1/],
  ['a negative cost', asking('{}', ',"estimatedCostMicros":-1'), /estimatedCostMicros/],
  ['half a micro-dollar', asking('{}', ',"estimatedCostMicros":0.5'), /estimatedCostMicros/],
  ['an integer of 100,000 digits', asking(`{"a":${'9'.repeat(100_000)}}`), /too large/],
  ['a fraction of 100,000 digits', asking(`{"a":0.${'3'.repeat(100_000)}}`), /would be rounded/],
  ['an exponent of 100,000 digits', asking(`{"a":1e${'9'.repeat(100_000)}}`), /too large/],
  ['100,000 keys', asking(`{${keys(20_000)}}`), /1000 keys/],
  ['100,000 keys, and too long', asking(`{${keys(100_000)}}`), /bytes/],
  ['lists without end', asking(`{"a":[${items('[]')}]}`), /20000 elements/],
  ['objects without end', asking(`{"a":[${items('{}')}]}`), /20000 elements/],
  ['numbers without end', asking(`{"a":[${items('1')}]}`), /20000 elements/],
  ['texts without end', asking(`{"a":[${items('""')}]}`), /20000 elements/],
  ['a text of 100,000 characters', asking(`{"a":"${'x'.repeat(100_000)}"}`), /100000 characters/],
  ['an unknown event', harmless.replace('requested', 'permitted'), /event/],
  ['a field that nobody knows', asking('{}', ',"verdict":"ALLOW"'), /verdict/],
  ['an id with a line break', harmless.replace(ID, String.raw`a\nb`), /no line break/],
  ['an id that turns the text round', harmless.replace(ID, String.raw`a\u202eb`), /cannot be seen/],
  ['a tenant that would be another topic', asking('{}', ',"tenant":"../acme"'), /tenant/],
  ['YAML', 'event: action.requested', /JSON value is expected|not JSON/],
  ['single quotes', harmless.replaceAll('"', "'"), /key in double quotes/],
];

const DECIDED: readonly (readonly [name: string, value: string])[] = [
  ['no key', harmless],
  ['blanks around it, as many as fit', harmless.padEnd(CAPS.recordBytes - 100)],
  ['depth 32', asking(`{"a":${nested('[', ']', CAPS.depth - 3)}}`)],
  ['as many keys as fit', asking(`{${keys(CAPS.keys - 8)}}`)],
  ['as many elements as fit', asking(`{"a":[${Array(CAPS.elements).fill('{}')}]}`)],
  ['deep lists, as many as fit', asking(`{"a":[${Array(700).fill(nested('[', ']', 28))}]}`)],
  ['2^53 - 1', asking('{"a":9007199254740991}')],
  ['escapes alone', asking(`{"a":"${String.raw`\u0041`.repeat(40_000)}"}`)],
  ['pairs by escapes', asking(`{"a":"${String.raw`\ud83d\ude00`.repeat(20_000)}"}`)],
  ['SQL that never ends', asking(`{"query":"${"/* -- ' ".repeat(8_000)}"}`)],
  ['a path that climbs for ever', asking(`{"path":"${'../'.repeat(20_000)}"}`)],
  ['words that may be paths', asking(`{"path":"${'a/b '.repeat(15_000)}"}`)],
  ['percent signs', asking(`{"path":"${'%25'.repeat(20_000)}"}`)],
  ['what a regular expression would go round for', asking(`{"a":"${'a'.repeat(50_000)}!"}`)],
];

/** Returns all hostile records. Each readable request gets its own id, which begins with `prefix`. */
export function poison(prefix: string): Poison[] {
  const all = [
    ...REFUSED.map(([name, value, reason]) => ({ name, value, reason })),
    ...DECIDED.map(([name, value]) => ({ name, value, reason: null })),
  ];
  return all.map(({ name, value, reason }, at) => ({
    name,
    key: at % 2 === 0 ? null : 'default/poison',
    value: typeof value === 'string' ? Buffer.from(value.replace(ID, `${prefix}-${at}`)) : value,
    reason,
  }));
}

/**
 * Returns `count` of the most expensive records that can still be read. A single record costs little, but a batch of
 * them could block other work.
 */
export function dear(prefix: string, count: number): Buffer[] {
  return Array.from({ length: count }, (_, n) =>
    Buffer.from(
      asking(`{"a":[${Array(CAPS.elements / 2).fill('[{}]')}],"b":"${'a/b '.repeat(16_000)}"}`).replace(
        ID,
        `${prefix}-${n}`,
      ),
    ),
  );
}
