/**
 * Runs the attacks of attack.test.ts on a plane with its log on Kafka, its ledger on Redis and its audit on
 * ClickHouse. Only `npm run test:faults -- --only attack` runs this test, because it takes minutes.
 */
import { ATTACK, describeWithOwnServers } from '@mandate/testing';
import { test } from 'vitest';
import { environmentOf, startServers } from '../e2e/distributed/support/server-plane.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { attackAtOnce } from './support/attack-at-once.ts';
import { expectBorne } from './support/expect-borne.ts';

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'on servers', () => {
  test.runIf(ATTACK.isMeasured)(
    'the plane survives every attack at once',
    { timeout: ATTACK.ms + 480_000 },
    async () => {
      await using servers = await startServers();
      expectBorne(await attackAtOnce(ATTACKS, ATTACK.ms, environmentOf(servers)));
    },
  );
});
