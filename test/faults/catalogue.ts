/**
 * Lists the faults that Mandate must survive, and the tests that cause each of them. `npm run test:faults` runs these
 * tests. `npm test` runs at least one test of each fault. If this test has a short form, it runs the short form.
 */
export type Fault = {
  number: number;
  /** A name for `--only`, in addition to the number. */
  name?: string;
  what: string;
  /** If true, the tests have time limits. If only such faults are chosen, their tests run one after the other. */
  isMeasured?: true;
  /** Paths of the test files, relative to the root. */
  tests: readonly string[];
};

export const FAULTS: readonly Fault[] = [
  {
    number: 1,
    what: "a partition's leader moves during a send",
    tests: [
      'test/faults/leaders-move.servers.test.ts',
      'packages/bus/src/kafka/append-faults.servers.test.ts',
    ],
  },
  {
    number: 2,
    what: 'the answer to a send is late, dropped or lost, with others under way',
    tests: ['test/faults/produce-answers-lost.servers.test.ts'],
  },
  {
    number: 3,
    what: 'a decider is killed at any instruction',
    tests: [
      'services/decider/src/app.system.test.ts',
      'test/faults/simulation/simulation.test.ts',
      'test/faults/sigkill-loop.test.ts',
      'test/faults/deciders-killed.servers.test.ts',
      'test/faults/killed-in-a-gap.servers.test.ts',
      'test/faults/turns.servers.test.ts',
    ],
  },
  {
    number: 4,
    what: 'a decider stands still past its session, and goes on',
    tests: [
      'test/faults/decider-paused.servers.test.ts',
      'packages/bus/src/kafka/group-faults.servers.test.ts',
    ],
  },
  {
    number: 5,
    what: 'a rebalance every two seconds under load',
    tests: [
      'test/faults/comes-and-goes.servers.test.ts',
      'packages/bus/src/kafka/group-faults.servers.test.ts',
    ],
  },
  {
    number: 6,
    what: 'retention takes what a group had not come to',
    tests: ['test/faults/offset-lost.servers.test.ts', 'packages/bus/src/kafka/group-faults.servers.test.ts'],
  },
  {
    number: 7,
    what: 'a TypeError in the handler',
    tests: [
      'test/faults/handler-throws.servers.test.ts',
      'services/decider/src/app.system.test.ts',
      'packages/bus/src/kafka/kafka-bus.servers.test.ts',
    ],
  },
  {
    number: 8,
    what: 'poison on the log',
    tests: [
      'test/faults/hostile-records.test.ts',
      'test/faults/hostile-records-on-kafka.servers.test.ts',
      'schemas/src/read-json.test.ts',
      'packages/bus/src/kafka/to-records.test.ts',
      'services/decider/src/bad-batches.servers.test.ts',
    ],
  },
  {
    number: 9,
    what: 'Redis is away, restarted, full, loses answers, forgets scripts',
    tests: [
      'test/faults/redis-troubled.servers.test.ts',
      'test/faults/servers-away.servers.test.ts',
      'packages/ledger/src/redis/connection.servers.test.ts',
    ],
  },
  {
    number: 10,
    what: 'a failover, by Sentinel too, to a replica that is behind',
    tests: [
      'test/faults/failover-behind.servers.test.ts',
      'test/faults/replicas-lost.servers.test.ts',
      'packages/ledger/src/redis/redis-sentinel.servers.test.ts',
      'packages/ledger/src/redis/redis-replicas.servers.test.ts',
      'packages/ledger/src/redis/redis-cluster-replicas.servers.test.ts',
    ],
  },
  {
    number: 11,
    what: "the ledger's clock jumps",
    tests: ['test/faults/redis-clock.servers.test.ts', 'test/faults/clock-jump.test.ts'],
  },
  {
    number: 12,
    what: 'a thousand actions at once on budgets that are nearly spent',
    tests: [
      'test/faults/nearly-spent.servers.test.ts',
      'test/e2e/thousand-calls.test.ts',
      'test/e2e/distributed/thousand-calls.servers.test.ts',
    ],
  },
  {
    number: 13,
    what: 'outcomes that come twice, late, above the reservation, never, and behind a second attempt',
    tests: [
      'test/faults/outcomes-late.servers.test.ts',
      'test/faults/simulation/simulation.test.ts',
      'packages/ledger/src/redis/redis-ledger.servers.test.ts',
    ],
  },
  {
    number: 14,
    what: 'the same id again, and the whole topic of actions again',
    tests: [
      'test/faults/same-again.servers.test.ts',
      'test/faults/simulation/simulation.test.ts',
      'packages/ledger/src/redis/redis-ledger.servers.test.ts',
    ],
  },
  {
    number: 15,
    what: 'kills that are not heard, that race with revives and rebuilds, that reach shards that hang',
    tests: [
      'test/faults/kill-distributed.servers.test.ts',
      'test/faults/kill-unheard.servers.test.ts',
      'test/faults/kill-races.servers.test.ts',
      'packages/ledger/src/redis/killing.servers.test.ts',
      'test/faults/redis-lost.servers.test.ts',
      'test/e2e/distributed/lost-ledger.servers.test.ts',
    ],
  },
  {
    number: 16,
    what: 'a ledger is rebuilt while old deciders live',
    tests: [
      'test/faults/simulation/simulation.test.ts',
      'test/faults/redis-lost.servers.test.ts',
      'test/faults/failover-behind.servers.test.ts',
      'test/faults/overtaken-rebuilder.servers.test.ts',
      'packages/ledger/src/redis/rebuild.servers.test.ts',
    ],
  },
  {
    number: 17,
    what: 'ClickHouse is away, full, loses answers, refuses',
    tests: ['test/faults/clickhouse-away.servers.test.ts', 'test/faults/clickhouse-refuses.servers.test.ts'],
  },
  {
    number: 18,
    what: 'hostile documents',
    tests: [
      'test/faults/hostile-documents.test.ts',
      'packages/policy/src/mandate/load-mandates.test.ts',
      'packages/policy/src/arguments/pattern.test.ts',
    ],
  },
  {
    number: 19,
    what: 'hostile HTTP',
    tests: [
      'test/faults/hostile-http.test.ts',
      'packages/server/src/http/http-server.system.test.ts',
      'test/e2e/audit/fuzz-openapi.test.ts',
      'test/e2e/gateway-access.test.ts',
      'test/e2e/interface/interface.test.ts',
      'test/e2e/interface/hostile-parameters.test.ts',
      'test/faults/under-attack.test.ts',
      'test/faults/longest-turn.test.ts',
      'packages/server/src/http/request-faults.system.test.ts',
    ],
  },
  {
    number: 20,
    what: 'everything at once, in virtual time',
    tests: ['test/faults/simulation/simulation.test.ts', 'test/faults/simulation/memory-log.test.ts'],
  },
  {
    number: 21,
    what: 'anything of all this every ten seconds, under load, for half an hour',
    tests: ['test/faults/soak/soak.servers.test.ts', 'test/faults/soak/memory.test.ts'],
  },
  {
    number: 22,
    what: 'the disk of an embedded plane is full',
    tests: ['test/faults/full-disk.test.ts'],
  },
  {
    number: 23,
    what: 'services are replaced by another build, one by one',
    tests: [
      'test/faults/rolling-upgrade.servers.test.ts',
      'packages/ledger/src/redis/rebuild.servers.test.ts',
      'packages/ledger/src/redis/connection.servers.test.ts',
    ],
  },
  {
    number: 24,
    what: 'control services race for the same policies, and are killed meanwhile',
    tests: [
      'test/faults/control-races.servers.test.ts',
      'packages/control-log/src/sqlite.contract.system.test.ts',
    ],
  },
  {
    number: 25,
    name: 'attack',
    what: 'everything that holders of ordinary keys can do to a plane, at once',
    isMeasured: true,
    tests: ['test/faults/attack.test.ts', 'test/faults/attack.servers.test.ts'],
  },
];
