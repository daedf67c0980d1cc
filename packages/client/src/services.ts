/**
 * Finds the service for a path. A plane in one process has one address for all services, otherwise each service has
 * its own.
 */
export type Service = 'gateway' | 'query' | 'alerter' | 'control' | 'runner';

/** The names of the services in messages. */
export const SERVICE_NAMES: Readonly<Record<Service, string>> = {
  gateway: 'gateway',
  query: 'query service',
  alerter: 'alerter',
  control: 'control service',
  runner: 'runner',
};

/**
 * The gateway has the routes that kill and revive an agent, and that show its kills, its usage and its permitted tools.
 * The control service has all other routes of agents.
 */
const CONTROL =
  /^\/v1\/(?:policies|rules|mandates|mandates-file|grants|manifests|tenants|keys|lint|search|agents(?!\/[^/]+\/(?:kill|revive|kill-status|usage|permitted-tools)$))(?:\/|$)/;

/** The query service lists approvals. The gateway accepts the answers of people. */
const QUERY = /^\/v1\/(?:audit\/|approvals(?:\/[^/]+)?$)/;

export function serviceOf(path: string): Service {
  if (path.startsWith('/v1/alerts') || path === '/v1/reconcile') return 'alerter';
  if (/^\/v1\/runs(?:\/|$)/.test(path)) return 'runner';
  if (CONTROL.test(path)) return 'control';
  return QUERY.test(path) ? 'query' : 'gateway';
}
