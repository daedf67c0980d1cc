/**
 * @mandate/schemas: the contracts. Every record on the bus and every document that people write is a zod schema here,
 * with one file for each message. `described` gives a field its description and its examples. The JSON Schema files
 * in ../generated are made from the schemas, and ../examples/v1 must always parse. Amounts are micro-dollars,
 * durations end in `Ms`, times are RFC 3339 UTC. No other package decides what a record looks like, and only
 * `readActionsRecord` reads records from outside.
 */

export * from './action.ts';
export { ORIGINS, type Origin } from './action-fields.ts';
export * from './action-kinds.ts';
export * from './agent-document.ts';
export * from './alert.ts';
export * from './ancestors-in.ts';
export * from './api-key.ts';
export * from './audit-read.ts';
export * from './budget-subject.ts';
export * from './cases-document.ts';
export * from './condition-document.ts';
export * from './context-built.ts';
export * from './contracts.ts';
export * from './control-document.ts';
export * from './control-record.ts';
export * from './core.ts';
export { csvLine } from './csv-line.ts';
export { CSV_FORMULA, CSV_LEADING, csvText } from './csv-text.ts';
export * from './dead-letter.ts';
export * from './decision.ts';
export * from './decision-head.ts';
export * from './decisions-record.ts';
export { described } from './described.ts';
export * from './duration-in-words.ts';
export * from './given-policy.ts';
export { type GovernanceDocument, governanceDocument } from './governance-document.ts';
export * from './grant.ts';
export * from './limit.ts';
export * from './mandate-document.ts';
export * from './money-shapes.ts';
export * from './operations.ts';
export * from './outcome.ts';
export * from './pattern.ts';
export * from './person-erased.ts';
export * from './privacy-document.ts';
export * from './published-manifest.ts';
export * from './read-approval-id.ts';
export * from './read-json.ts';
export * from './read-record.ts';
export * from './record-headers.ts';
export * from './route-records.ts';
export * from './rule-document.ts';
export * from './run-event.ts';
export * from './say-issue.ts';
export * from './scalars.ts';
export * from './sdk-record.ts';
export * from './settlement.ts';
export * from './shape-fault.ts';
export * from './tenant-document.ts';
export * from './tenant-quotas.ts';
export * from './token-price.ts';
export * from './token-usage.ts';
export * from './within-caps.ts';
export * from './written-record.ts';
