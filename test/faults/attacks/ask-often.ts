/** An attacker that sends requests in a loop. It reads the status of each answer and discards the rest. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackTarget } from './attack.ts';

type Sent = { method: string; path: string; key: string; body?: string | Buffer };

/**
 * The attacker's pause after a refusal, in ms. A refusal costs the plane little, so the pause hardly makes the attack
 * weaker.
 */
const REFUSED_PAUSE_MS = 20;

/**
 * Keeps `many` requests open until the signal aborts. There are `many` loops, and each sends a request after the
 * answer to its previous request.
 * @param next returns request number `nth` of all loops together
 */
export async function askOften(
  { url, addresses = [] }: AttackTarget,
  until: AbortSignal,
  many: number,
  next: (nth: number) => Sent,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: many });
  let asked = 0;
  const keepAsking = async (place: number) => {
    const localAddress = addresses[place % addresses.length];
    while (!until.aborted) {
      const status = await statusOf({ agent, localAddress, url, signal: until }, next(asked++));
      if (status === 0 || status === 429 || status === 503) await sleep(REFUSED_PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: many }, (_, place) => keepAsking(place)));
  agent.destroy();
}

type Way = { agent: Agent; localAddress: string | undefined; url: string; signal: AbortSignal };

function statusOf(
  { agent, localAddress, url, signal }: Way,
  { method, path, key, body }: Sent,
): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    };
    const options = { agent, method, headers, signal, ...(localAddress && { localAddress }) };
    const sent = request(new URL(path, url), options, (answer) => {
      answer.on('error', () => resolve(0));
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}
