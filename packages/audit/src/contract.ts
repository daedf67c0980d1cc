/**
 * What an audit promises, as tests: ClickHouse in this process and ClickHouse as a server run all of them. And the parts
 * of them with which whoever fills an audit from a log can be held to the same: random records, and the plain
 * recomputation of every answer. Imported by tests only.
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

export function auditContract(name: string, make: MakeAudit): void {
  describe(`${name} keeps the contract of the audit:`, () => {
    describe('statements', () => statements(make));
    describe('migrating', () => migrating(make));
    describe('recording', () => recording(make));
    describe('retention', () => retention(make));
    describe('retention per tenant', () => retentionPerTenant(make));
    describe('questions', () => questions(make));
    describe('searching text', () => searchingText(make));
    describe('approvals', () => approved(make));
    describe('around decisions', () => aroundDecisions(make));
    describe('answers', () => answers(make));
    describe('analytics', () => analytics(make));
    describe('following', () => following(make));
    describe('exporting', () => exporting(make));
    describe('rollups', () => rollups(make));
  });
}
