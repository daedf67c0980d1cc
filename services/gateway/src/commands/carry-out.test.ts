import { createMemoryLedger, type Ledger } from '@mandate/ledger';
import type { KillTarget } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { carryOut } from './carry-out.ts';

const clock = () => 1_000;
const target: KillTarget = { scope: 'agent', tenant: 'acme', agentId: 'bot' };
const command = { id: 'k', by: 'op', reason: 'stop' };

/** Returns a ledger that another ledger can replace, as after a rebuild. */
function rebuilt() {
  let inForce: Ledger = createMemoryLedger({ clock, epoch: 'before' });
  return {
    ledger: {
      get epoch() {
        return inForce.epoch;
      },
      confirm: (epoch: string) => inForce.confirm(epoch, []),
      kill: () => inForce.kill(target, command),
      killStatus: () => inForce.killStatus('acme', 'bot'),
    },
    rebuild() {
      inForce = createMemoryLedger({ clock, epoch: 'after' });
    },
  };
}

test('a kill that the rebuild of the ledger missed is in force in the new ledger too', async () => {
  const { ledger, rebuild } = rebuilt();
  let recorded = 0;
  const { logged } = await carryOut(ledger, ledger.kill, async () => {
    recorded += 1;
    if (recorded === 1) rebuild();
    return true;
  });
  expect({ logged, recorded }).toEqual({ logged: true, recorded: 2 });
  expect(await ledger.killStatus()).toMatchObject({ killed: { reason: 'stop' } });
});

test('carries out an order once if the ledger is not rebuilt meanwhile', async () => {
  const { ledger } = rebuilt();
  let orders = 0;
  const order = () => {
    orders += 1;
    return ledger.kill();
  };
  expect(await carryOut(ledger, order, async () => false)).toMatchObject({
    receipt: { revision: 1 },
    logged: false,
  });
  expect(orders).toBe(1);
});

test('throws any other error to the caller', async () => {
  const { ledger } = rebuilt();
  const lost = async () => {
    throw new Error('lost');
  };
  await expect(carryOut({ epoch: 'before', confirm: lost }, ledger.kill, async () => true)).rejects.toThrow(
    'lost',
  );
});
