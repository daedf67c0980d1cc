/** Attacks over HTTP by holders of ordinary keys, one after the other: honest callers are served while each goes on. */
import { afterEach, expect, test } from 'vitest';
import { attackedPlane } from './attacked-plane.ts';
import { hostileParameters } from './attacks/hostile-parameters.ts';

/** How often others are served during an attack. */
const ROUNDS = 20;

let attacked: Awaited<ReturnType<typeof attackedPlane>>;
afterEach(() => attacked.stop());

test('hostile text in every parameter', async () => {
  attacked = await attackedPlane([{ scopes: ['audit'], tenant: 'mallory' }]);
  await attacked.bears(hostileParameters, ROUNDS);
  const metrics = await (await fetch(`${attacked.url}/metrics`)).text();
  expect(metrics).toMatch(/^mandate_http_faults_total\S* 0$/m);
});
