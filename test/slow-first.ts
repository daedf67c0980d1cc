/**
 * Starts the slowest test files first. If there are no earlier runs, as in a new clone, vitest would start large
 * files first. But a short file may run for a long time, and would then run alone at the end while other cores are
 * idle.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest in a short run, the slowest first. Measured on two cores. */
export const SLOW_FILES: readonly string[] = [
  'test/e2e/interface/access.test.ts',
  'packages/audit/src/embedded.contract.system.test.ts',
  'test/e2e/distributed/operator.servers.test.ts',
  'test/e2e/console/operator.servers.test.ts',
  'test/faults/clickhouse-away.servers.test.ts',
  'packages/bus/src/kafka/kafka-bus.servers.test.ts',
  'test/e2e/cli/commands.test.ts',
  'test/e2e/packages/packed.test.ts',
  'packages/demo/src/run-demo.system.test.ts',
  'packages/sdk/src/plane/plane-mode.system.test.ts',
  'test/e2e/audit/query.test.ts',
  'test/faults/sigkill-loop.test.ts',
  'test/e2e/distributed/rights.servers.test.ts',
  'test/e2e/distributed/lost-ledger.servers.test.ts',
  'packages/bus/src/kafka/group-faults.servers.test.ts',
  'services/model-gateway/src/sdks.system.test.ts',
  'test/mcp/official/official-servers.test.ts',
  'test/faults/produce-answers-lost.servers.test.ts',
  'test/e2e/audit/recorder.test.ts',
  'test/e2e/plane/kill-switch.test.ts',
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
