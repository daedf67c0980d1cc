/**
 * Tests the promises of port.ts. Every implementation of the bus runs all these tests. Only tests import this file.
 *
 *     busContract('sqlite', async () => ({ bus, another, expire, dispose }));
 */
import { afterEach, beforeEach, describe } from 'vitest';
import { appending } from './contract/appending.ts';
import { closing } from './contract/closing.ts';
import { delivery } from './contract/delivery.ts';
import { following } from './contract/following.ts';
import { groupLife } from './contract/group-life.ts';
import { lookingUp } from './contract/looking-up.ts';
import { reading } from './contract/reading.ts';
import { type Harness, Scene } from './contract/scene.ts';

/**
 * @param makeBus called before each test. Each test uses its own topics, so all tests may share one log.
 * @param patienceMs how long a test waits for a condition. It must be longer than a rebalance.
 */
export function busContract(name: string, makeBus: () => Promise<Harness>, patienceMs = 15_000): void {
  describe(`${name} keeps the contract of the bus:`, { timeout: patienceMs * 4 }, () => {
    const scene = new Scene(patienceMs);
    beforeEach(async () => {
      await scene.begin(await makeBus());
    });
    afterEach(() => scene.end());

    describe('appending', () => appending(scene));
    describe('looking up records and ranges', () => lookingUp(scene));
    describe('reading', () => reading(scene));
    describe('delivery to a group', () => delivery(scene));
    describe('the life of a group', () => groupLife(scene));
    describe('changes of the topics of a group', () => following(scene));
    describe('closing', () => closing(scene));
  });
}
