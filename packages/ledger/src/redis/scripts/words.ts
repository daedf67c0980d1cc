/** What scripts keep as text and take apart themselves, and how it is read back: parts/deliveries.lua. */
import type { Charging } from '@mandate/schemas';

/** Large ones come as text: parts/numbers.lua. */
export type Micros = number | string;

/** `false` for null, which in Lua is a value that is true. */
export type Charged = [counter: string, windowMs: number | false, maxMicros: number | false];

/** JavaScript knows fractions; nothing here is one. */
export function integer(number: number): number {
  if (!Number.isSafeInteger(number)) throw new RangeError(`not an integer: ${number}`);
  return number;
}

type Request = {
  digest: string;
  agentId: string;
  actionId: string;
  idempotencyKey: string | null;
  appendedAtMs: number;
  plan: { charging: Charging };
};

/** No id holds a blank, nor does JSON of numbers. */
export function requestWords(request: Request): string {
  const { digest, agentId, actionId, idempotencyKey, appendedAtMs, plan } = request;
  const key = idempotencyKey ?? '';
  return `${digest} ${agentId} ${actionId} ${key} ${appendedAtMs} ${chargingWord(plan.charging)}`;
}

export function requestIn(words: string): Request {
  const [digest = '', agentId = '', actionId = '', key = '', appendedAt, charging = ''] = words.split(' ');
  return {
    digest,
    agentId,
    actionId,
    idempotencyKey: key === '' ? null : key,
    appendedAtMs: Number(appendedAt),
    plan: { charging: chargingIn(JSON.parse(charging)) },
  };
}

function chargingWord(charging: Charging): string {
  return `["${charging.type}",${amountsOf(charging).map(integer)}]`;
}

function amountsOf(charging: Charging): number[] {
  switch (charging.type) {
    case 'SUCCESS_BASED':
    case 'ATTEMPT_BASED':
      return [charging.estimateMicros];
    case 'TIERED':
      return [charging.attemptMicros, charging.successMicros, charging.verificationMicros];
    case 'COMPOSED': {
      const { failedMicros, succeededMicros, verifiedMicros, estimateMicros } = charging;
      return [failedMicros, succeededMicros, verifiedMicros, estimateMicros];
    }
  }
}

function chargingIn([type, first = 0, second = 0, third = 0, fourth = 0]: [
  Charging['type'],
  ...number[],
]): Charging {
  switch (type) {
    case 'SUCCESS_BASED':
    case 'ATTEMPT_BASED':
      return { type, estimateMicros: first };
    case 'TIERED':
      return { type, attemptMicros: first, successMicros: second, verificationMicros: third };
    case 'COMPOSED':
      return {
        type,
        failedMicros: first,
        succeededMicros: second,
        verifiedMicros: third,
        estimateMicros: fourth,
      };
  }
}
