import { manualClock } from '@mandate/runtime';
import { byLength } from '@mandate/testing';
import { ledgerHistories, type MakeLedger } from '../contract.ts';
import { createMemoryLedger } from './memory-ledger.ts';

const make: MakeLedger = async (options) => {
  const clock = manualClock(1_000);
  return { ledger: createMemoryLedger({ clock, epoch: 'epoch-1', ...options }), clock };
};

ledgerHistories('the memory ledger', make, { numRuns: byLength({ short: 500, full: 4_000 }), maxLength: 60 });
