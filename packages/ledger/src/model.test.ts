import { manualClock } from '@mandate/runtime';
import { ledgerContract } from './contract.ts';
import { createModelLedger } from './model.ts';

ledgerContract('the model', async ({ replayMemoryMs }) => {
  const clock = manualClock(1_000);
  return { ledger: createModelLedger({ clock, epoch: 'epoch-1', replayMemoryMs }), clock };
});
