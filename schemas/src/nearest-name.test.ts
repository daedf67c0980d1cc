import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const known = ['GATEWAY_PORT', 'GATEWAY_HOST', 'BUS_PATH'];

test.each([
  ['GATEWAY_PROT', 'GATEWAY_PORT'],
  ['GATEWAYPORT', 'GATEWAY_PORT'],
  ['BUS_PATHS', 'BUS_PATH'],
  ['LEDGER_CACHE_BYTES', undefined],
])('%s means %s', (name, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});
