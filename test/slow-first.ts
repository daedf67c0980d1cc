/**
 * Starts the slowest test files first. If there are no earlier runs, as in a new clone, vitest would start large
 * files first. But a short file may run for a long time, and would then run alone at the end while other cores are
 * idle.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longer than 25 s in a short run, the slowest first. Measured on two cores. */
export const SLOW_FILES: readonly string[] = [
  'packages/bus/src/kafka/kafka-bus.servers.test.ts',
  'packages/audit/src/embedded.history.system.test.ts',
  'test/e2e/distributed/secured.servers.test.ts',
  'test/faults/clickhouse-away.servers.test.ts',
  'packages/audit/src/server.contract.servers.test.ts',
  'test/e2e/distributed/operator.servers.test.ts',
  'test/faults/handler-throws.servers.test.ts',
  'test/faults/rolling-upgrade.servers.test.ts',
  'test/e2e/interface/access.test.ts',
  'packages/audit/src/embedded.contract.system.test.ts',
  'test/faults/redis-troubled.servers.test.ts',
  'packages/bus/src/kafka/group-faults.servers.test.ts',
  'test/e2e/distributed/console-alone.servers.test.ts',
  'test/e2e/cli/up.test.ts',
  'test/e2e/services-alone.test.ts',
  'test/faults/leaders-move.servers.test.ts',
  'test/faults/outcomes-late.servers.test.ts',
  'test/e2e/audit/fuzz-openapi.test.ts',
  'test/faults/simulation/simulation.test.ts',
  'packages/bus/src/kafka/append-faults.servers.test.ts',
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => groupOf(one) - groupOf(other) || rankOf(one) - rankOf(other));
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const rank = SLOW_FILES.indexOf(relative(project.vitest.config.root, moduleId));
  return rank === -1 ? SLOW_FILES.length : rank;
}
