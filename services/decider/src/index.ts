/** The exports for a plane and for tests. app.ts describes the decider. */
export { type Decider, type DeciderOptions, startDecider } from './app.ts';
export { deciderConfig, deciderSettings } from './config.ts';
export * from './mandates-file.ts';
export { openDecider } from './open-decider.ts';
export { holdFolder, type OpenedLedger, openLedger } from './open-ledger.ts';
