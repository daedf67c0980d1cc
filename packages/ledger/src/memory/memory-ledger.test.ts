import { manualClock } from '@mandate/runtime';
import { runs } from '@mandate/testing';
import { ledgerContract, ledgerHistories, type MakeLedger } from '../contract.ts';
import { createMemoryLedger } from './memory-ledger.ts';

const make: MakeLedger = async (options) => {
  const clock = manualClock(1_000);
  return { ledger: createMemoryLedger({ clock, epoch: 'epoch-1', ...options }), clock };
};

ledgerContract('the memory ledger', make);
ledgerHistories('the memory ledger', make, { numRuns: runs(150), maxLength: 40 });
