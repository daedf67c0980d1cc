/** What a plane and tests import from the decider. app.ts says what it does. */
export { type Decider, type DeciderOptions, startDecider } from './app.ts';
export { deciderConfig, deciderSettings } from './config.ts';
export * from './mandates-file.ts';
export { openDecider } from './open-decider.ts';
export { holdFolder, type OpenedLedger, openLedger } from './open-ledger.ts';
