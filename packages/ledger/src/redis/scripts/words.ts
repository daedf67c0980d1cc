/** What scripts keep as text and take apart themselves, and how it is read back: parts/deliveries.lua. */
import type { Charging, Settling } from '@mandate/schemas';
import { amountsOf, chargingOf } from '@mandate/step';

/** Large ones come as text: parts/numbers.lua. */
export type Micros = number | string;

/** `false` for null, which in Lua is a value that is true. */
export type Charged = [counter: string, windowMs: number | false, maxMicros: number | false];

/** JavaScript knows fractions; nothing here is one. */
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
  plan: Settled;
};

/** No id holds a blank, nor does JSON of numbers. */
export function requestWords(request: Request): string {
  const { digest, agentId, actionId, idempotencyKey, appendedAtMs, plan } = request;
  const key = idempotencyKey ?? '';
  return `${digest} ${agentId} ${actionId} ${key} ${appendedAtMs} ${settledWord(plan)}`;
}

export function requestIn(words: string): Request {
  const [digest = '', agentId = '', actionId = '', key = '', appendedAt, settled = ''] = words.split(' ');
  return {
    digest,
    agentId,
    actionId,
    idempotencyKey: key === '' ? null : key,
    appendedAtMs: Number(appendedAt),
    plan: settledIn(JSON.parse(settled)),
  };
}

/** Means "no bound", because no amount is below zero. */
const NONE = -1;

/** How an outcome settles a lease: parts/charge.lua. */
function settledWord({ charging, settling }: Settled): string {
  const { leastMicros, ownLeastMicros, mostMicros, markMicros, releases, open } = settling;
  const bounds = `${integer(leastMicros)},${integer(ownLeastMicros)},${integer(mostMicros)}`;
  const more = `${integer(markMicros ?? NONE)},${integer(releases?.micros ?? NONE)},${integer(releases?.percent ?? 0)},${open ? 1 : 0}`;
  return `["${charging.type}",${bounds},${more},${amountsOf(charging).map(integer)}]`;
}

type SettledReply = [
  type: Charging['type'],
  leastMicros: number,
  ownLeastMicros: number,
  mostMicros: number,
  markMicros: number,
  releasesMicros: number,
  percent: number,
  open: number,
  ...amounts: number[],
];

function settledIn(reply: SettledReply): Settled {
  const [
    type,
    leastMicros,
    ownLeastMicros,
    mostMicros,
    markMicros,
    releasesMicros,
    percent,
    open,
    ...amounts
  ] = reply;
  return {
    charging: chargingOf(type, amounts),
    settling: {
      leastMicros,
      ownLeastMicros,
      mostMicros,
      markMicros: markMicros === NONE ? null : markMicros,
      releases: releasesMicros === NONE ? null : { micros: releasesMicros, percent },
      open: open === 1,
    },
  };
}
