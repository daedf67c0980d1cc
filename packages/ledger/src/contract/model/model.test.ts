import { manualClock } from '@mandate/runtime';
import { ledgerContract } from '../../contract.ts';
import { createModelLedger } from './model.ts';

ledgerContract('the model', async (options) => {
  const clock = manualClock(1_000);
  return { ledger: createModelLedger({ clock, epoch: 'epoch-1', ...options }), clock };
});
