/**
 * Lists the test files that run only in a full run: `npm run test:full`, `test:explore`, `test:faults`. Each takes 10
 * to 100 seconds. `npm test` has other tests of the same code. docs/testing.md lists these files too. With
 * `TEST_LENGTH=full`, one of them can be run by its name.
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
    file: 'packages/context/src/context-builder.system.test.ts',
    adds: 'the context builder on a whole plane',
    shortRun: ['packages/context/src/models.test.ts'],
  },
  {
    file: 'packages/sdk/src/distributed/distributed-frameworks.servers.test.ts',
    adds: 'the contract of the frameworks in distributed mode, with a Redis that ends in the middle of a call',
    shortRun: [
      'packages/sdk/src/local/local-frameworks.test.ts',
      'packages/sdk/src/kafka/kafka.servers.test.ts',
    ],
  },
  {
    file: 'packages/sdk/src/distributed/distributed-mode.servers.test.ts',
    adds: 'the contract of distributed mode, with several instances on one Redis',
    shortRun: [
      'packages/sdk/src/kafka/kafka.servers.test.ts',
      'packages/sdk/src/distributed/recover-redis.servers.test.ts',
    ],
  },
  {
    file: 'packages/sdk/src/plane/plane-away.system.test.ts',
    adds: 'plane mode while answers are lost, and after the plane has died',
    shortRun: [
      'packages/sdk/src/plane/plane-mode.system.test.ts',
      'packages/sdk/src/kafka/kafka.servers.test.ts',
    ],
  },
  {
    file: 'packages/sdk/src/plane/plane-frameworks.system.test.ts',
    adds: 'the contract of the frameworks in plane mode',
    shortRun: [
      'packages/sdk/src/local/local-frameworks.test.ts',
      'packages/sdk/src/plane/plane-mode.system.test.ts',
    ],
  },
  {
    file: 'services/model-gateway/src/tokens.system.test.ts',
    adds: 'limits on tokens under load and in streams that are cut',
    shortRun: [
      'services/model-gateway/src/money.system.test.ts',
      'services/model-gateway/src/sdks.system.test.ts',
    ],
  },
  {
    file: 'services/model-gateway/src/tool-call-limits.system.test.ts',
    adds: 'limits on the calls of tools in the answers of each SDK',
    shortRun: ['services/model-gateway/src/sdks.system.test.ts'],
  },
  {
    file: 'services/model-gateway/src/tool-calls.system.test.ts',
    adds: 'the calls of tools in the answers of each SDK',
    shortRun: ['services/model-gateway/src/sdks.system.test.ts'],
  },
  {
    file: 'services/model-gateway/src/upstreams.system.test.ts',
    adds: 'upstreams that are away, slow or refuse',
    shortRun: [
      'services/model-gateway/src/main.system.test.ts',
      'services/model-gateway/src/money.system.test.ts',
    ],
  },
  {
    file: 'services/runner/src/agent-step/run-agent-step.system.test.ts',
    adds: 'each way in which the step of an agent can end',
    shortRun: [
      'services/runner/src/agent-step/crashes.system.test.ts',
      'test/e2e/runs/runs.test.ts',
      'test/e2e/runs/retries.test.ts',
    ],
  },
  {
    file: 'services/runner/src/logic/run-logic.system.test.ts',
    adds: 'hostile code of logic steps in real children',
    shortRun: ['test/e2e/runs/workflows.test.ts'],
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
    file: 'test/e2e/runs/crashes.test.ts',
    adds: 'a plane that is killed again and again in the middle of runs',
    shortRun: ['services/runner/src/agent-step/crashes.system.test.ts', 'test/e2e/runs/runners.test.ts'],
  },
  {
    file: 'test/e2e/runs/distributed-runs.servers.test.ts',
    adds: 'runs on Kafka and Redis, while runners and gateways are killed or stopped',
    shortRun: ['test/e2e/runs/runners.test.ts', 'test/e2e/distributed/rights.servers.test.ts'],
  },
  {
    file: 'test/e2e/runs/graphs.test.ts',
    adds: 'runs of graph recipes on a plane, with kills',
    shortRun: ['test/e2e/runs/workflows.test.ts', 'test/e2e/runs/runs.test.ts'],
  },
  {
    file: 'test/e2e/runs/late-approvals.test.ts',
    adds: 'approvals of runs while no runner is there',
    shortRun: ['test/e2e/runs/runs.test.ts', 'test/e2e/gateway-approvals.test.ts'],
  },
  {
    file: 'test/mcp/conformance/conformance-over-stdio.test.ts',
    adds: 'the official conformance suite of MCP through the proxy over stdio, in each revision',
    shortRun: [
      'test/mcp/conformance/conformance-over-http.test.ts',
      'test/mcp/official/official-servers.test.ts',
    ],
  },
  {
    file: 'test/mcp/conformance/conformance-remote.test.ts',
    adds: 'the official conformance suite of MCP for a client over stdio and a server over HTTP',
    shortRun: ['test/mcp/conformance/conformance-over-http.test.ts'],
  },
  {
    file: 'test/mcp/conformance/conformance.test.ts',
    adds: 'relays that show that the conformance suite notices a change',
    shortRun: ['test/mcp/conformance/conformance-over-http.test.ts', 'test/mcp/frames.test.ts'],
  },
  {
    file: 'test/mcp/lessons/lessons-processes.test.ts',
    adds: 'faults that other proxies have with bytes and processes',
    shortRun: [
      'test/mcp/lessons/lessons-messages.test.ts',
      'test/mcp/frames.test.ts',
      'test/mcp/misbehaving/misbehaving.test.ts',
    ],
  },
  {
    file: 'test/mcp/official/inspector.test.ts',
    adds: 'the command-line client of the MCP inspector',
    shortRun: [
      'test/mcp/official/official-servers.test.ts',
      'test/mcp/conformance/conformance-over-http.test.ts',
    ],
  },
  {
    file: 'test/mcp/official/official-over-http.test.ts',
    adds: 'the official servers over HTTP',
    shortRun: [
      'test/mcp/official/official-servers.test.ts',
      'test/mcp/conformance/conformance-over-http.test.ts',
    ],
  },
  {
    file: 'test/mcp/official/official-remote.test.ts',
    adds: 'the official servers over HTTP for a client over stdio',
    shortRun: ['test/mcp/official/official-servers.test.ts', 'test/mcp/official/imported-url.test.ts'],
  },
  {
    file: 'test/mcp/remote/remote-server.test.ts',
    adds: 'the bytes between a proxy over stdio and a server over HTTP',
    shortRun: [
      'test/mcp/frames.test.ts',
      'test/mcp/official/imported-url.test.ts',
      'test/mcp/lessons/lessons-http.test.ts',
    ],
  },
];

/** What people use: audit, console, HTTP interface and CLI. */
const PEOPLE: readonly FullRunFile[] = [
  {
    file: 'packages/audit/src/embedded.history.system.test.ts',
    adds: 'random histories, retention and migrations of the audit',
    shortRun: [
      'packages/audit/src/embedded.contract.system.test.ts',
      'packages/audit/src/embedded.system.test.ts',
    ],
  },
  {
    file: 'packages/cli/src/commands/audit-questions.system.test.ts',
    adds: 'the commands that ask an empty audit',
    shortRun: ['test/e2e/cli/commands.test.ts'],
  },
  {
    file: 'test/e2e/audit/analytics-over-log.test.ts',
    adds: 'analytics over a log, with recorders that die at any point',
    shortRun: ['test/e2e/audit/query.test.ts', 'test/e2e/audit/recorder-killed.test.ts'],
  },
  {
    file: 'test/e2e/audit/fuzz-openapi.test.ts',
    adds: 'random query strings on every route of the audit',
    shortRun: ['test/e2e/interface/hostile-parameters.test.ts', 'test/e2e/audit/query.test.ts'],
  },
  {
    file: 'test/e2e/audit/query-user.servers.test.ts',
    adds: 'every question of the audit, asked as the database user that may only read',
    shortRun: ['test/e2e/audit/query.test.ts', 'packages/audit/src/server.servers.test.ts'],
  },
  {
    file: 'test/e2e/audit/reads.test.ts',
    adds: 'a record for every read of the audit, by each route and command',
    shortRun: ['test/e2e/interface/interface.test.ts', 'test/e2e/audit/query.test.ts'],
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
  {
    file: 'test/e2e/cli/decides-alike.test.ts',
    adds: 'offline decisions about redacted fields, beside a plane',
    shortRun: ['test/e2e/cli/commands.test.ts', 'test/e2e/interface/dry-run.test.ts'],
  },
  {
    file: 'test/e2e/cli/five-questions.test.ts',
    adds: 'every command of the page about the five questions',
    shortRun: ['test/e2e/cli/commands.test.ts', 'packages/cli/src/documented-commands.system.test.ts'],
  },
  {
    file: 'test/e2e/cli/up.test.ts',
    adds: 'each way in which `mandate up` starts, stops and refuses to start',
    shortRun: ['test/e2e/cli/npm-start.test.ts', 'test/e2e/cli/up-manifest.test.ts'],
  },
  {
    file: 'test/e2e/console/approver.servers.test.ts',
    adds: 'approvals and the record of changes in the browser',
    shortRun: ['test/e2e/console/operator.servers.test.ts', 'test/e2e/gateway-approvals.test.ts'],
  },
  {
    file: 'test/e2e/console/author.servers.test.ts',
    adds: 'searches and edits of policies in the browser',
    shortRun: ['test/e2e/console/operator.servers.test.ts', 'services/control/src/control.system.test.ts'],
  },
  {
    file: 'test/e2e/console/commands.servers.test.ts',
    adds: 'the commands that pages offer, run in a shell',
    shortRun: ['test/e2e/cli/commands.test.ts'],
  },
  {
    file: 'test/e2e/console/missing.servers.test.ts',
    adds: 'pages for addresses at which nothing is',
    shortRun: ['test/e2e/console/operator.servers.test.ts'],
  },
  {
    file: 'test/e2e/console/numbers.servers.test.ts',
    adds: 'the numbers of the pages in four time zones',
    shortRun: ['test/e2e/audit/query.test.ts', 'test/e2e/console/operator.servers.test.ts'],
  },
  {
    file: 'test/e2e/console/pages.servers.test.ts',
    adds: 'accessibility and width of every page, in light, dark and at 390 px',
    shortRun: ['test/e2e/console/operator.servers.test.ts'],
  },
  {
    file: 'test/e2e/console/sessions.servers.test.ts',
    adds: 'sessions, several tabs and restarts in the browser',
    shortRun: ['test/e2e/console/operator.servers.test.ts', 'services/console/src/sign-in.system.test.ts'],
  },
  {
    file: 'test/e2e/distributed/console-alone.servers.test.ts',
    adds: 'the console in its own process in front of separate services',
    shortRun: [
      'services/console/src/forward/forward-routes.system.test.ts',
      'test/e2e/console/operator.servers.test.ts',
    ],
  },
  {
    file: 'test/e2e/interface/route-records.test.ts',
    adds: 'the quota of each route that writes',
    shortRun: ['test/e2e/gateway-quotas.test.ts', 'services/control/src/tenants.system.test.ts'],
  },
  {
    file: 'test/e2e/interface/shared-work.test.ts',
    adds: 'work that outlives the request that started it, for each route',
    shortRun: ['packages/server/src/http/request-faults.system.test.ts', 'test/faults/hostile-http.test.ts'],
  },
  {
    file: 'test/e2e/observe/panels-in-clickhouse.test.ts',
    adds: 'the queries of the audit dashboard',
    shortRun: ['test/e2e/observe/promtool.servers.test.ts', 'test/e2e/audit/query.test.ts'],
  },
];

/** Whole planes, their log and ledger, and their faults. */
const PLANES: readonly FullRunFile[] = [
  {
    file: 'packages/control-log/src/kafka.contract.servers.test.ts',
    adds: 'the contract of the control topic on Kafka',
    shortRun: [
      'packages/control-log/src/sqlite.contract.system.test.ts',
      'services/control/src/control.system.test.ts',
    ],
  },
  {
    file: 'packages/ledger/src/fold/fold.system.test.ts',
    adds: 'the laws of the fold in many more random histories',
    shortRun: ['packages/ledger/src/fold/fold.test.ts'],
  },
  {
    file: 'packages/ledger/src/memory/memory-ledger.system.test.ts',
    adds: 'thousands of random histories of the ledger in memory, compared with the model',
    shortRun: [
      'packages/ledger/src/memory/memory-ledger.test.ts',
      'test/faults/simulation/simulation.test.ts',
    ],
  },
  {
    file: 'packages/ledger/src/redis/own-user.servers.test.ts',
    adds: 'the ledger with a user of Redis that has only its rights',
    shortRun: [
      'test/e2e/distributed/rights.servers.test.ts',
      'packages/ledger/src/redis/redis-ledger.servers.test.ts',
    ],
  },
  {
    file: 'packages/ledger/src/redis/redis-cluster.servers.test.ts',
    adds: 'the contract of the ledger on a Redis cluster',
    shortRun: [
      'packages/ledger/src/redis/redis-ledger.servers.test.ts',
      'packages/ledger/src/redis/redis-cluster-replicas.servers.test.ts',
    ],
  },
  {
    file: 'packages/reconcile/src/reconcile-retention.system.test.ts',
    adds: 'reconciling with an audit on a real engine that dropped months',
    shortRun: ['packages/reconcile/src/reconcile-sources.system.test.ts'],
  },
  {
    file: 'packages/testing/src/servers/clickhouse/clickhouse.servers.test.ts',
    adds: 'the ClickHouse servers that tests start',
    shortRun: ['test/faults/clickhouse-away.servers.test.ts', 'packages/audit/src/server.servers.test.ts'],
  },
  {
    file: 'packages/testing/src/servers/kafka/kafka.servers.test.ts',
    adds: 'clusters of three brokers that tests start, break and restart',
    shortRun: [
      'packages/bus/src/kafka/append-faults.servers.test.ts',
      'packages/bus/src/kafka/group-faults.servers.test.ts',
    ],
  },
  {
    file: 'packages/testing/src/servers/kafka/publish-with-kcat.servers.test.ts',
    adds: 'records that kcat publishes',
    shortRun: ['packages/bus/src/key-partition.test.ts'],
  },
  {
    file: 'packages/testing/src/servers/redis/redis.servers.test.ts',
    adds: 'the Redis servers that tests start',
    shortRun: [
      'packages/ledger/src/redis/redis-ledger.servers.test.ts',
      'packages/ledger/src/redis/redis-sentinel.servers.test.ts',
      'packages/ledger/src/redis/redis-cluster-replicas.servers.test.ts',
    ],
  },
  {
    file: 'services/control/src/manifest-bounds.system.test.ts',
    adds: 'turns of the event loop while a thousand agents are published',
    shortRun: [
      'services/control/src/control-bounds.system.test.ts',
      'services/control/src/manifests.system.test.ts',
    ],
  },
  {
    file: 'test/e2e/distributed/secured.servers.test.ts',
    adds: 'each service against servers that refuse a wrong certificate, password or mechanism',
    shortRun: ['test/e2e/distributed/rights.servers.test.ts'],
  },
  {
    file: 'test/e2e/distributed/tau-airline.servers.test.ts',
    adds: 'the airline data set from producers of two languages, on Redis and ClickHouse',
    shortRun: ['test/e2e/distributed/operator.servers.test.ts'],
  },
  {
    file: 'test/e2e/distributed/thousand-calls.servers.test.ts',
    adds: 'a thousand calls at once through a gateway of its own',
    shortRun: ['test/e2e/thousand-calls.test.ts'],
  },
  {
    file: 'test/e2e/distributed/up.servers.test.ts',
    adds: 'two planes on the same Kafka and Redis, one set by flags and one by the environment',
    shortRun: ['test/e2e/distributed/operator.servers.test.ts', 'test/e2e/cli/npm-start.test.ts'],
  },
  {
    file: 'test/e2e/plane/approvals.test.ts',
    adds: 'an approval on a whole plane that restarts meanwhile',
    shortRun: ['test/e2e/gateway-approvals.test.ts'],
  },
  {
    file: 'test/e2e/plane/category-cases.test.ts',
    adds: 'all cases of memory categories on a whole plane',
    shortRun: ['test/cases/manifest/s1.test.ts', 'test/e2e/plane/published-manifests.test.ts'],
  },
  {
    file: 'test/e2e/plane/manifest-cases.test.ts',
    adds: 'all cases of manifests on a whole plane',
    shortRun: ['test/cases/manifest/s0.test.ts', 'test/e2e/plane/published-manifests.test.ts'],
  },
  {
    file: 'test/e2e/services-alone.test.ts',
    adds: 'each service in its own process on one data folder',
    shortRun: ['test/e2e/distributed/operator.servers.test.ts', 'services/gateway/src/main.system.test.ts'],
  },
  {
    file: 'test/e2e/tau-airline/tau-airline-plane.test.ts',
    adds: 'the airline data set on a whole plane',
    shortRun: ['test/e2e/audit/query.test.ts'],
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
    file: 'test/faults/control-races.servers.test.ts',
    adds: 'hundreds of writes that race through two control services on Kafka, which are killed',
    shortRun: [
      'packages/control-log/src/sqlite.contract.system.test.ts',
      'services/control/src/control.system.test.ts',
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
    shortRun: ['test/faults/sigkill-loop.test.ts', 'test/faults/simulation/simulation.test.ts'],
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
    file: 'test/faults/handler-throws.servers.test.ts',
    adds: 'builds of the decider that throw a TypeError at each step, in a whole plane on servers',
    shortRun: ['services/decider/src/app.system.test.ts', 'packages/bus/src/kafka/kafka-bus.servers.test.ts'],
  },
  {
    file: 'test/faults/hostile-records-on-kafka.servers.test.ts',
    adds: 'hostile records on Kafka, compressed with each codec',
    shortRun: [
      'test/faults/hostile-records.test.ts',
      'packages/bus/src/kafka/foreign-records.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/kill-distributed.servers.test.ts',
    adds: 'a kill under heavy traffic with a paused decider, and a kill of everything while a shard hangs',
    shortRun: ['packages/ledger/src/redis/killing.servers.test.ts', 'test/e2e/plane/kill-switch.test.ts'],
  },
  {
    file: 'test/faults/kill-races.servers.test.ts',
    adds: 'kills and revives that race through three gateways on a Redis cluster, under load',
    shortRun: [
      'packages/ledger/src/redis/killing.servers.test.ts',
      'test/e2e/gateway-kill.test.ts',
      'test/e2e/plane/kill-switch.test.ts',
    ],
  },
  {
    file: 'test/faults/kill-unheard.servers.test.ts',
    adds: 'kills while the broadcast is away, with a mixed fleet',
    shortRun: ['packages/ledger/src/redis/killing.servers.test.ts'],
  },
  {
    file: 'test/faults/killed-in-a-gap.servers.test.ts',
    adds: 'a decider on servers that is killed while a chosen message is on its way',
    shortRun: ['services/decider/src/app.system.test.ts', 'test/faults/sigkill-loop.test.ts'],
  },
  {
    file: 'test/faults/leaders-move.servers.test.ts',
    adds: 'a whole plane on three brokers, while the admin API moves leaders and a broker ends',
    shortRun: [
      'packages/bus/src/kafka/append-faults.servers.test.ts',
      'test/faults/produce-answers-lost.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/longest-turn.test.ts',
    adds: 'a search for the body that blocks the event loop longest, on each route',
    shortRun: ['test/faults/hostile-http.test.ts'],
  },
  {
    file: 'test/faults/nearly-spent.servers.test.ts',
    adds: 'a thousand actions at once in eight processes on Redis',
    shortRun: ['test/e2e/thousand-calls.test.ts'],
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
    file: 'test/faults/outcomes-late.servers.test.ts',
    adds: 'hundreds of outcomes that come late, twice or never, on servers, while deciders are killed',
    shortRun: [
      'test/faults/simulation/simulation.test.ts',
      'packages/ledger/src/redis/redis-ledger.servers.test.ts',
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
    shortRun: [
      'test/e2e/distributed/lost-ledger.servers.test.ts',
      'packages/ledger-log/src/rebuild-ledger.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/redis-troubled.servers.test.ts',
    adds: 'every fault of Redis, one after the other, while deciders are under load',
    shortRun: [
      'packages/ledger/src/redis/connection.servers.test.ts',
      'test/e2e/distributed/lost-ledger.servers.test.ts',
    ],
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
    file: 'test/faults/rolling-upgrade.servers.test.ts',
    adds: 'deciders of two builds, side by side and one after the other, on servers',
    shortRun: [
      'packages/ledger/src/redis/rebuild.servers.test.ts',
      'packages/ledger/src/redis/connection.servers.test.ts',
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
    shortRun: [
      'packages/ledger/src/redis/connection.servers.test.ts',
      'test/faults/clickhouse-away.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/soak/soak.servers.test.ts',
    adds: 'every fault in turn under load; its long form takes half an hour',
    shortRun: [
      'test/faults/simulation/simulation.test.ts',
      'test/e2e/distributed/lost-ledger.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/turns.servers.test.ts',
    adds: 'turns under load while the ledger is lost',
    shortRun: [
      'test/faults/simulation/simulation.test.ts',
      'test/e2e/distributed/lost-ledger.servers.test.ts',
    ],
  },
  {
    file: 'test/faults/under-attack.test.ts',
    adds: 'the attacks over HTTP one after the other, with a report for each',
    shortRun: ['test/faults/attack.test.ts', 'packages/server/src/http/room.system.test.ts'],
  },
];

export const FULL_RUN_FILES: readonly FullRunFile[] = [...AGENTS, ...PEOPLE, ...PLANES];
