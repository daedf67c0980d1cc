/**
 * @mandate/cases: cases that people write about their policies. A case names an agent, a time and steps, and says for each
 * step what must be decided. `mandate test` plays cases.
 *
 * `readCases` reads cases and the documents that they are about. `playCase` plays one case on the engine, with a ledger of
 * its own and a clock that the case sets. So a case is decided by the same code as in production, without a server.
 */

export { junitXml, type TestedCase } from './junit.ts';
export { playCase, type StepTold } from './play-case.ts';
export { type Case, readCases } from './read-cases.ts';
