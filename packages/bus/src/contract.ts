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

const PARTS = {
  appending,
  'looking up records and ranges': lookingUp,
  reading,
  'delivery to a group': delivery,
  'the life of a group': groupLife,
  'changes of the topics of a group': following,
  closing,
} satisfies Record<string, (scene: Scene) => void>;

export type ContractPart = keyof typeof PARTS;
export const CONTRACT_PARTS = Object.keys(PARTS) as ContractPart[];

/**
 * @param makeBus called before each test. Each test uses its own topics, so all tests may share one log.
 * @param patienceMs how long a test waits for a condition. It must be longer than a rebalance.
 * @param parts the parts of the contract that this run tests
 */
export function busContract(
  name: string,
  makeBus: () => Promise<Harness>,
  patienceMs = 15_000,
  parts: readonly ContractPart[] = CONTRACT_PARTS,
): void {
  describe(`${name} keeps the contract of the bus:`, { timeout: patienceMs * 4 }, () => {
    const scene = new Scene(patienceMs);
    beforeEach(async () => {
      await scene.begin(await makeBus());
    });
    afterEach(() => scene.end());

    describe.each(parts)('%s', (part) => PARTS[part](scene));
  });
}
