/** A decider as `mandate up` runs it, on a log and a ledger that the caller gives. */
import type { Bus } from '@mandate/bus';
import { type Decider, startDecider } from '@mandate/decider';
import type { AnswerContext } from '@mandate/engine';
import type { Ledger } from '@mandate/ledger';
import { restoreLedger } from '@mandate/ledger-log';
import { compileActionRedaction, mandatesOfFile } from '@mandate/policy';
import { silentLogger, systemClock } from '@mandate/runtime';
import { createMetrics } from '@mandate/server';
import { mandateDocument, mandateOf } from './mandate.ts';

const redact = compileActionRedaction();
const control = mandatesOfFile([mandateOf(mandateDocument({ globs: 10 }))], 1);

export async function newLedger(bus: Bus): Promise<Ledger> {
  const { ledger } = await restoreLedger({ bus, clock: systemClock, log: silentLogger() });
  return ledger;
}

export function answerContext(ledger: Ledger): AnswerContext {
  return {
    ledger,
    control: () => control,
    redact,
    clock: systemClock,
    deadlines: true,
  };
}

export function decideOn(bus: Bus, ledger: Ledger): Promise<Decider> {
  const metrics = createMetrics({ service: 'bench' });
  return startDecider({ ...answerContext(ledger), bus, log: silentLogger(), metrics });
}
