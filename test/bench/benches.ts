/**
 * Every bench, in the order of the report's table. A bench is imported only when it runs, so `--help` needs no
 * database engine.
 */
import type { BenchOptions } from './bench-options.ts';
import type { Row } from './row.ts';

export type Bench = {
  name: string;
  /** The servers that the bench starts. Absent if the bench needs no server. */
  servers?: readonly ServerKind[];
  load(): Promise<(asked: BenchOptions) => Promise<readonly Row[]>>;
};

type ServerKind = 'redis' | 'kafka' | 'clickhouse';

export const BENCHES: readonly Bench[] = [
  { name: 'plan-and-decide', load: async () => (await import('./benches/plan-and-decide.ts')).planAndDecide },
  { name: 'governed-kinds', load: async () => (await import('./benches/governed-kinds.ts')).governedKinds },
  { name: 'rules-in-force', load: async () => (await import('./benches/rules-in-force.ts')).rulesInForce },
  { name: 'control-start', load: async () => (await import('./benches/control-start.ts')).controlStart },
  { name: 'issue-grants', load: async () => (await import('./benches/issue-grants.ts')).issueGrants },
  { name: 'redact-actions', load: async () => (await import('./benches/redact-actions.ts')).redactActions },
  { name: 'seal-texts', load: async () => (await import('./benches/seal-texts.ts')).sealTexts },
  { name: 'ledger-step', load: async () => (await import('./benches/ledger-step.ts')).ledgerStep },
  { name: 'decide-backlog', load: async () => (await import('./benches/decide-backlog.ts')).decideBacklog },
  { name: 'plane-backlog', load: async () => (await import('./benches/plane-backlog.ts')).planeBacklog },
  {
    name: 'publish-to-decision',
    load: async () => (await import('./benches/publish-to-decision.ts')).publishToDecision,
  },
  {
    name: 'gateway-and-kill',
    load: async () => (await import('./benches/gateway-and-kill.ts')).gatewayAndKill,
  },
  {
    name: 'record-into-clickhouse',
    load: async () => (await import('./benches/record-into-clickhouse.ts')).recordIntoClickHouse,
  },
  { name: 'fold-ledger', load: async () => (await import('./benches/fold-ledger.ts')).foldLedger },
  {
    name: 'redis-step',
    servers: ['redis'],
    load: async () => (await import('./benches/redis-step.ts')).redisStep,
  },
  {
    name: 'kafka-log',
    servers: ['kafka'],
    load: async () => (await import('./benches/kafka-log.ts')).kafkaLog,
  },
  {
    name: 'decide-distributed',
    servers: ['kafka', 'redis'],
    load: async () => (await import('./benches/decide-distributed.ts')).decideDistributed,
  },
  {
    name: 'publish-to-decision-distributed',
    servers: ['kafka', 'redis'],
    load: async () => (await import('./benches/publish-to-decision.ts')).publishToDecisionDistributed,
  },
  {
    name: 'record-over-http',
    servers: ['clickhouse'],
    load: async () => (await import('./benches/record-into-clickhouse.ts')).recordOverHttp,
  },
  {
    name: 'audit-year',
    servers: ['clickhouse'],
    load: async () => (await import('./benches/audit-year.ts')).auditYear,
  },
  {
    name: 'rebuild-shared-ledger',
    servers: ['kafka', 'redis'],
    load: async () => (await import('./benches/rebuild-shared-ledger.ts')).rebuildSharedLedger,
  },
  {
    name: 'kill-distributed',
    servers: ['kafka', 'redis'],
    load: async () => (await import('./benches/kill-distributed.ts')).killDistributed,
  },
  { name: 'ledger-memory', load: async () => (await import('./benches/ledger-memory.ts')).ledgerMemory },
  { name: 'memory-sizes', load: async () => (await import('./benches/memory-sizes.ts')).memorySizes },
  {
    name: 'redis-sizes',
    servers: ['redis'],
    load: async () => (await import('./benches/memory-sizes.ts')).redisSizes,
  },
  { name: 'sdk-overhead', load: async () => (await import('./benches/sdk-overhead.ts')).sdkOverhead },
  {
    name: 'context-builder',
    load: async () => (await import('./benches/context-builder.ts')).contextBuilder,
  },
  { name: 'agent-manifest', load: async () => (await import('./benches/agent-manifest.ts')).agentManifest },
  { name: 'run-steps', load: async () => (await import('./benches/run-steps.ts')).runSteps },
  { name: 'mcp-proxy', load: async () => (await import('./benches/mcp-proxy.ts')).mcpProxy },
  { name: 'model-gateway', load: async () => (await import('./benches/model-gateway.ts')).modelGateway },
  { name: 'console', load: async () => (await import('./benches/console.ts')).consoleInBrowser },
  { name: 'console-scroll', load: async () => (await import('./benches/console-scroll.ts')).consoleScroll },
  {
    name: 'console-lighthouse',
    load: async () => (await import('./benches/console-lighthouse.ts')).consoleLighthouse,
  },
  { name: 'console-crowd', load: async () => (await import('./benches/console-crowd.ts')).consoleCrowd },
  { name: 'plane-start', load: async () => (await import('./benches/plane-start.ts')).planeStart },
  { name: 'install-size', load: async () => (await import('./benches/install-size.ts')).installSize },
];
