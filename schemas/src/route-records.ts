/**
 * The records that each HTTP route appends to the log, and the tenant's quota for these records. Every route of every
 * service is listed here. A test compares the list with the OpenAPI document, and docs/operations.md shows it.
 *
 * Every route that needs a key also records its refusals. A 403 counts as a read. The answers 401 and 429 are counted
 * together.
 */
import type { TOPICS } from './topics.ts';

export type RouteRecords = {
  /**
   * The topics to which a request appends before it is answered. Topics to which other services write later are not
   * listed.
   */
  readonly topics: readonly (keyof typeof TOPICS)[];
  /**
   * How requests count towards the tenant's quotas.
   * - `publish`: each record counts, and its bytes.
   * - `changes`: each request counts, and each 16 KiB of its body. If a request writes several records, each counts.
   * - `kills`: like `changes`, but a kill that may stop something always passes.
   * - `reads`: each request counts, and each KiB of its question.
   * - `sign-ins`: the caller has no key yet. Each address may send 300 requests a minute.
   * - null: the route writes nothing.
   */
  readonly quota: 'publish' | 'changes' | 'kills' | 'reads' | 'sign-ins' | null;
  /** Method and path, as in the OpenAPI document. */
  readonly routes: readonly string[];
};

/**
 * These routes have effects that are hard to undo. A browser may call them only within ten minutes after the person has
 * signed in.
 */
export const GRAVE_ROUTES: readonly string[] = [
  'POST /v1/agents/{id}/keys',
  'POST /v1/keys',
  'POST /v1/persons/erase',
  'POST /v1/revive',
  'DELETE /v1/tenants/{id}',
];

export const ROUTE_RECORDS: readonly RouteRecords[] = [
  { topics: ['actions'], quota: 'publish', routes: ['POST /v1/actions', 'POST /v1/outcomes'] },
  { topics: ['sdkRecords'], quota: 'publish', routes: ['POST /v1/audit'] },
  { topics: ['context'], quota: 'publish', routes: ['POST /v1/context'] },
  { topics: ['decisions'], quota: 'kills', routes: ['POST /v1/agents/{id}/kill', 'POST /v1/kill'] },
  {
    topics: ['decisions'],
    quota: 'changes',
    routes: [
      'POST /v1/agents/{id}/revive',
      'POST /v1/revive',
      'POST /v1/budgets/adjust',
      'POST /v1/approvals/{id}/approve',
      'POST /v1/approvals/{id}/deny',
    ],
  },
  {
    topics: ['actions', 'deadLetters'],
    quota: 'changes',
    routes: ['POST /v1/dead-letters/{partition}/{offset}/republish'],
  },
  { topics: ['persons'], quota: 'changes', routes: ['POST /v1/persons/erase'] },
  {
    topics: ['runs'],
    quota: 'changes',
    routes: [
      'POST /v1/runs',
      'POST /v1/runs/{id}/cancel',
      'POST /v1/runs/{id}/retry',
      'POST /v1/runs/{id}/steps/{step}/resolve',
    ],
  },
  {
    topics: ['alerts'],
    quota: 'changes',
    routes: [
      'POST /v1/alerts/test',
      'POST /v1/alerts/drift',
      'POST /v1/alerts/replay',
      'POST /v1/alerts/{id}/replay',
    ],
  },
  {
    topics: ['control'],
    quota: 'changes',
    routes: [
      'POST /v1/agents',
      'PUT /v1/agents/{id}',
      'DELETE /v1/agents/{id}',
      'POST /v1/agents/{id}/keys',
      'DELETE /v1/agents/{id}/keys/{keyId}',
      'POST /v1/keys',
      'DELETE /v1/keys/{id}',
      'POST /v1/grants/issue',
      'POST /v1/grants/{id}/revoke',
      'POST /v1/policies',
      'PUT /v1/policies/{id}',
      'DELETE /v1/policies/{id}',
      'POST /v1/policies/{id}/rollback',
      'POST /v1/rules',
      'PUT /v1/rules/{id}',
      'DELETE /v1/rules/{id}',
      'PUT /v1/rules/reorder',
      'POST /v1/manifests',
      'POST /v1/manifests/{id}/rollback',
      'DELETE /v1/manifests/{id}',
      'POST /v1/tenants',
      'PUT /v1/tenants/{id}',
      'DELETE /v1/tenants/{id}',
    ],
  },
  {
    topics: ['access'],
    quota: 'reads',
    routes: [
      'GET /v1/actions/{id}',
      'GET /v1/agents',
      'GET /v1/agents/{id}',
      'GET /v1/agents/{id}/effective',
      'GET /v1/agents/{id}/keys',
      'GET /v1/alerts',
      'GET /v1/alerts/rules',
      'GET /v1/approvals',
      'GET /v1/approvals/{id}',
      'GET /v1/approvals/{id}/answer',
      'GET /v1/audit/analytics',
      'GET /v1/audit/analytics/agents',
      'GET /v1/audit/analytics/budgets',
      'GET /v1/audit/analytics/codes',
      'GET /v1/audit/analytics/latency',
      'GET /v1/audit/analytics/models',
      'GET /v1/audit/analytics/movers',
      'GET /v1/audit/analytics/near-misses',
      'GET /v1/audit/analytics/principals',
      'GET /v1/audit/analytics/releases',
      'GET /v1/audit/analytics/spend',
      'GET /v1/audit/analytics/tokens',
      'GET /v1/audit/analytics/tools',
      'GET /v1/audit/analytics/verdicts',
      'GET /v1/audit/context',
      'GET /v1/audit/control-events',
      'GET /v1/audit/control-events/{id}',
      'GET /v1/audit/dead-letters',
      'GET /v1/audit/dead-letters/{id}',
      'GET /v1/audit/decisions',
      'GET /v1/audit/decisions/{id}',
      'GET /v1/audit/decisions/{id}/explain',
      'GET /v1/audit/export',
      'GET /v1/audit/kills',
      'GET /v1/audit/kills/{id}',
      'GET /v1/audit/live',
      'GET /v1/audit/reads',
      'GET /v1/audit/sdk',
      'GET /v1/audit/settlements',
      'GET /v1/audit/sums',
      'GET /v1/audit/sums/budgets',
      'GET /v1/audit/sums/rows',
      'GET /v1/audit/search',
      'GET /v1/audit/values',
      'GET /v1/search',
      'GET /v1/dead-letters',
      'GET /v1/mandates-file',
      'GET /v1/manifests',
      'GET /v1/manifests/{id}',
      'GET /v1/manifests/{id}/diff',
      'GET /v1/manifests/{id}/versions',
      'GET /v1/manifests/{id}/versions/{version}',
      'GET /v1/reconcile',
      'GET /v1/runs',
      'GET /v1/runs/{id}',
      'GET /v1/runs/{id}/stream',
      'GET /v1/dead-letters/{partition}/{offset}',
      'GET /v1/keys',
      'GET /v1/kills',
      'GET /v1/ledger/agents',
      'GET /v1/ledger/summary',
      'GET /v1/lint',
      'GET /v1/grants',
      'GET /v1/grants/{id}',
      'GET /v1/persons/erasures',
      'GET /v1/policies',
      'GET /v1/policies/{id}',
      'GET /v1/policies/{id}/categories',
      'GET /v1/policies/{id}/versions',
      'GET /v1/rules',
      'GET /v1/rules/{id}',
      'GET /v1/tenants',
      'GET /v1/tenants/{id}',
      'POST /v1/mandates/preview',
      'POST /v1/persons/find',
      'POST /v1/persons/unseal',
    ],
  },
  // A sign-in through an identity provider may issue the person a key, and revoke another one.
  { topics: ['control'], quota: 'sign-ins', routes: ['GET /v1/signin/oidc/callback'] },
  { topics: [], quota: 'sign-ins', routes: ['GET /v1/signin/oidc'] },
  {
    topics: [],
    quota: null,
    routes: [
      'GET /healthz',
      'GET /metrics',
      'GET /readyz',
      'GET /v1/agents/{id}/kill-status',
      'GET /v1/agents/{id}/usage',
      'GET /v1/kills/stream',
      'GET /v1/ledger',
      'GET /v1/ledger/balances',
      'GET /v1/ledger/open',
      'GET /v1/ledger/unpublished',
      'GET /v1/session',
      'POST /v1/session',
      'DELETE /v1/session',
      'GET /v1/signin',
      'POST /v1/agents/{id}/permitted-tools',
    ],
  },
];
