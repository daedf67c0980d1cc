/**
 * Writes the tables that TypeScript and Lua share as Lua source. `npm run generate` uses it to write
 * parts/constants.lua.
 */
import { BUDGET_BUCKETS, COUNTER_UNITS, DEFAULTS, TURN_FAILURES } from '@mandate/schemas/core';
import {
  CHARGING_TABLE,
  type ChargingRow,
  NOT_PLANNED,
  VERDICT_OF_GRANT,
  VERDICT_OF_TURN,
  VERDICT_OF_UNIT,
  VERDICTS,
  type VerdictRow,
} from '@mandate/step';
import {
  DECISION_BODY,
  DELIVERY_HEAD,
  LEASE_RESULTS,
  LIMIT_KIND,
  NONE,
  SETTLING_FIELDS,
  TOKEN_PRICE_FIELDS,
  TURN_COUNT,
  VERDICT_BYTES,
} from './layout.ts';

/** The tables of packages/step. They are a parameter, so that a test can change a row. */
export type StepTables = {
  verdicts: Readonly<Record<string, VerdictRow>>;
  verdictOfGrant: Readonly<Record<string, string>>;
  verdictOfTurn: Readonly<Record<string, string>>;
  verdictOfUnit: Readonly<Record<string, string>>;
  charging: Readonly<Record<string, ChargingRow>>;
};

const STEP_TABLES: StepTables = {
  verdicts: VERDICTS,
  verdictOfGrant: VERDICT_OF_GRANT,
  verdictOfTurn: VERDICT_OF_TURN,
  verdictOfUnit: VERDICT_OF_UNIT,
  charging: CHARGING_TABLE,
};

export function luaConstants({
  verdicts,
  verdictOfGrant,
  verdictOfTurn,
  verdictOfUnit,
  charging,
}: StepTables = STEP_TABLES): string {
  const head = formatOf(DELIVERY_HEAD);
  const body = formatOf(DECISION_BODY);
  const bodyAt = 1 + bytesOf(DELIVERY_HEAD);
  return `-- Made by \`npm run generate\` from packages/step and layout.ts. Do not edit it.

local LARGEST = ${Number.MAX_SAFE_INTEGER}
local BUDGET_BUCKETS = ${BUDGET_BUCKETS}
local OPEN_WINDOW_MS = ${DEFAULTS.openWindowMs}

-- Stands for null, because no amount, time or index is below zero.
local NONE = ${NONE}

-- The number of each kind of limit.
local BUDGET, RATE, CONFIRMATION, TURN = ${[LIMIT_KIND.budget, LIMIT_KIND.rate, LIMIT_KIND.confirmation, LIMIT_KIND.turn].join(', ')}

-- The number of a limit in each unit other than money.
local UNIT = ${list(COUNTER_UNITS.map((unit) => `${snake(unit)} = ${LIMIT_KIND[unit]}`))}

-- The number of each count of a turn.
local TOOL_CALLS, MODEL_CALLS = ${TURN_COUNT.tool}, ${TURN_COUNT.model}

-- { verdict, code, final }. Without \`final\` a counter decides: the refusal is final unless a wait frees it.
local VERDICT = ${table(Object.entries(verdicts).map(([name, row]) => [snake(name), verdictIn(row)]))}

-- The verdict of a call that does not fit into a limit in a unit other than money, by the kind of the limit. Only these
-- kinds are units.
local VERDICT_OF_UNIT = ${list(COUNTER_UNITS.map((unit) => `[${LIMIT_KIND[unit]}] = VERDICT.${snake(verdictOfUnit[unit] ?? '')}`))}

-- The verdict of a request that a person must confirm, by the answer so far.
local VERDICT_OF_GRANT = ${table(Object.entries(verdictOfGrant).map(([grant, name]) => [grant, `VERDICT.${snake(name)}`]))}

-- The verdict of a call that does not fit into its turn, by the number of the failure.
local TURN_FAILURE = ${table(TURN_FAILURES.map((name, at) => [name, String(at + 1)]))}
local VERDICT_OF_TURN = ${list(TURN_FAILURES.map((name) => `VERDICT.${snake(verdictOfTurn[name] ?? '')}`))}

-- Observe mode does not lift this refusal.
local NOT_PLANNED = ${text(NOT_PLANNED)}

-- For each charging: the amounts that each outcome keeps, and the amount charged for a success without an actual cost
-- (false if actual costs do not count).
local CHARGING = ${table(Object.entries(charging).map(([type, row]) => [type, chargingIn(row)]))}

-- The array that says how an outcome settles a lease: the index of each field. The amounts of the charging come after \`fields\`.
-- If the call has token prices, the last element is the list of them.
local SETTLING = ${table([...SETTLING_FIELDS.map((name, at) => [snake(name), String(at + 1)] as const), ['fields', String(SETTLING_FIELDS.length)]])}

-- The array of a token price: the index of each field.
local TOKEN_PRICE = ${table(TOKEN_PRICE_FIELDS.map((name, at) => [snake(name), String(at + 1)]))}

-- How a delivery is packed. parts/deliveries.lua explains the fields. The body begins at byte body_at, and the words
-- of a decision begin at byte words_at.
-- The head packs: ${namesOf(DELIVERY_HEAD)}
-- The body packs: ${namesOf(DECISION_BODY)}
local DELIVERY = {
  head = '<${head}',
  body = '<${body}',
  decision = '<${head}${body}',
  body_at = ${bodyAt},
  words_at = ${bodyAt + bytesOf(DECISION_BODY)},
}
local VERDICT_OF_BYTE = ${list(VERDICT_BYTES.map(text))}
local VERDICT_BYTE = ${list(VERDICT_BYTES.map((verdict, at) => `${verdict} = ${at + 1}`))}
local STATE_OF_BYTE = ${list(LEASE_RESULTS.map(resultIn))}
local STATE_BYTE = ${list(LEASE_RESULTS.map((result, at) => `[${resultIn(result)}] = ${at + 1}`))}
`;
}

function verdictIn({ verdict, code, final }: VerdictRow): string {
  return list([text(verdict), text(code), ...(final === null ? [] : [String(final)])]);
}

function chargingIn({ amounts, failed, succeeded, verified, estimate }: ChargingRow): string {
  const indices = (names: readonly string[]) => list(names.map((name) => String(indexIn(amounts, name))));
  return list([
    `failed = ${indices(failed)}`,
    `succeeded = ${indices(succeeded)}`,
    `verified = ${indices(verified)}`,
    `estimate = ${estimate === null ? 'false' : indexIn(amounts, estimate)}`,
  ]);
}

/** Returns the index in Lua, which counts from 1. */
function indexIn(names: readonly string[], name: string): number {
  const at = names.indexOf(name);
  if (at === -1) throw new TypeError(`"${name}" is not among the amounts ${names.join(', ')}`);
  return at + 1;
}

const BYTES = { c1: 1, d: 8, B: 1 };

function bytesOf(fields: typeof DELIVERY_HEAD): number {
  return fields.reduce((sum, [, format]) => sum + BYTES[format], 0);
}

function formatOf(fields: typeof DELIVERY_HEAD): string {
  return fields.map(([, format]) => format).join('');
}

function namesOf(fields: typeof DELIVERY_HEAD): string {
  return fields.map(([name]) => name).join(', ');
}

function resultIn(result: string | null): string {
  return result === null ? 'false' : text(result);
}

function table(entries: readonly (readonly [name: string, value: string])[]): string {
  return `{\n${entries.map(([name, value]) => `  ${name} = ${value},\n`).join('')}}`;
}

function list(values: readonly string[]): string {
  return values.length === 0 ? '{}' : `{ ${values.join(', ')} }`;
}

function text(value: string): string {
  return `'${value}'`;
}

/** Converts a name to Lua's style: `ownLeastMicros` becomes `own_least_micros`. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
