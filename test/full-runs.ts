/**
 * Lists the test files that run only in a full run: `npm run test:full`, `test:explore`, `test:faults`. Each takes 20
 * to 80 seconds, because it starts many processes. `npm test` has another test of the same promise for the same code.
 * docs/testing.md lists these files too. With `TEST_LENGTH=full`, one of them can be run by its name.
 */
export type FullRunFile = {
  /** The path, relative to the root. */
  file: string;
  /** The cases that only this file tests. */
  adds: string;
  /** The files of `npm test` that would find most faults that this file finds. */
  shortRun: readonly string[];
};

/** The SDK, MCP, the model gateway, workflows and packages. */
const AGENTS: readonly FullRunFile[] = [
  {
    file: 'packages/sdk/src/distributed/distributed-frameworks.servers.test.ts',
    adds: 'the contract of the frameworks in distributed mode, with a Redis that ends in the middle of a call',
    shortRun: [
      'packages/sdk/src/plane/plane-frameworks.system.test.ts',
      'packages/sdk/src/distributed/distributed-mode.servers.test.ts',
    ],
  },
  {
    file: 'test/e2e/packages/installed.test.ts',
    adds: 'packages that npm installs into empty folders, with Node 22 and Node 24',
    shortRun: ['test/e2e/packages/packed.test.ts'],
  },
  {
    file: 'test/e2e/packages/workerd.test.ts',
    adds: 'plane mode of the SDK in workerd, the runtime of edge workers',
    shortRun: ['test/architecture/sdk-size.test.ts'],
  },
  {
    file: 'test/e2e/runs/distributed-runs.servers.test.ts',
    adds: 'runs on Kafka and Redis, while runners and gateways are killed or stopped',
    shortRun: [
      'test/e2e/runs/runners.test.ts',
      'test/e2e/runs/crashes.test.ts',
      'test/e2e/distributed/rights.servers.test.ts',
    ],
  },
  {
    file: 'test/mcp/conformance/conformance-over-stdio.test.ts',
    adds: 'the official conformance suite of MCP through the proxy over stdio, in each revision',
    shortRun: [
      'test/mcp/conformance/conformance-over-http.test.ts',
      'test/mcp/conformance/conformance.test.ts',
    ],
  },
];

/** What people use: audit, console, HTTP interface and CLI. */
const PEOPLE: readonly FullRunFile[] = [
  {
    file: 'test/e2e/audit/query-user.servers.test.ts',
    adds: 'every question of the audit, asked as the database user that may only read',
    shortRun: ['test/e2e/audit/query.test.ts', 'packages/audit/src/server.servers.test.ts'],
  },
  {
    file: 'test/e2e/audit/recorder-killed.servers.test.ts',
    adds: 'a recorder that is killed while it writes over HTTP',
    shortRun: ['test/e2e/audit/recorder-killed.test.ts', 'test/faults/clickhouse-away.servers.test.ts'],
  },
  {
    file: 'test/e2e/audit/recorder.servers.test.ts',
    adds: 'the promises of the recorder over HTTP',
    shortRun: ['test/e2e/audit/recorder.test.ts', 'packages/audit/src/server.contract.servers.test.ts'],
  },
];

/** Whole planes, their log and ledger, and their faults. */
const PLANES: readonly FullRunFile[] = [
  {
    file: 'packages/testing/src/servers/kafka/kafka.servers.test.ts',
    adds: 'clusters of three brokers that tests start, break and restart',
    shortRun: [
      'test/faults/leaders-move.servers.test.ts',
      'packages/bus/src/kafka/group-faults.servers.test.ts',
    ],
  },
  {
    file: 'test/e2e/distributed/tau-airline.servers.test.ts',
    adds: 'the airline data set from producers of two languages, on Redis and ClickHouse',
    shortRun: [
      'test/e2e/tau-airline/tau-airline-plane.test.ts',
      'test/e2e/distributed/operator.servers.test.ts',
    ],
  },
  {
    file: 'test/e2e/distributed/thousand-calls.servers.test.ts',
    adds: 'a thousand calls at once through a gateway of its own',
    shortRun: ['test/e2e/thousand-calls.test.ts', 'test/faults/nearly-spent.servers.test.ts'],
  },
  {
    file: 'test/e2e/distributed/up.servers.test.ts',
    adds: 'two planes on the same Kafka and Redis, one set by flags and one by the environment',
    shortRun: ['test/e2e/cli/up.test.ts', 'test/e2e/distributed/operator.servers.test.ts'],
  },
  {
    file: 'test/faults/clickhouse-refuses.servers.test.ts',
    adds: 'a recorder whose user may not insert, a table that is gone, and one row of 10,000 that cannot be stored',
    shortRun: ['test/faults/clickhouse-away.servers.test.ts', 'packages/audit/src/server.servers.test.ts'],
  },
  {
    file: 'test/faults/comes-and-goes.servers.test.ts',
    adds: 'a decider that joins and leaves the group every two seconds, under load',
    shortRun: [
      'packages/bus/src/kafka/group-faults.servers.test.ts',
      'test/faults/simulation/simulation.test.ts',
    ],
  },
  {
    file: 'test/faults/decider-paused.servers.test.ts',
    adds: 'a decider of a whole plane that stands still past its session',
    shortRun: [
      'packages/bus/src/kafka/group-faults.servers.test.ts',
      'test/faults/simulation/simulation.test.ts',
    ],
  },
  {
    file: 'test/faults/deciders-killed.servers.test.ts',
    adds: 'kills of deciders at random moments on servers',
    shortRun: ['test/faults/sigkill-loop.test.ts', 'test/faults/turns.servers.test.ts'],
  },
  {
    file: 'test/faults/failover-behind.servers.test.ts',
    adds: 'a failover by Sentinel to a replica that lags behind, under a whole plane',
    shortRun: [
      'packages/ledger/src/redis/redis-sentinel.servers.test.ts',
      'packages/ledger/src/redis/redis-replicas.servers.test.ts',
      'test/faults/simulation/simulation.test.ts',
    ],
  },
  {
    file: 'test/faults/kill-distributed.servers.test.ts',
    adds: 'a kill under heavy traffic with a paused decider, and a kill of everything while a shard hangs',
    shortRun: [
      'test/faults/kill-races.servers.test.ts',
      'test/faults/kill-unheard.servers.test.ts',
      'test/e2e/plane/kill-switch.test.ts',
    ],
  },
  {
    file: 'test/faults/killed-in-a-gap.servers.test.ts',
    adds: 'a decider on servers that is killed while a chosen message is on its way',
    shortRun: [
      'services/decider/src/app.system.test.ts',
      'test/faults/sigkill-loop.test.ts',
      'test/faults/turns.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/offset-lost.servers.test.ts',
    adds: 'a whole plane whose log lost records that a group had not read',
    shortRun: [
      'packages/bus/src/kafka/group-faults.servers.test.ts',
      'packages/bus/src/kafka/kafka-bus.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/overtaken-rebuilder.servers.test.ts',
    adds: 'a whole plane with a process that is paused in the middle of a rebuild',
    shortRun: [
      'packages/ledger-log/src/rebuild-ledger.servers.test.ts',
      'packages/ledger/src/redis/rebuild.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/redis-clock.servers.test.ts',
    adds: 'the clock of Redis an hour ahead and an hour behind, with deciders at work',
    shortRun: ['test/faults/clock-jump.test.ts', 'test/faults/simulation/simulation.test.ts'],
  },
  {
    file: 'test/faults/redis-lost.servers.test.ts',
    adds: 'a Redis that is emptied while a whole plane works',
    shortRun: ['test/e2e/distributed/lost-ledger.servers.test.ts', 'test/faults/turns.servers.test.ts'],
  },
  {
    file: 'test/faults/replicas-lost.servers.test.ts',
    adds: 'a Redis whose replicas are gone, under a whole plane',
    shortRun: [
      'packages/ledger/src/redis/redis-sentinel.servers.test.ts',
      'packages/ledger/src/redis/redis-replicas.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/same-again.servers.test.ts',
    adds: 'the whole actions topic again from offset 0, under a whole plane',
    shortRun: [
      'test/faults/simulation/simulation.test.ts',
      'packages/ledger/src/redis/redis-ledger.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/servers-away.servers.test.ts',
    adds: 'every server away in turn, and all at once',
    shortRun: ['test/faults/redis-troubled.servers.test.ts', 'test/faults/clickhouse-away.servers.test.ts'],
  },
  {
    file: 'test/faults/soak/soak.servers.test.ts',
    adds: 'every fault in turn under load; its long form takes half an hour',
    shortRun: ['test/faults/simulation/simulation.test.ts', 'test/faults/turns.servers.test.ts'],
  },
  {
    file: 'test/faults/under-attack.test.ts',
    adds: 'the attacks over HTTP one after the other, with a report for each',
    shortRun: ['test/faults/attack.test.ts', 'packages/server/src/http/room.system.test.ts'],
  },
];

export const FULL_RUN_FILES: readonly FullRunFile[] = [...AGENTS, ...PEOPLE, ...PLANES];
