/** Encodes and decodes the texts that scripts store and parse. See parts/deliveries.lua. */
import type { ActionType, Charging, Settling, TokenPrice, UnitSettling } from '@mandate/schemas';
import { COUNTER_UNITS, type CounterUnit } from '@mandate/schemas/core';
import { amountsOf, chargingOf } from '@mandate/step';
import { LIMIT_KIND, NONE, SETTLING_FIELDS, TOKEN_PRICE_FIELDS } from './layout.ts';

/** An amount. A large amount is a text, see parts/numbers.lua. */
export type Micros = number | string;

/**
 * A charged counter and its limit, in the unit of the counter. `false` means null here, because Lua treats a null from
 * JSON as true.
 */
export type Charged = [counter: string, windowMs: number | false, most: number | false];

/** Returns the number. Throws if it is not a safe integer. */
export function integer(number: number): number {
  if (!Number.isSafeInteger(number)) throw new RangeError(`not an integer: ${number}`);
  return number;
}

type Settled = { charging: Charging; settling: Settling };
type Request = {
  digest: string;
  agentId: string;
  actionId: string;
  idempotencyKey: string | null;
  appendedAtMs: number;
  type: ActionType;
  tool: string | null;
  plan: Settled;
};

/** Returns the words of a request, separated by spaces. Neither ids nor JSON of numbers contain a space. */
export function requestWords(request: Request): string {
  const { digest, agentId, actionId, idempotencyKey, appendedAtMs, plan } = request;
  const key = idempotencyKey ?? '';
  return `${digest} ${agentId} ${actionId} ${key} ${appendedAtMs} ${callWord(request)} ${settlingWord(plan)}`;
}

/** Returns the tool of a tool call after a colon, or the type of another action. No type begins with a colon. */
export function callWord({ type, tool }: Pick<Request, 'type' | 'tool'>): string {
  return tool === null ? type : `:${tool}`;
}

export function callIn(word: string): Pick<Request, 'type' | 'tool'> {
  return word.startsWith(':')
    ? { type: 'tool_call', tool: word.slice(1) }
    : { type: word as ActionType, tool: null };
}

export function requestIn(words: string): Request {
  const [digest = '', agentId = '', actionId = '', key = '', appendedAt, call = '', settled = ''] =
    words.split(' ');
  return {
    digest,
    agentId,
    actionId,
    idempotencyKey: key === '' ? null : key,
    appendedAtMs: Number(appendedAt),
    ...callIn(call),
    plan: settlingIn(settled),
  };
}

type Field = (typeof SETTLING_FIELDS)[number];

/**
 * Returns how an outcome settles a lease, as JSON. layout.ts has the order of the fields. Only calls with token prices
 * have a list of prices at the end.
 */
function settlingWord({ charging, settling }: Settled): string {
  const { leastMicros, ownLeastMicros, mostMicros, markMicros, releases, open, tokenPrices } = settling;
  const values: Record<Field, string | number> = {
    type: charging.type,
    leastMicros: integer(leastMicros),
    ownLeastMicros: integer(ownLeastMicros),
    mostMicros: integer(mostMicros),
    markMicros: integer(markMicros ?? NONE),
    releasesMicros: integer(releases?.micros ?? NONE),
    percent: integer(releases?.percent ?? 0),
    open: open ? 1 : 0,
  };
  return JSON.stringify([
    ...SETTLING_FIELDS.map((field) => values[field]),
    ...amountsOf(charging).map(integer),
    ...(tokenPrices === undefined ? [] : [tokenPrices.map(priceRow)]),
  ]);
}

/**
 * Returns what a lease reserved in a unit as a word, without the amount: see parts/units.lua. The settling has the
 * fields of money, so that one script settles both.
 *
 * @param releases the name of the agent's counter of releases in this unit
 * @param charges the charged counters, as JSON
 */
export function unitWord(
  unit: CounterUnit,
  settling: UnitSettling,
  { releases, charges }: { releases: string; charges: string },
): string {
  const { charging, most, releases: bound } = settling;
  const values: Record<Field, string | number> = {
    type: charging,
    leastMicros: 0,
    ownLeastMicros: 0,
    mostMicros: integer(most),
    markMicros: NONE,
    releasesMicros: integer(bound?.amount ?? NONE),
    percent: integer(bound?.percent ?? 0),
    open: 0,
  };
  const row = SETTLING_FIELDS.map((field) => values[field]);
  return `[${LIMIT_KIND[unit]},${JSON.stringify(row)},${JSON.stringify(releases)},${charges}]`;
}

export function unitIn(word: string): { unit: CounterUnit; settling: UnitSettling; charges: Charged[] } {
  const [kind, row, , charges] = JSON.parse(word) as [number, (string | number)[], string, Charged[]];
  const value = (field: Field) => row[SETTLING_FIELDS.indexOf(field)];
  const amount = value('releasesMicros') as number;
  return {
    unit: unitOfKind(kind),
    settling: {
      charging: value('type') as UnitSettling['charging'],
      most: value('mostMicros') as number,
      releases: amount === NONE ? null : { amount, percent: value('percent') as number },
    },
    charges,
  };
}

/** Returns the unit of a kind of limit. */
export function unitOfKind(kind: number): CounterUnit {
  const unit = COUNTER_UNITS.find((one) => LIMIT_KIND[one] === kind);
  if (unit === undefined) throw new TypeError(`kind ${kind} is no unit`);
  return unit;
}

function settlingIn(word: string): Settled {
  const reply = JSON.parse(word) as (string | number | number[][])[];
  const prices = reply.at(-1);
  if (Array.isArray(prices)) reply.pop();
  const values = Object.fromEntries(SETTLING_FIELDS.map((field, at) => [field, reply[at]])) as {
    [name in Exclude<Field, 'type'>]: number;
  } & { type: Charging['type'] };
  const { leastMicros, ownLeastMicros, mostMicros, markMicros, releasesMicros, percent } = values;
  return {
    charging: chargingOf(values.type, reply.slice(SETTLING_FIELDS.length) as number[]),
    settling: {
      leastMicros,
      ownLeastMicros,
      mostMicros,
      markMicros: markMicros === NONE ? null : markMicros,
      releases: releasesMicros === NONE ? null : { micros: releasesMicros, percent },
      open: values.open === 1,
      ...(Array.isArray(prices) && { tokenPrices: prices.map(priceIn) }),
    },
  };
}

function priceRow(price: TokenPrice): number[] {
  return TOKEN_PRICE_FIELDS.map((field) => integer(price[field]));
}

function priceIn(row: readonly number[]): TokenPrice {
  return Object.fromEntries(TOKEN_PRICE_FIELDS.map((field, at) => [field, row[at]])) as TokenPrice;
}
