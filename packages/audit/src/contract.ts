/**
 * Tests of everything that an audit promises. They run for the embedded ClickHouse and for a ClickHouse server. This
 * folder also has random records, and simple code that computes every answer again. Only tests import this folder.
 */
import { describe } from 'vitest';
import { analytics } from './contract/analytics.ts';
import { answers } from './contract/answers.ts';
import { approved } from './contract/approved.ts';
import { aroundDecisions } from './contract/around-decisions.ts';
import type { MakeAudit } from './contract/audit-under-test.ts';
import { exporting } from './contract/exporting.ts';
import { following } from './contract/following.ts';
import { migrating } from './contract/migrating.ts';
import { questions } from './contract/questions.ts';
import { recording } from './contract/recording.ts';
import { retention } from './contract/retention.ts';
import { retentionPerTenant } from './contract/retention-per-tenant.ts';
import { rollups } from './contract/rollups.ts';
import { searchingText } from './contract/searching-text.ts';
import { statements } from './contract/statements.ts';

export {
  adjustmentOf,
  arbitraryAdjustment,
  arbitraryCall,
  arbitraryRuling,
  decisionOf,
  settlementOf,
} from './arbitrary-history.ts';
export { arbitraryFilter, arbitraryMoment } from './contract/arbitrary-filter.ts';
export { bucketLabels } from './contract/bucket-labels.ts';
export {
  type Booking,
  type Deliveries,
  type Delivery,
  type Filter,
  measured,
} from './contract/fold-history.ts';
export { budgetsOf, groupsOf, latenciesOf, moversOf, nearMissesOf } from './contract/plain-answers.ts';

const PARTS = {
  statements,
  migrating,
  recording,
  retention,
  'retention per tenant': retentionPerTenant,
  questions,
  'searching text': searchingText,
  approvals: approved,
  'around decisions': aroundDecisions,
  answers,
  analytics,
  following,
  exporting,
  rollups,
} satisfies Record<string, (make: MakeAudit) => void>;

export type ContractPart = keyof typeof PARTS;
export const CONTRACT_PARTS = Object.keys(PARTS) as ContractPart[];

/** The parts of the contract that test how statements, rows and answers are sent. The other parts test the engine. */
export const TRANSPORT_PARTS: readonly ContractPart[] = ['statements', 'recording', 'questions', 'following'];

/** The parts of the contract with histories of hours and months. They take half of the contract's time. */
export const HISTORY_PARTS: readonly ContractPart[] = [
  'migrating',
  'retention',
  'retention per tenant',
  'analytics',
  'rollups',
];

export function auditContract(
  name: string,
  make: MakeAudit,
  parts: readonly ContractPart[] = CONTRACT_PARTS,
): void {
  describe.each(parts)(`${name} keeps the contract of the audit: %s`, (part) => PARTS[part](make));
}
