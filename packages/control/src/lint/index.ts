/**
 * @mandate/control/lint: findings about the documents of a tenant. `lintControl` finds documents that are wrong, or
 * that probably do not mean what they say. `controlWidening` says what a change would newly allow.
 *
 * A search has a step budget. When the budget is used up, the answer names what was not examined.
 */

export { shortQuestions, WEEKEND_MS } from '../short-questions.ts';
export { agentWidening } from './agent-widening.ts';
export { type AgentsConcerned, agentsConcerned } from './agents-concerned.ts';
export { attributesAsked } from './attributes-asked.ts';
export { type ControlChange, controlWidening } from './control-widening.ts';
export type { LintFinding } from './finding.ts';
export { type Linted, type LintedDocument, lintAround, lintControl } from './lint-control.ts';
export { ruleWidening } from './rule-widening.ts';
export { narrowing, widening, wideningByArrival } from './widening.ts';
