/**
 * Attacks a plane over HTTP with ordinary keys, one attack after the other. During each attack, the plane must serve
 * honest callers.
 */
import type { ApiScope } from '@mandate/schemas';
import { byLength, IS_LONG } from '@mandate/testing';
import { afterEach, expect, test } from 'vitest';
import { claimWhatIsPinned } from './attacks/claim-what-is-pinned.ts';
import { deafReaders } from './attacks/deaf-readers.ts';
import { escapeAKill } from './attacks/escape-a-kill.ts';
import { type Hoarding, hoardSockets } from './attacks/hoard-sockets.ts';
import { hostileParameters } from './attacks/hostile-parameters.ts';
import { settleOwnBills } from './attacks/settle-own-bills.ts';
import { slowBodies } from './attacks/slow-bodies.ts';
import { spendPastTenantLimits } from './attacks/spend-past-tenant-limits.ts';
import { attackedPlane } from './support/attacked-plane.ts';

/** The number of times that honest callers must be served during an attack. */
const ROUNDS = byLength({ short: 5, full: 20, long: 200 });
/** The number of connections that the plane accepts in attacks that open connections and keep them. */
const SOCKETS = IS_LONG ? 9_000 : 600;

let attacked: Awaited<ReturnType<typeof attackedPlane>>;
afterEach(() => attacked.stop());

const withScopes = (...scopes: ApiScope[]) => ['mallory', 'trudy'].map((tenant) => ({ tenant, scopes }));

test('the plane serves honest callers during hostile text in every parameter', async () => {
  attacked = await attackedPlane(withScopes('audit'));
  await attacked.bears(hostileParameters, ROUNDS);
  const metrics = await (await fetch(`${attacked.url}/metrics`)).text();
  expect(metrics).toMatch(/^mandate_http_faults_total\S* 0$/m);
});

test('an author who tries to free an agent that was killed with its ancestor', async () => {
  attacked = await attackedPlane([
    { scopes: ['operate'], tenant: 'mallory' },
    { scopes: ['author', 'publish'], tenant: 'mallory' },
  ]);
  await attacked.bears(escapeAKill, ROUNDS);
});

test('a caller cannot contradict the pins of its key, and honest callers are served', async () => {
  const pins = { context: { environment: 'prod' }, principal: { id: 'ann', role: 'user' } };
  attacked = await attackedPlane([{ scopes: ['publish'], tenant: 'mallory', pins }]);
  await attacked.bears(claimWhatIsPinned, ROUNDS);
});

test('operators of a tenant cannot spend beyond the tenant limits, and honest callers are served', async () => {
  attacked = await attackedPlane([
    { scopes: ['operate', 'operate:all'], tenant: 'honest' },
    { scopes: ['publish', 'operate', 'author'], tenant: 'bounded' },
  ]);
  await attacked.bears(spendPastTenantLimits, ROUNDS);
});

test('an agent cannot reduce its charges by false outcomes, and honest callers are served', async () => {
  attacked = await attackedPlane([
    { scopes: ['author'], tenant: 'billed' },
    { scopes: ['publish', 'report'], tenant: 'billed' },
  ]);
  await attacked.bears(settleOwnBills, ROUNDS);
});

test('the plane serves honest callers although two keys send announced bodies very slowly', async () => {
  attacked = await attackedPlane(withScopes('publish'));
  await attacked.bears(slowBodies(), ROUNDS);
});

test.each<Hoarding>(['silent', 'slow headers', 'kept alive'])(
  'the plane serves honest callers although an attacker opens more connections than it accepts: %s',
  async (how) => {
    attacked = await attackedPlane(withScopes('publish'), { MANDATE_PLANE_MAX_SOCKETS: String(SOCKETS) });
    await attacked.bears(hoardSockets(how, Math.floor(SOCKETS * 1.2)), ROUNDS);
  },
);

test('an attacker that does not read answers, files and streams', async () => {
  attacked = await attackedPlane(withScopes('audit', 'publish'));
  await attacked.bears(deafReaders(), ROUNDS);
});
